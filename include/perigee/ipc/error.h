// Errors of the wrappers with the operation and the endpoint, for log lines and for the layers
// above.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/io_error.h>

#include <concepts>
#include <string>
#include <string_view>
#include <system_error>

namespace perigee::ipc {

namespace detail {
PERIGEE_API IoError make_io_error(IoOperation operation, std::string endpoint,
                                  const std::error_code& error);
PERIGEE_API std::string describe(std::string_view operation, std::string_view endpoint,
                                 const std::error_code& error);
}  // namespace detail

/// A type that has a text: a string, an address or an interface.
template <typename T>
concept Endpoint = requires(const T& endpoint) {
  { to_string(endpoint) } -> std::same_as<std::string>;
} || std::convertible_to<const T&, std::string_view>;

/// An endpoint's text.
template <Endpoint T>
std::string text_of(const T& endpoint) {
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    return std::string(std::string_view(endpoint));
  } else {
    return to_string(endpoint);
  }
}

/// The error as an IoError, for the layers above: a passed time limit has its own kind.
template <Endpoint T>
[[nodiscard]] IoError io_error(IoOperation operation, const T& endpoint,
                               const std::error_code& error) {
  return detail::make_io_error(operation, text_of(endpoint), error);
}

/// One line: "connect to 127.0.0.1:9: Connection refused".
template <Endpoint T>
[[nodiscard]] std::string describe(IoOperation operation, const T& endpoint,
                                   const std::error_code& error) {
  return to_string(io_error(operation, endpoint, error));
}
/// The same for operations that IoOperation does not list: "join 239.1.2.3:5000: No such device".
template <Endpoint T>
[[nodiscard]] std::string describe(std::string_view operation, const T& endpoint,
                                   const std::error_code& error) {
  return detail::describe(operation, text_of(endpoint), error);
}

}  // namespace perigee::ipc
