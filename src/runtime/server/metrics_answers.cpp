// Serves as much of HTTP as collectors and the page need: GET and HEAD, and one answer for each
// connection. Source: RFC 9110.
#include "runtime/server/metrics_answers.h"

#include "runtime/server/page_text.h"
#include "runtime/server/status_document.h"
#include <perigee/base/log.h>
#include <perigee/base/printable.h>

#include <exception>
#include <random>
#include <utility>

namespace perigee::runtime {

struct MetricsAnswers::Response {
  std::string_view status;
  std::string_view type;
  std::string body;
  std::string header = {};  ///< further header lines, each with its end
};

namespace {

constexpr std::string_view text_type = "text/plain; charset=utf-8";
constexpr std::string_view json_type = "application/json";

/// The text of a URL that no attacker can guess: 128 bits in hexadecimal digits.
std::string make_nonce() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::random_device source;
  std::string nonce;
  for (int count = 0; count < 4; ++count)
    for (unsigned word = source(), digit = 0; digit < 8; ++digit, word >>= 4U)
      nonce += digits[word & 15U];
  return nonce;
}

void replace_all(std::string& text, std::string_view mark, std::string_view value) {
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
}

/// Only the script and the style of the page itself run, and the page connects to this server only.
std::string page_policy(std::string_view nonce) {
  const std::string quoted = "'nonce-" + std::string(nonce) + "'";
  return "Content-Security-Policy: default-src 'none'; script-src " + quoted + "; style-src " +
         quoted +
         "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'\r\n";
}

std::string_view text_of(HttpError error) noexcept {
  switch (error) {
    case HttpError::malformed_line:
      return "malformed request line; send GET /<path> HTTP/1.1\n";
    case HttpError::malformed_header:
      return "malformed header line, or too many header lines\n";
    case HttpError::malformed_host:
      return "an HTTP/1.1 request needs exactly one line Host\n";
  }
  return "";
}

}  // namespace

MetricsAnswers::MetricsAnswers(MetricsSource source, std::vector<std::string> hosts)
    : source_(std::move(source)), hosts_(std::move(hosts)) {}

std::string MetricsAnswers::answer(std::string_view request) const {
  std::string_view method;
  const Response response = respond(request, method);
  std::string text = "HTTP/1.1 " + std::string(response.status) +
                     "\r\nContent-Type: " + std::string(response.type) +
                     "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n" +
                     response.header +
                     "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                     "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n"
                     "Connection: close\r\n\r\n";
  if (method != "HEAD") text += response.body;
  return text;
}

MetricsAnswers::Response MetricsAnswers::respond(std::string_view text,
                                                 std::string_view& method) const {
  const auto request = parse_http_request(text);
  if (!request) return {"400 Bad Request", text_type, std::string(text_of(request.error()))};
  method = request->method;
  if (request->host && !is_accepted_host(*request->host, hosts_))
    return {"421 Misdirected Request", text_type,
            "this server does not accept the host name of the request; use its numeric address, or "
            "give the name to -ORBMetricsHosts\n"};
  if (method != "GET" && method != "HEAD")
    return {"405 Method Not Allowed", text_type, "use GET or HEAD\n", "Allow: GET, HEAD\r\n"};
  try {
    return page(*request);
  } catch (const std::exception& exception) {
    return failure(*request, exception.what());
  } catch (...) {  // a function of the application may throw any type
    return failure(*request, "unknown exception");
  }
}

MetricsAnswers::Response MetricsAnswers::failure(const HttpRequest& request,
                                                 std::string_view reason) {
  std::string text = printable(request.path);
  if (!request.query.empty()) (text += '?') += printable(request.query);
  log::write(log::Level::warning, "metrics", (text += ": ") += reason);
  return {"500 Internal Server Error", text_type,
          "the server failed to make this answer; its log has the reason\n"};
}

MetricsAnswers::Response MetricsAnswers::page(const HttpRequest& request) const {
  if (request.path == "/metrics")
    return {"200 OK", "text/plain; version=0.0.4; charset=utf-8", source_.prometheus()};
  if (request.path == "/metrics.json") return {"200 OK", json_type, source_.json()};
  if (request.path == "/status.json" && source_.status)
    return {"200 OK", json_type, source_.status()};
  if (request.path == "/section.json" && source_.section) return section(request.query);
  if (request.path == "/") {
    const std::string nonce = make_nonce();
    std::string text(page_text);
    replace_all(text, nonce_mark, nonce);
    return {"200 OK", "text/html; charset=utf-8", std::move(text), page_policy(nonce)};
  }
  return {
      "404 Not Found", text_type,
      "not found; this server has /, /metrics, /metrics.json, /status.json and /section.json\n"};
}

MetricsAnswers::Response MetricsAnswers::section(std::string_view query) const {
  auto names = query_values(query, "name");
  auto path = query_values(query, "path");
  auto after = query_values(query, "after");
  if (!names || names->size() != 1 || !path || !after || after->size() > 1)
    return {"400 Bad Request", text_type,
            "write /section.json?name=<name>[&path=<key>...][&after=<next>]\n"};
  orb::StatusQuery wanted{std::move(*path), after->empty() ? std::string() : after->front(),
                          table_rows_max};
  if (auto table = source_.section(names->front(), wanted))
    return {"200 OK", json_type, std::move(*table)};
  return {"404 Not Found", text_type, "no section has this name; /status.json lists the names\n"};
}

}  // namespace perigee::runtime
