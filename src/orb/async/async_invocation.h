// An asynchronous call of a shard: its outcome comes to the thread that drives the shard.
#pragma once

#include "engine/connection/outbound_calls.h"
#include "orb/async/async_request.h"
#include "orb/async/call_list.h"
#include "orb/async/shard.h"
#include <perigee/base/deadline.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace perigee::orb {

class AsyncConnection;
class DirectionCall;

/// Used by one thread at a time: the sending thread until the call needs a connection, then the
/// thread that drives the shard. Exceptions are marked "Any thread".
class AsyncInvocation final : public AsyncRequest, public engine::OutboundCall {
 public:
  /// Does not begin yet.
  static AsyncInvocation& make(counted_ptr<Reference> called, const stub::Operation& operation,
                               stub::Arguments arguments, Shard& shard,
                               stub::CallObserver& observer);

  void start() noexcept override;

  /// @name Any thread
  /// @{
  void cancel() noexcept override;
  void limit_time(Deadline until) noexcept override;
  [[nodiscard]] bool await() override;
  /// @}

  /// @name For the shard and its connections
  /// @{
  /// From now on it waits for a connection to its target, until `connect_until`.
  void begin_connecting();
  [[nodiscard]] Deadline connect_until() const noexcept { return connect_until_; }
  /// The whole request. False if it cannot be encoded: then `encode_failed`.
  [[nodiscard]] bool encode(const messaging::Session& session, cdr::Buffer& buffer,
                            std::uint32_t request_id, bool announce);
  void encode_failed() noexcept;
  /// It was tried until then, by whoever wanted it first.
  void connect_failed(const IoError& error, Deadline tried_until) noexcept;
  /// No connection takes it.
  void refused(FailureCause cause) noexcept;
  void request_failed(const TransactResult& result, InvocationError described,
                      bool reused) noexcept;
  void oneway_sent() noexcept;
  /// The body is valid until this returns; the observer may be told.
  void answered(messaging::ReplyStatus status, const cdr::Decoder& body) noexcept;
  void time_over() noexcept;
  /// By the connection for both directions that has ended the call. Any thread.
  void direction_ended_later() noexcept;
  /// The ORB's shutdown is complete; of a call that waits for a collocated servant.
  void shut_down() noexcept { leave(FailureCause::shut_down); }
  /// Tells the observer. The call may be gone afterwards.
  void end() noexcept;

  CallLink<AsyncInvocation> link;            ///< in one of the lists of the shard
  AsyncConnection* connection = nullptr;     ///< where it waits to be sent, or for the reply
  AsyncInvocation* next_in_queue = nullptr;  ///< of what was posted to the shard
  Shard::Step posted_step = nullptr;
  std::size_t waiting_size = 0;  ///< of the request, if it was measured while it waits
  std::uint64_t position = 0;    ///< in the outgoing queue of the connection
  TimePoint sent_at;             ///< if the peer has not answered anything before
                                 /// @}

 private:
  using State = CallSteps::State;

  AsyncInvocation(counted_ptr<Reference> called, const stub::Operation& asked,
                  stub::Arguments given, Shard& shard, stub::CallObserver& observer);
  ~AsyncInvocation() override;

  void advance(State state) noexcept;
  void await_servant();
  void await_on_shard();
  void servant_answered() noexcept;
  void take_answer() noexcept;
  void need_connection();
  // Over a connection for both directions: async_both_directions.cpp.
  class Kept;
  [[nodiscard]] bool begin_both_directions();
  void open_direction();
  void direction_opened() noexcept;
  void use_opened_direction();
  void start_direction();
  void leave_direction() noexcept;
  void direction_ended() noexcept;
  void take_direction_end() noexcept;
  void fail_direction() noexcept;
  void abandon_direction(FailureCause cause) noexcept;
  void fail_later(InvocationStage stage, FailureCause cause) noexcept;
  void finish_later() noexcept;
  void tell_later() noexcept { shard_.finish_later(*this); }
  void leave(FailureCause cause) noexcept;
  void change_time_limit(Deadline until) noexcept;
  [[nodiscard]] bool awaits_connection() const noexcept;
  [[nodiscard]] Deadline next_limit() const noexcept;
  void watch_time(Deadline end) noexcept;
  void forget_time() noexcept;

  Shard& shard_;
  bool finished_ = false;  // its outcome is known
  bool failed_ = false;
  TimePoint connecting_since_;
  Deadline connect_until_;
  bool time_watched_ = false;
  event::MemberTimer<AsyncInvocation, &AsyncInvocation::time_over> expiry_{*this};
  std::unique_ptr<DirectionCall> direction_;  // of the present try; the reply is in it
  std::shared_ptr<CollocatedWait> later_;     // shared with the collocated servant's answer
  std::shared_ptr<CollocatedWait> answer_;    // the same once it has the body, until that is read
};

}  // namespace perigee::orb
