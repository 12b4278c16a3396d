// The owner of connections that carry replies only.
#pragma once

#include "engine/connection/home.h"
#include "engine/connection/request_handler.h"

namespace perigee::engine {

/// A base for owners of connections that this side has opened, and that are offered to no peer for
/// requests. The connections refuse requests, and loops read them. An owner that has to know when a
/// connection has ended overrides RequestHandler::end.
class RepliesOnly : public HomeOwner, public RequestHandler {
 public:
  void connection_ended(Place /*place*/) noexcept override {}
  [[nodiscard]] bool dedicate(Connection& /*connection*/) noexcept override { return false; }
  void begin(Connection& /*connection*/) noexcept override {}
  void handle(IncomingRequest& /*request*/) noexcept override {}
  void refuse(IncomingRequest& /*request*/, Refusal /*refusal*/) noexcept override {}
  [[nodiscard]] bool locate(Connection& /*connection*/,
                            const messaging::IncomingMessage& /*message*/,
                            ThreadFrame& /*frame*/) noexcept override {
    return false;
  }
  [[nodiscard]] const void* hold_point(OctetSpan /*object_key*/) noexcept override {
    return nullptr;
  }
  void tell_full(Connection& /*connection*/) noexcept override {}
  [[nodiscard]] bool cancels() const noexcept override { return false; }
  void count_malformed() noexcept override {}

 protected:
  ~RepliesOnly() = default;
};

}  // namespace perigee::engine
