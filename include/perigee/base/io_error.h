// Errors of input and output, for `ipc`, `event` and `transport`. Values only.
#pragma once

#include <perigee/base/export.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace perigee {

/// The operation that failed.
enum class IoOperation : std::uint8_t {
  none,
  resolve,  ///< looking up a host name
  create,   ///< making a handle
  option,   ///< setting or reading an option
  bind,
  listen,
  accept,
  connect,
  send,
  receive,
  wait,  ///< waiting for readiness
  shutdown,
  load,  ///< loading a plug-in
};

/// The kinds of errors that callers treat differently. The system's own code says more.
enum class IoErrorKind : std::uint8_t {
  system,         ///< see `code`
  timed_out,      ///< the caller's time-out passed
  end_of_stream,  ///< the peer closed its side in an orderly way
  interrupted,    ///< `interrupt()` was called, or the resource is closed
  bad_address,    ///< the address cannot be parsed, resolved or used by this protocol
  unsupported,    ///< the protocol cannot do the operation
  limit,          ///< a configured limit is reached, or the system lacks handles, threads or memory
  bad_plugin,     ///< a plug-in does not fit this ORB, or has failed
  bad_file,       ///< a file that the protocol needs cannot be used
  untrusted,      ///< one side has refused the other's proof of identity
};

/// The error of an operation other than a transfer of messages. Transfers return an IoResult
/// instead.
struct IoError {
  IoErrorKind kind = IoErrorKind::system;
  IoOperation operation = IoOperation::none;
  int code = 0;          ///< errno, or the resolver's code; 0 if there is none
  std::string endpoint;  ///< the address that the operation was about, as text; may be empty

  friend bool operator==(const IoError&, const IoError&) = default;
};

/// One line for logs and exceptions: "connect to 127.0.0.1:9: Connection refused".
PERIGEE_API std::string to_string(const IoError& error);

/// The outcome of one transfer. The hot path returns this instead of an IoError.
enum class IoStatus : std::uint8_t {
  ok,             ///< `count` octets were transferred, at least one
  would_block,    ///< nothing can be transferred now
  end_of_stream,  ///< the peer has closed; nothing more will come
  timed_out,      ///< the receive or send time-out passed
  failed,         ///< see `code`
};

/// Result of one transfer on the hot path.
struct [[nodiscard]] IoResult {
  std::size_t count = 0;  ///< octets transferred
  IoStatus status = IoStatus::ok;
  int code = 0;  ///< errno when `failed`

  [[nodiscard]] bool ok() const noexcept { return status == IoStatus::ok; }
};

}  // namespace perigee
