// A thread in an upcall that waits tells the server so: others are to be served meanwhile.
#pragma once

#include "orb/context/server.h"
#include "orb/core/orb_core.h"

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
  /// The same to the core's server, if there is one.
  [[nodiscard]] bool begin(OrbCore& core) noexcept {
    return core.server() == nullptr || begin(*core.server());
  }
  void end() noexcept {
    if (Server* const server = std::exchange(server_, nullptr)) server->end_wait();
  }

 private:
  Server* server_ = nullptr;
};

}  // namespace perigee::orb
