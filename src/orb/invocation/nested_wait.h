// Tells the server that a thread waits in an upcall, so that other requests are served meanwhile.
#pragma once

#include "orb/context/orb_context.h"
#include "orb/context/server.h"
#include <perigee/orb/exceptions.h>

#include <utility>

namespace perigee::orb {

/// Between `begin` and `end`, the server knows that the thread waits in an upcall.
class NestedWait final {
 public:
  NestedWait() noexcept = default;
  ~NestedWait() { end(); }
  NestedWait(const NestedWait&) = delete;
  NestedWait& operator=(const NestedWait&) = delete;

  /// False if too many upcalls wait already, and no thread would serve meanwhile.
  [[nodiscard]] bool begin(Server& server) noexcept {
    if (server_ == nullptr && server.begin_wait()) server_ = &server;
    return server_ != nullptr;
  }
  /// The same for the context's server, if there is one.
  [[nodiscard]] bool begin(const OrbContext& context) noexcept {
    return context.server == nullptr || begin(*context.server);
  }
  void end() noexcept {
    if (Server* const server = std::exchange(server_, nullptr)) server->end_wait();
  }

 private:
  Server* server_ = nullptr;
};

[[noreturn]] inline void raise_nested_too_deep(CORBA::CompletionStatus completed) {
  throw CORBA::NO_RESOURCES(0, completed, "too many upcalls on this thread wait for replies");
}

}  // namespace perigee::orb
