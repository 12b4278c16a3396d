// Helpers of the reactor's tests: connected pairs of handles, and handlers made of functions.
#pragma once

#include <perigee/event/reactor.h>
#include <perigee/ipc/lsock.h>

#include <functional>
#include <utility>

namespace perigee::test {

/// Two connected local streams: octets sent to `near` make `far` readable, and the reverse.
struct HandlePair {
  ipc::lsock::Stream near;
  ipc::lsock::Stream far;
};

[[nodiscard]] inline HandlePair make_handle_pair() {
  auto acceptor = ipc::lsock::Acceptor::open(ipc::UnixAddr{}).value();
  auto near = ipc::lsock::Connector::connect(acceptor.local_address().value()).value();
  return {std::move(near), acceptor.accept().value()};
}

inline void send_octet(ipc::lsock::Stream& stream) {
  const std::byte octet{1};
  static_cast<void>(stream.send(OctetSpan(&octet, 1)));
}

/// Calls a function, and counts the calls.
class FunctionHandler final : public event::EventHandler {
 public:
  explicit FunctionHandler(std::function<void(event::Readiness)> function = {})
      : function_(std::move(function)) {}
  void handle_ready(event::Readiness readiness) noexcept override {
    ++calls;
    seen = readiness;
    if (function_) function_(readiness);
  }
  int calls = 0;
  event::Readiness seen = event::Readiness::none;

 private:
  std::function<void(event::Readiness)> function_;
};

}  // namespace perigee::test
