// Errors with operation and endpoint.
#include <perigee/ipc/error.h>

#include <utility>

namespace perigee::ipc::detail {

IoError make_io_error(IoOperation operation, std::string endpoint, const std::error_code& error) {
  if (error == std::errc::timed_out) {
    return {IoErrorKind::timed_out, operation, 0, std::move(endpoint)};
  }
  return {IoErrorKind::system, operation, error.value(), std::move(endpoint)};
}

std::string describe(std::string_view operation, std::string_view endpoint,
                     const std::error_code& error) {
  std::string text(operation);
  if (!endpoint.empty()) text.append(" ").append(endpoint);
  return text + ": " + error.message();
}

}  // namespace perigee::ipc::detail
