// Requests of HTTP, well-formed and malformed, and the host names that the metrics page accepts.
#include "runtime/server/http_request.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace perigee::test {

using runtime::HttpError;
using runtime::is_accepted_host;
using runtime::parse_http_request;
using runtime::query_values;

TEST_CASE("a request is parsed into its parts") {
  const auto request = parse_http_request(
      "GET /section.json?name=names&after=a HTTP/1.1\r\nAccept: */*\r\nhOsT:  host:80 \r\n\r\n");
  REQUIRE(request.has_value());
  CHECK(request->method == "GET");
  CHECK(request->path == "/section.json");
  CHECK(request->query == "name=names&after=a");
  CHECK(request->host == "host:80");
  const auto old = parse_http_request("GET / HTTP/1.0\r\n\r\n");
  REQUIRE(old.has_value());
  CHECK(old->query.empty());
  CHECK(!old->host.has_value());
}

TEST_CASE("malformed request lines are refused") {
  for (const char* line :
       {"", "GET", "GET /", "GET / HTTP/2.0", "GET / HTTP/1.1 ", "GET  / HTTP/1.1", " / HTTP/1.1",
        "GET http://host/ HTTP/1.1", "GET * HTTP/1.1", "G(T / HTTP/1.1", "GET /\x01 HTTP/1.1",
        "GET /\xc3\xa9 HTTP/1.1", "get\t/ HTTP/1.1"}) {
    CAPTURE(line);
    const auto request = parse_http_request(std::string(line) + "\r\nHost: localhost\r\n\r\n");
    REQUIRE(!request.has_value());
    CHECK(request.error() == HttpError::malformed_line);
  }
}

TEST_CASE("malformed header lines are refused") {
  std::string many;
  for (std::size_t count = 0; count <= runtime::header_lines_max; ++count) many += "a: b\r\n";
  for (const std::string& lines :
       {std::string("x\r\n"), std::string(": y\r\n"), std::string("x : y\r\n"),
        std::string(" x: y\r\n"), std::string("x: a\nb\r\n"), std::string("x: a\0b\r\n", 8),
        std::string("x: a\rHost: b\r\n"), many}) {
    CAPTURE(lines);
    const auto request =
        parse_http_request("GET / HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n");
    REQUIRE(!request.has_value());
    CHECK(request.error() == HttpError::malformed_header);
  }
  CHECK(!parse_http_request("GET / HTTP/1.0\r\nx: y\r\n").has_value());
}

TEST_CASE("HTTP/1.1 needs one line Host") {
  for (const char* lines : {"", "Host: a\r\nHost: a\r\n", "Host: a\r\nx: y\r\nhost: b\r\n"}) {
    const auto request = parse_http_request(std::string("GET / HTTP/1.1\r\n") + lines + "\r\n");
    REQUIRE(!request.has_value());
    CHECK(request.error() == HttpError::malformed_host);
  }
}

TEST_CASE("the page accepts numeric addresses, localhost and configured names only") {
  const std::vector<std::string> names{"Server.example"};
  for (const char* host : {"127.0.0.1", "127.0.0.1:9464", "[::1]:9464", "[::1]", "localhost",
                           "LocalHost:1", "server.EXAMPLE:80"}) {
    CAPTURE(host);
    CHECK(is_accepted_host(host, names));
  }
  for (const char* host :
       {"", ":80", "evil.example", "server.example.evil.example", "localhost.evil.example",
        "127.0.0.1.evil.example", "127.0.0.1:x", "[evil.example]", "localhost:80:80",
        "localhost, evil.example", "user@localhost", "localhost."}) {
    CAPTURE(host);
    CHECK(!is_accepted_host(host, names));
  }
}

TEST_CASE("the values of a query are decoded") {
  using Values = std::vector<std::string>;
  CHECK(query_values("path=a%2fb&x=1&path=%00%C3%A9+&pathx=c&path=", "path") ==
        Values{"a/b", std::string("\0\xc3\xa9+", 4), ""});
  CHECK(query_values("", "path") == Values{});
  CHECK(query_values("path", "path") == Values{});
  for (const char* query : {"path=%", "path=%a", "path=%zz", "path=a&path=%0"})
    CHECK(!query_values(query, "path").has_value());
}

TEST_CASE("an escaped text is decoded to the same text") {
  std::string all;
  for (int code = 0; code < 256; ++code) all += static_cast<char>(code);
  const std::string escaped = runtime::percent_encoded(all);
  CHECK(escaped.find_first_of("&=<>\"'# ") == std::string::npos);
  CHECK(query_values("x=" + escaped, "x") == std::vector<std::string>{all});
}

}  // namespace perigee::test
