// Accepts from a stream socket as the contract of Acceptor says. Private to the transports that use
// such sockets.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/ipc/io.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cerrno>
#include <expected>
#include <memory>
#include <utility>

namespace perigee::transport {

/// Errors that end when other objects free handles or memory.
inline bool is_out_of_resources(int code) noexcept {
  return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM;
}

/// `make` turns a stream into a transport, or returns nullptr if the peer has disconnected already;
/// then the next stream is accepted. Connections that the system queued before the interruption are
/// still accepted after it. Otherwise, a queued client of a UNIX-domain socket would wait until the
/// acceptor is destroyed.
template <typename Acceptor, typename Make>
std::expected<std::unique_ptr<Transport>, IoError> accept_transport(
    Acceptor& acceptor, const std::atomic<bool>& interrupted, const Endpoint& listening, Wait wait,
    const Make& make) {
  for (;;) {
    auto stream = acceptor.accept(wait == Wait::yes ? ipc::forever : ipc::no_wait);
    if (stream) {
      std::unique_ptr<Transport> transport = make(std::move(*stream));
      if (transport == nullptr) continue;
      return transport;
    }
    if (interrupted.load(std::memory_order_acquire)) {
      return std::unexpected(
          IoError{IoErrorKind::interrupted, IoOperation::accept, 0, to_string(listening)});
    }
    const int code = stream.error().value();
    if (wait == Wait::no && code == EAGAIN) return nullptr;
    const auto kind = is_out_of_resources(code) ? IoErrorKind::limit : IoErrorKind::system;
    return std::unexpected(IoError{kind, IoOperation::accept, code, to_string(listening)});
  }
}

}  // namespace perigee::transport
