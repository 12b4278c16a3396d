// The texts of input and output errors. Knows only the codes of the C library and of its resolver.
#include <perigee/base/io_error.h>

#include <system_error>

// The C library's text of a resolver code. It is declared here because this layer includes no
// header of the operating system.
extern "C" const char* gai_strerror(int code) noexcept;

namespace perigee {

namespace {

std::string_view text_of(IoOperation operation) {
  switch (operation) {
    case IoOperation::none:
      return "";
    case IoOperation::resolve:
      return "resolve";
    case IoOperation::create:
      return "create";
    case IoOperation::option:
      return "set option";
    case IoOperation::bind:
      return "bind";
    case IoOperation::listen:
      return "listen";
    case IoOperation::accept:
      return "accept";
    case IoOperation::connect:
      return "connect";
    case IoOperation::send:
      return "send";
    case IoOperation::receive:
      return "receive";
    case IoOperation::wait:
      return "wait";
    case IoOperation::shutdown:
      return "shut down";
    case IoOperation::load:
      return "load";
  }
  return "unknown operation";
}

std::string_view text_of(IoErrorKind kind) {
  switch (kind) {
    case IoErrorKind::system:
      return "system error";
    case IoErrorKind::timed_out:
      return "timed out";
    case IoErrorKind::end_of_stream:
      return "the peer has closed the connection";
    case IoErrorKind::interrupted:
      return "interrupted";
    case IoErrorKind::bad_address:
      return "bad address";
    case IoErrorKind::unsupported:
      return "not supported";
    case IoErrorKind::limit:
      return "limit reached";
    case IoErrorKind::bad_plugin:
      return "the plug-in cannot be used";
    case IoErrorKind::bad_file:
      return "the file cannot be used";
    case IoErrorKind::untrusted:
      return "not trusted";
  }
  return "unknown error";
}

/// The resolver has codes of its own, which are negative in this C library. All other codes are
/// values of errno.
std::string text_of_code(IoOperation operation, int code) {
  if (operation == IoOperation::resolve && code < 0) return ::gai_strerror(code);
  return std::generic_category().message(code);
}

}  // namespace

std::string to_string(const IoError& error) {
  std::string text(text_of(error.operation));
  if (!error.endpoint.empty()) {
    if (!text.empty()) text += error.operation == IoOperation::connect ? " to " : " ";
    text += error.endpoint;
  }
  if (!text.empty()) text += ": ";
  if (error.code == 0) return text.append(text_of(error.kind));
  if (error.kind != IoErrorKind::system) text.append(text_of(error.kind)).append(": ");
  return text + text_of_code(error.operation, error.code);
}

}  // namespace perigee
