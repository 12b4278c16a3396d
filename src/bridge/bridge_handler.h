// Receives the requests of clients from the engine, and decides which of them pass.
#pragma once

#include "bridge/context.h"
#include "bridge/forwarder.h"
#include "engine/connection/connection.h"
#include "engine/connection/request_handler.h"
#include "engine/loops/loop.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace perigee::bridge {

/// Any thread.
class BridgeHandler final : public engine::RequestHandler {
 public:
  explicit BridgeHandler(const BridgeContext& context) noexcept : context_(context) {}
  ~BridgeHandler() { forget_loops(); }
  BridgeHandler(const BridgeHandler&) = delete;
  BridgeHandler& operator=(const BridgeHandler&) = delete;

  /// Ends all calls and the connections to targets. Called when no thread runs a loop.
  void stop() noexcept;
  /// Called after `stop` and after the last tasks of the loops, while the loops still exist.
  void forget_loops() noexcept;

  void begin(engine::Connection& /*connection*/) noexcept override {}
  void handle(engine::IncomingRequest& request) noexcept override;
  void refuse(engine::IncomingRequest& request, engine::Refusal refusal) noexcept override;
  [[nodiscard]] bool locate(engine::Connection& connection,
                            const messaging::IncomingMessage& message,
                            engine::ThreadFrame& frame) noexcept override;
  [[nodiscard]] const void* hold_point(OctetSpan /*object_key*/) noexcept override {
    return nullptr;
  }
  void tell_full(engine::Connection& /*connection*/) noexcept override {}
  [[nodiscard]] bool cancels() const noexcept override { return context_.gives_up.load(); }
  void note_exceeded(engine::Connection& connection,
                     const engine::ExceededLimit& exceeded) noexcept override;
  void count_malformed() noexcept override {}

 private:
  struct OfLoop;

  [[nodiscard]] Forwarder& forwarder_of(engine::Loop& loop);
  [[nodiscard]] OfLoop* find(const engine::Loop& loop) const noexcept;
  void try_handle(engine::IncomingRequest& request);
  [[nodiscard]] bool try_locate(engine::Connection& connection,
                                const messaging::IncomingMessage& message,
                                engine::ThreadFrame& frame);

  const BridgeContext& context_;
  std::atomic<OfLoop*> first_{nullptr};  // an owned list; new entries come first, under `mutex_`
  std::mutex mutex_;
};

}  // namespace perigee::bridge
