// Requests to the metrics page. Each request gets exactly one complete answer, and no answer
// repeats unescaped text of the request. Texts of peers become valid strings of JSON.
#include "require.h"
#include "runtime/server/metrics_answers.h"
#include "runtime/server/status_document.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace perigee;
using fuzz::require;
using Text = std::string_view;

// A section that shows the whole content of the request.
std::optional<std::string> echo_section(Text name, const orb::StatusQuery& query) {
  orb::StatusTable table;
  table.columns = query.path;
  table.rows.push_back({std::string(name), query.path});
  table.next = query.after;
  table.note = query.after;
  return runtime::table_json(table);
}

runtime::MetricsAnswers make_answers() {
  return {{.prometheus = [] { return std::string("numbers\n"); },
           .json = [] { return std::string("[]\n"); },
           .status = [] { return std::string("{}\n"); },
           .section = echo_section},
          {"server.example"}};
}

void try_request(const std::string& text) {
  const std::string answer = make_answers().answer(text + "\r\n\r\n");
  require(answer.starts_with("HTTP/1.1 "));
  const auto header = answer.find("\r\n\r\n");
  require(header != std::string::npos);
  const auto size = answer.find("\r\nContent-Length: ");
  require(size < header);
  const std::string body = answer.substr(header + 4);
  const bool is_whole = std::stoul(answer.substr(size + 18)) == body.size();
  require(is_whole || body.empty());  // HEAD has no body
  if (answer.find("application/json") < header) require(body.find('<') == std::string::npos);
}

void try_text(Text text) {
  const std::string json = runtime::json_text(text);
  require(json.size() >= 2 && json.front() == '"' && json.back() == '"');
  require(json.size() <= 10 * runtime::cell_size_max + 8);
  for (const char c : json) require(static_cast<unsigned char>(c) >= 0x20 && c != '<' && c != '>');
  const Text inner = Text(json).substr(1, json.size() - 2);
  for (std::size_t at = 0; at < inner.size(); ++at) {
    require(inner[at] != '"');
    if (inner[at] == '\\') require(++at < inner.size() && Text("\"\\u").contains(inner[at]));
  }
}

void try_escapes(const std::string& text) {
  const auto values = runtime::query_values("a=" + runtime::percent_encoded(text), "a");
  require(values && values->size() == 1 && values->front() == text);
  (void)runtime::query_values(text, "a");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  switch (data[0] % 3) {
    case 0:
      try_request(text);
      break;
    case 1:
      try_text(text);
      break;
    default:
      try_escapes(text);
      break;
  }
  return 0;
}
