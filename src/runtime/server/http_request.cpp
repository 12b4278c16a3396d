// Parses requests of HTTP. Each function looks at each octet at most a few times.
#include "runtime/server/http_request.h"

#include <perigee/ipc/inet_parse.h>

#include <algorithm>

namespace perigee::runtime {

namespace {

constexpr std::string_view end_of_line = "\r\n";

bool is_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_without_case(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, {}, lower, lower);
}

// RFC 9110, 5.6.2.
bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
  });
}

bool is_visible(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

// Values may have blanks, tabs and octets above ASCII, but no control characters.
bool is_field_value(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return c == '\t' || (code >= 0x20 && code != 0x7f);
  });
}

std::string_view without_blanks(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Takes the text before `separator`, and removes both. std::nullopt if there is no separator.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view separator) {
  const auto end = text.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end + separator.size());
  return part;
}

std::optional<HttpRequest> parse_line(std::string_view line, bool& needs_host) {
  HttpRequest request;
  const auto method = take_until(line, " ");
  const auto target = take_until(line, " ");
  if (!method || !target || !is_token(*method)) return std::nullopt;
  if (!target->starts_with('/') || !is_visible(*target)) return std::nullopt;
  if (line != "HTTP/1.1" && line != "HTTP/1.0") return std::nullopt;
  needs_host = line == "HTTP/1.1";
  request.method = *method;
  const auto question = target->find('?');
  request.path = target->substr(0, question);
  if (question != std::string_view::npos) request.query = target->substr(question + 1);
  return request;
}

std::optional<std::uint8_t> digit_of(char c) noexcept {
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
  if (lower(c) >= 'a' && lower(c) <= 'f') return static_cast<std::uint8_t>(lower(c) - 'a' + 10);
  return std::nullopt;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      result += text[at];
      continue;
    }
    if (text.size() - at < 3) return std::nullopt;
    const auto high = digit_of(text[at + 1]);
    const auto low = digit_of(text[at + 2]);
    if (!high || !low) return std::nullopt;
    result += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return result;
}

}  // namespace

std::expected<HttpRequest, HttpError> parse_http_request(std::string_view text) {
  bool needs_host = false;
  const auto first = take_until(text, end_of_line);
  auto request = first ? parse_line(*first, needs_host) : std::nullopt;
  if (!request) return std::unexpected(HttpError::malformed_line);
  std::size_t count = 0;
  for (;;) {
    auto line = take_until(text, end_of_line);
    if (line && line->empty()) break;
    if (!line || ++count > header_lines_max) return std::unexpected(HttpError::malformed_header);
    const auto name = take_until(*line, ":");
    const std::string_view value = without_blanks(*line);
    if (!name || !is_token(*name) || !is_field_value(value))
      return std::unexpected(HttpError::malformed_header);
    if (!equal_without_case(*name, "host")) continue;
    if (request->host) return std::unexpected(HttpError::malformed_host);
    request->host = value;
  }
  if (needs_host && !request->host) return std::unexpected(HttpError::malformed_host);
  return *request;
}

bool is_accepted_host(std::string_view host, std::span<const std::string> names) {
  const auto parts = ipc::split_host_port(host);
  if (!parts || parts->host.empty()) return false;
  if (host.starts_with('[')) return ipc::parse_ipv6(parts->host).has_value();
  return ipc::parse_ipv4(parts->host) || equal_without_case(parts->host, "localhost") ||
         std::ranges::any_of(names, [&parts](const std::string& name) {
           return equal_without_case(parts->host, name);
         });
}

std::optional<std::vector<std::string>> query_values(std::string_view query,
                                                     std::string_view name) {
  std::vector<std::string> values;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    std::string_view parameter = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const auto key = take_until(parameter, "=");
    if (!key || *key != name) continue;
    auto value = decoded(parameter);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~')
      result += c;
    else
      ((result += '%') += digits[code >> 4]) += digits[code & 15];
  }
  return result;
}

}  // namespace perigee::runtime
