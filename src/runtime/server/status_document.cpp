// Writes the documents. Each text may come from a peer, so `json_text` writes all of them.
#include "runtime/server/status_document.h"

#include "orb/core/orb_core.h"
#include "orb/server/limit_report.h"
#include "orb/server/status_sections.h"
#include "poa/adapter_report.h"
#include "runtime/option_table.h"
#include "runtime/server/http_request.h"
#include "runtime/server/process_state.h"
#include <perigee/orb/metrics.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace perigee::runtime {

namespace {

constexpr std::string_view hexadecimal = "0123456789abcdef";

/// The number of octets of the UTF-8 character at the front of `text`, and its code point; 0 if the
/// octets are not a character. RFC 3629.
std::pair<std::size_t, std::uint32_t> first_character(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {0, 0};
  std::uint32_t code = lead & (0xffU >> (size + 1));
  for (const char c : text.substr(1, size - 1)) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80) return {0, 0};
    code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[size] || code > 0x10ffff || is_surrogate) return {0, 0};
  return {size, code};
}

/// Control characters, and characters that change the direction or the place of other text.
bool is_hidden(std::uint32_t code) noexcept {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
         (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

void append_hidden(std::string& text, std::uint32_t code) {
  text += "\\\\u{";
  for (int shift = 12; shift >= 0; shift -= 4) text += hexadecimal[(code >> shift) & 15U];
  text += '}';
}

/// The first octets of `text`, without a part of a UTF-8 character at the end.
std::string_view cut(std::string_view text) noexcept {
  if (text.size() <= cell_size_max) return text;
  std::size_t size = cell_size_max;
  for (; size > cell_size_max - 3; --size)
    if ((static_cast<unsigned char>(text[size]) & 0xc0U) != 0x80) break;
  return text.substr(0, size);
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + json_text(text);
  return "[" + list + "]";
}

std::string number_member(std::string_view name, std::uint64_t value) {
  return json_text(name) + ":" + std::to_string(value);
}

std::string strategy_of(const orb::Settings& settings) {
  Configuration configuration;
  configuration.settings.thread_strategy = settings.thread_strategy;
  const auto options = option_table();
  const auto option = std::ranges::find(options, "ThreadStrategy", &Option::name);
  return option == options.end() ? std::string() : option->show(configuration);
}

std::string orb_json(const orb::OrbCore& core) {
  const orb::Settings& settings = core.settings();
  return "{\"id\":" + json_text(settings.orb_id) +
         ",\"server_id\":" + json_text(settings.server_id) +
         ",\"thread_strategy\":" + json_text(strategy_of(settings)) + "," +
         number_member("threads", settings.threads) + "}";
}

std::string process_json() {
  const ProcessState state = process_state();
  return "{" + number_member("id", state.process_id) + "," +
         number_member("threads", state.threads) + "," +
         number_member("resident_bytes", state.resident_size) + "}";
}

std::string limits_json(const orb::OrbCore& core) {
  std::string list;
  for (const orb::LimitUse& limit : orb::report_limits(core))
    list += (list.empty() ? "{\"name\":" : ",{\"name\":") + json_text(limit.name) +
            ",\"option\":" + json_text(limit.option) +
            ",\"unit\":" + (limit.is_size ? "\"bytes\"," : "\"number\",") +
            number_member("used", limit.used) + "," + number_member("limit", limit.limit) + "}";
  return "[" + list + "]";
}

std::string adapters_json(const orb::OrbCore& core) {
  const poa::AdapterReports reports = poa::report_adapters(core, adapters_max);
  std::string list;
  for (const poa::AdapterReport& adapter : reports.adapters)
    list += (list.empty() ? "{\"name\":" : ",{\"name\":") + json_list(adapter.name) +
            ",\"manager\":" + json_text(adapter.manager) +
            ",\"state\":" + json_text(poa::text_of(adapter.state)) + "," +
            number_member("active_objects", adapter.active_objects) + "}";
  return "{\"adapters\":[" + list + "],\"is_cut\":" + (reports.is_cut ? "true" : "false") + "}";
}

std::string sections_json(const orb::StatusSections& sections) {
  std::string list;
  for (const auto& [name, title] : sections.all())
    list += (list.empty() ? "{\"name\":" : ",{\"name\":") + json_text(name) +
            ",\"title\":" + json_text(title) + "}";
  return "[" + list + "]";
}

std::string row_json(const orb::StatusRow& row) {
  std::string cells;
  const std::size_t count = std::min(row.cells.size(), table_columns_max);
  for (std::size_t index = 0; index < count; ++index)
    cells += (index == 0 ? "" : ",") + json_text(row.cells[index]);
  return "{\"key\":\"" + percent_encoded(row.key) + "\",\"cells\":[" + cells + "]}";
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string result = "\"";
  const bool is_cut = text.size() > cell_size_max;
  std::string_view rest = cut(text);
  while (!rest.empty()) {
    const auto [size, code] = first_character(rest);
    const char c = rest.front();
    if (size == 0)
      ((result += "\\\\x") += hexadecimal[static_cast<unsigned char>(c) >> 4U]) +=
          hexadecimal[static_cast<unsigned char>(c) & 15U];
    else if (is_hidden(code))
      append_hidden(result, code);
    else if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (c == '<' || c == '>' || c == '&')
      ((result += "\\u00") += hexadecimal[code >> 4U]) += hexadecimal[code & 15U];
    else
      result += rest.substr(0, size);
    rest.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result + (is_cut ? "…\"" : "\"");
}

std::string status_json(const orb::OrbCore& core, const orb::StatusSections& sections) {
  return "{\"orb\":" + orb_json(core) + ",\n\"process\":" + process_json() +
         ",\n\"limits\":" + limits_json(core) + ",\n\"poas\":" + adapters_json(core) +
         ",\n\"sections\":" + sections_json(sections) +
         ",\n\"metrics\":" + to_json(core.metrics_snapshot()) + "}\n";
}

std::string table_json(const orb::StatusTable& table) {
  std::vector<std::string> columns = table.columns;
  columns.resize(std::min(columns.size(), table_columns_max));
  std::string rows;
  const std::size_t count = std::min(table.rows.size(), table_rows_max);
  for (std::size_t index = 0; index < count; ++index)
    rows += (index == 0 ? "" : ",\n") + row_json(table.rows[index]);
  return "{\"columns\":" + json_list(columns) + ",\"rows\":[" + rows + "],\"next\":\"" +
         percent_encoded(table.next) + "\",\"note\":" + json_text(table.note) + "}\n";
}

}  // namespace perigee::runtime
