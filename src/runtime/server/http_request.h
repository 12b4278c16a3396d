// Parses the requests of the metrics page: the request line, and the host that the client asked
// for. Does no input or output. Sources: RFC 9112, sections 2 and 3; RFC 9110, section 7.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::runtime {

/// The parts refer to the text of the request.
struct HttpRequest {
  std::string_view method;
  std::string_view path;                 ///< begins with '/'; without the query
  std::string_view query;                ///< after '?'; may be empty
  std::optional<std::string_view> host;  ///< the value of Host, with the port, if it was sent
};

enum class HttpError : std::uint8_t {
  malformed_line,    ///< the first line is not "<method> </path> HTTP/1.0" or "... HTTP/1.1"
  malformed_header,  ///< a header line is not "<name>: <value>", or there are too many
  malformed_host,    ///< HTTP/1.1 without Host, or several
};

/// The largest number of header lines in a request.
inline constexpr std::size_t header_lines_max = 64;

/// `text` ends with the empty line after the header.
[[nodiscard]] std::expected<HttpRequest, HttpError> parse_http_request(std::string_view text);

/// Whether the page serves clients that use `host`, which may have a port. Accepts numeric
/// addresses, "localhost", and `names`. A browser sends the name of the address bar. So a page of
/// another site cannot read this server by giving its own name the address of this host (DNS
/// rebinding).
[[nodiscard]] bool is_accepted_host(std::string_view host, std::span<const std::string> names);

/// The values of all parameters `name` of a query, decoded. std::nullopt if one of them has a
/// malformed escape. "+" stands for itself.
[[nodiscard]] std::optional<std::vector<std::string>> query_values(std::string_view query,
                                                                   std::string_view name);
/// Writes all octets except letters, digits, '-', '.', '_' and '~' as %XX. RFC 3986, section 2.1.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace perigee::runtime
