// Receives requests from the engine, and turns them into upcalls of the ORB's dispatcher.
#pragma once

#include "engine/connection/connection.h"
#include "engine/connection/request_handler.h"

#include <atomic>

namespace perigee::cdr {
class Environment;
}  // namespace perigee::cdr

namespace perigee::orb {

class OrbCore;
class UpcallRequest;

/// Any thread.
class RequestServing final : public engine::RequestHandler {
 public:
  explicit RequestServing(OrbCore& core) noexcept;

  void begin(engine::Connection& connection) noexcept override;
  void end(engine::Connection& connection) noexcept override;
  void handle(engine::IncomingRequest& request) noexcept override;
  void refuse(engine::IncomingRequest& request, engine::Refusal refusal) noexcept override;
  [[nodiscard]] bool locate(engine::Connection& connection,
                            const messaging::IncomingMessage& message,
                            engine::ThreadFrame& frame) noexcept override;
  [[nodiscard]] const void* hold_point(OctetSpan object_key) noexcept override;
  [[nodiscard]] bool cancels() const noexcept override;
  void note_exceeded(engine::Connection& connection,
                     const engine::ExceededLimit& exceeded) noexcept override;
  void count_malformed() noexcept override;
  void tell_full(engine::Connection& connection) noexcept override;

 private:
  void dispatch(UpcallRequest& upcall) noexcept;
  [[nodiscard]] static bool is_callback(const engine::Connection& connection) noexcept;
  void ask_for_key(engine::IncomingRequest& request) noexcept;
  [[nodiscard]] bool answer_locate(engine::Connection& connection,
                                   const messaging::IncomingMessage& message,
                                   engine::ThreadFrame& frame);

  OrbCore& core_;
  cdr::Environment& environment_;  // of the decoders of requests
  std::atomic<bool> has_told_full_{false};
};

}  // namespace perigee::orb
