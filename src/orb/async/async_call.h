// An asynchronous call.
#pragma once

#include "engine/connection/connection_ref.h"
#include "engine/connection/started_call.h"
#include "orb/async/async_request.h"
#include "orb/async/loop_calls.h"
#include <perigee/base/deadline.h>
#include <perigee/base/short_lock.h>
#include <perigee/event/task.h>
#include <perigee/event/timer.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace perigee::orb {

/// One thread at a time works on the call: the thread that starts it, the thread that reads its
/// reply, or a thread of its loop that runs a posted step. While no thread works on the call, its
/// place says what it waits for. Exactly one thread can take the call from its place.
///
/// The observer is told on a thread of the loop, or on the thread that reads the reply. A thread
/// that cancels a call does not tell the observer: it posts a task to the loop, and this task tells
/// the observer. A thread that starts a call does the same, unless a collocated servant has
/// answered at once.
class AsyncCall final : public AsyncRequest, public engine::StartedCall, public LoopCall {
 public:
  /// The new call has two owners: the caller, and the call itself. `start` begins it.
  static AsyncCall& make(counted_ptr<Reference> called, const stub::Operation& operation,
                         stub::Arguments arguments, LoopCalls& calls, stub::CallObserver& observer);

  void start() noexcept override;

  /// @name Any thread
  /// @{
  void cancel() noexcept override { leave(FailureCause::cancelled); }
  void limit_time(Deadline until) noexcept override;
  [[nodiscard]] bool await() override;
  [[nodiscard]] bool drive(function_ref<bool()> done, std::uint32_t timeout) override;
  void wake_at_end() noexcept override { awaited_.store(true); }
  void shut_down() noexcept override { leave(FailureCause::shut_down); }
  /// @}

  /// @name For LoopCalls
  /// @{
  [[nodiscard]] LineKey line_key() const noexcept override {
    return {target_->endpoint.get(), waits_for_both_};
  }
  [[nodiscard]] std::shared_ptr<ClientEndpoint> endpoint() const noexcept override {
    return target_->endpoint;
  }
  [[nodiscard]] bool needs_fresh() const noexcept override { return wants_fresh(); }
  [[nodiscard]] std::size_t request_size() override;
  void begin_connecting() noexcept override;
  [[nodiscard]] Deadline connect_until() const noexcept override { return connect_until_.load(); }
  [[nodiscard]] Deadline longest_connect() noexcept override {
    return connect_limit(context_.clock.now());
  }
  void keep() noexcept override { add_owner(); }
  void release() noexcept override { remove_owner(); }
  void connected(const engine::ConnectionRef& connection) noexcept override;
  void connect_failed(const IoError& error, Deadline tried_until) noexcept override;
  void refused(FailureCause cause) noexcept override;
  /// @}

  void ended(engine::CallEnd& end) noexcept override;

 private:
  /// The place of the call: what it waits for. Another thread can take it from `connecting`,
  /// `in_flight` and `servant`.
  enum class Place : std::uint8_t { worked_on, connecting, starting, in_flight, servant, over };
  using State = CallSteps::State;
  using Step = void (AsyncCall::*)() noexcept;

  AsyncCall(counted_ptr<Reference> called, const stub::Operation& asked, stub::Arguments given,
            LoopCalls& calls, stub::CallObserver& observer);
  ~AsyncCall() override;

  void advance(State state) noexcept;
  void call_collocated() noexcept;
  void need_connection();
  /// Uses a connection for both directions, if there is one. False: the call needs another
  /// connection.
  [[nodiscard]] bool use_both_directions();
  void choose_connection() noexcept;
  void await_connection() noexcept;
  void start_over(engine::ConnectionRef connection) noexcept;
  void start_with(engine::ConnectionRef connection, cdr::Buffer& buffer) noexcept;
  void start_refused(engine::StartStatus status, const engine::Connection& connection) noexcept;
  void after_start(std::uint32_t turn, Deadline end) noexcept;
  [[nodiscard]] bool may_tell_here() const noexcept;
  void keep_reply(messaging::IncomingMessage& message);
  void take_kept_reply() noexcept;
  void answered(const messaging::Parsed<messaging::ReplyHeader>& reply) noexcept;
  void take_server_text(std::span<const iop::ServiceContext> contexts) noexcept;
  void fail_request() noexcept;
  [[nodiscard]] InvocationError describe() noexcept;

  void await_servant(const std::shared_ptr<CollocatedWait>& later) noexcept;
  void servant_answered() noexcept;
  void take_answer() noexcept;

  /// Called by the thread that has taken the call from its place.
  void take() noexcept { place_.store(Place::worked_on); }
  void leave(FailureCause cause) noexcept;
  void fail_now(InvocationStage stage, FailureCause cause, bool request_accepted) noexcept;
  void post(Step next_step) noexcept;
  void run_posted() noexcept;
  [[nodiscard]] FailureCause leaving() noexcept;
  [[nodiscard]] bool end_interception() noexcept;
  void end() noexcept;
  void connect_timed_out() noexcept;

  [[nodiscard]] Deadline limit_of_place() const noexcept;
  void watch_time() noexcept;
  void forget_time() noexcept;
  void time_over() noexcept;

  LoopCalls& calls_;
  bool failed_ = false;
  bool waits_for_both_ = false;  // for a connection in both directions
  bool from_line_ = false;       // the working thread is handing a connection to waiting calls
  TimePoint connecting_since_;
  std::atomic<Deadline> connect_until_{};
  std::atomic<bool> awaited_{false};  // a thread waits for the end
  // The result of a failed try, or the reply that another loop received.
  engine::CallResult result_;
  // The error of a failed try.
  messaging::FramingError framing_ = messaging::FramingError::bad_magic;
  std::shared_ptr<CollocatedWait> answer_;  // the servant's, until the observer has read it
  Step step_ = nullptr;                     // the step that the task runs
  event::MemberTask<AsyncCall, &AsyncCall::run_posted> task_{*this};

  // Changes under `lock_`, except for changes to `connecting` and back to `worked_on`.
  std::atomic<Place> place_{Place::worked_on};

  // Guards the members below, and the time limits while another thread may take the call.
  ShortLock lock_;
  FailureCause leaving_ = FailureCause::none;  // why the call ends as soon as it can be taken
  std::uint32_t turn_ = 0;                     // counts the starts
  engine::ConnectionRef connection_;           // of the last start
  std::shared_ptr<CollocatedWait> later_;      // in place `servant`: receives the servant's answer
  bool time_watched_ = false;                  // the timer is armed, or is firing now
  event::MemberTimer<AsyncCall, &AsyncCall::time_over> expiry_{*this};
};

}  // namespace perigee::orb
