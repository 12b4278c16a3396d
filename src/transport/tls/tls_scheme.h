// The scheme "ssliop", and the scheme of the connections below it. Private to transport/tls.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/transport/transport.h>

#include <string>
#include <string_view>
#include <utility>

namespace perigee::transport::tls {

inline constexpr std::string_view tls_scheme = "ssliop";
inline constexpr std::string_view inner_scheme = "iiop";

inline Endpoint inner_endpoint(Endpoint endpoint) {
  if (endpoint.scheme == tls_scheme) endpoint.scheme = inner_scheme;
  return endpoint;  // with another scheme, the inner protocol refuses it
}
inline Endpoint outer_endpoint(Endpoint endpoint) {
  endpoint.scheme = tls_scheme;
  return endpoint;
}
/// "ssliop://..." for "iiop://...".
inline std::string outer_text(std::string text) {
  if (text.starts_with(std::string(inner_scheme) + "://"))
    text.replace(0, inner_scheme.size(), tls_scheme);
  return text;
}
inline IoError outer_error(IoError error) {
  error.endpoint = outer_text(std::move(error.endpoint));
  return error;
}

}  // namespace perigee::transport::tls
