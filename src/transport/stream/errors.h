// Errors about endpoints. Private to the transports of stream sockets.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/transport/transport.h>

#include <expected>
#include <string_view>
#include <system_error>

namespace perigee::transport {

inline std::unexpected<IoError> bad_address(IoOperation operation, const Endpoint& endpoint) {
  return std::unexpected(IoError{IoErrorKind::bad_address, operation, 0, to_string(endpoint)});
}

/// The same, with the expected form of the address.
inline std::unexpected<IoError> bad_address(IoOperation operation, const Endpoint& endpoint,
                                            std::string_view why) {
  auto refused = bad_address(operation, endpoint);
  refused.error().endpoint.append(" (").append(why).append(")");
  return refused;
}

inline std::unexpected<IoError> failure(IoOperation operation, std::error_code code,
                                        const Endpoint& endpoint) {
  const bool passed = code == std::errc::timed_out;
  return std::unexpected(IoError{passed ? IoErrorKind::timed_out : IoErrorKind::system, operation,
                                 code.value(), to_string(endpoint)});
}

}  // namespace perigee::transport
