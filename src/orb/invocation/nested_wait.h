// A thread in an upcall that waits tells the server so: others are to be served meanwhile.
#pragma once

#include "orb/context/orb_context.h"
#include "orb/context/server.h"
#include <perigee/orb/exceptions.h>

#include <utility>

namespace perigee::orb {

/// Says to the server, for as long as it is engaged, that the thread waits in an upcall.
class NestedWait final {
 public:
  NestedWait() noexcept = default;
  ~NestedWait() { end(); }
  NestedWait(const NestedWait&) = delete;
  NestedWait& operator=(const NestedWait&) = delete;

  /// False if the server does not want it.
  [[nodiscard]] bool begin(Server& server) noexcept {
    if (server_ == nullptr && server.begin_wait()) server_ = &server;
    return server_ != nullptr;
  }
  /// The same to the context's server, if there is one.
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
