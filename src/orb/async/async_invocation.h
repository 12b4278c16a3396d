// One asynchronous call: the same steps as a synchronous one, between which nobody waits.
#pragma once

#include "engine/connection/outbound_calls.h"
#include "orb/async/call_list.h"
#include "orb/async/shard.h"
#include "orb/connection/invocation_error.h"
#include "orb/context/orb_metrics.h"
#include "orb/invocation/call_steps.h"
#include "orb/serving/cancellation.h"
#include <perigee/base/counted_ptr.h>
#include <perigee/base/deadline.h>
#include <perigee/base/pool.h>
#include <perigee/orb/async_stub.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace perigee::orb {

class AsyncConnection;
class DirectionCall;

/// How a call has ended, as CallOutcome shows it.
struct AsyncOutcome {
  const stub::Operation& operation;
  messaging::ReplyStatus status;
  cdr::Decoder& body;
  const InvocationError* error;  ///< null if there was a reply
};

/// What a call owns of what it asks.
struct OwnedRequest {
  /// The policies of now.
  OwnedRequest(counted_ptr<Reference> called, const stub::Operation& asked, stub::Arguments given);
  OwnedRequest(const OwnedRequest&) = delete;
  OwnedRequest& operator=(const OwnedRequest&) = delete;

  counted_ptr<Reference> reference;
  const stub::Operation& operation;
  std::optional<stub::Arguments> arguments;
  struct Encode {
    const std::optional<stub::Arguments>& arguments;
    void operator()(cdr::Encoder& encoder) const { arguments->encode(encoder); }
  } encode{arguments};
  InvocationRequest request;
};

/// Owned by its handles and, until its observer has been told, by itself: counted. Used by one
/// thread at a time: by who sends it until it needs a connection, then by who drives its shard; but
/// for the functions that say so.
class AsyncInvocation final : private OwnedRequest,
                              private CallSteps,
                              public CancellableCall,
                              public engine::OutboundCall {
 public:
  /// Does not begin yet.
  static AsyncInvocation& make(counted_ptr<Reference> called, const stub::Operation& operation,
                               stub::Arguments arguments, Shard& shard,
                               stub::CallObserver& observer);
  static void* operator new(std::size_t size) { return pool::allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    pool::release(memory, size);
  }
  AsyncInvocation(const AsyncInvocation&) = delete;
  AsyncInvocation& operator=(const AsyncInvocation&) = delete;

  /// Goes on until the network is needed. A collocated servant is called, and the observer told.
  void start() noexcept;

  /// @name Any thread
  /// @{
  void add_owner() noexcept override { owners_.fetch_add(1, std::memory_order_relaxed); }
  void remove_owner() noexcept override {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  [[nodiscard]] bool ended() const noexcept { return ended_.load(); }
  void cancel() noexcept override;
  /// See stub::CallHandle. One thread at a time.
  void limit_time(Deadline until) noexcept;
  [[nodiscard]] Shard& shard() const noexcept { return shard_; }
  /// @}

  /// @name For the shard and its connections
  /// @{
  [[nodiscard]] const Target& target() const noexcept { return *target_; }
  [[nodiscard]] bool wants_fresh() const noexcept { return freshness_ == Freshness::fresh; }
  [[nodiscard]] bool oneway() const noexcept {
    return request.response == messaging::ResponseFlags::none;
  }
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
  ~AsyncInvocation();

  void advance(State state) noexcept;
  struct CollocatedBuffers;
  [[nodiscard]] State step(State state, std::optional<CollocatedBuffers>& buffers);
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
  void begin_time_limits() noexcept;
  void limit_call_over_datagrams() noexcept;
  void inherit_time_limit(Deadline until) noexcept;
  void change_time_limit(Deadline until) noexcept;
  [[nodiscard]] std::chrono::microseconds time_left() const noexcept;
  [[nodiscard]] bool awaits_connection() const noexcept;
  [[nodiscard]] Deadline next_limit() const noexcept;
  void watch_time(Deadline end) noexcept;
  void forget_time() noexcept;
  [[nodiscard]] bool expired() const noexcept;

  Shard& shard_;
  stub::CallObserver& observer_;
  LatencyTimer timer_;
  std::atomic<std::uint32_t> owners_{2};  // the handle that `send` returns, and itself
  std::atomic<bool> ended_{false};
  bool finished_ = false;  // its outcome is known
  bool failed_ = false;
  Deadline own_deadline_;  // as the policies say
  Deadline own_send_deadline_;
  Deadline deadline_;  // the same, limited by the time for which the caller's own caller waits
  Deadline send_deadline_;
  TimePoint connecting_since_;
  Deadline connect_until_;
  Deadline inherited_;  // of the owner of the handle, by std::chrono::steady_clock
  bool time_watched_ = false;
  event::MemberTimer<AsyncInvocation, &AsyncInvocation::time_over> expiry_{*this};
  std::unique_ptr<DirectionCall> direction_;  // of the present try; the reply is in it
  std::shared_ptr<CollocatedWait> later_;     // shared with the collocated servant's answer
  std::shared_ptr<CollocatedWait> answer_;    // the same once it has the body, until that is read
};

}  // namespace perigee::orb
