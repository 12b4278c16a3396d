// The part of an asynchronous call that goes over a connection for both directions.
#pragma once

#include "engine/connection/connection_ref.h"
#include "engine/connection/started_call.h"
#include "orb/connection/invocation_error.h"
#include <perigee/base/io_error.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>

namespace perigee::orb {

class AsyncInvocation;

/// One try of one call. Made, started and finished by the thread that drives the shard of the call;
/// the connection ends it on a thread of its own.
class DirectionCall final : public engine::StartedCall {
 public:
  using Opened = std::expected<std::unique_ptr<transport::Transport>, IoError>;

  explicit DirectionCall(AsyncInvocation& owner) noexcept : owner_(owner) {}

  /// Before the call is started over a connection.
  void begin() noexcept { phase_.store(Phase::starting); }
  /// After the start has succeeded. False: the call has ended already.
  [[nodiscard]] bool started() noexcept {
    Phase expected = Phase::starting;
    return phase_.compare_exchange_strong(expected, Phase::started);
  }
  void ended(engine::CallEnd& end) noexcept override;

  engine::ConnectionRef connection;
  Opened opened;             ///< by a thread of its own, if there was no connection yet
  bool in_progress = false;  ///< it connects, or was started and has not ended

  /// @name The end of the call
  /// @{
  engine::CallResult result;
  messaging::ContextStorage contexts;
  /// @}

 private:
  enum class Phase : std::uint8_t { starting, started, ended };

  AsyncInvocation& owner_;
  std::atomic<Phase> phase_{Phase::starting};
};

}  // namespace perigee::orb
