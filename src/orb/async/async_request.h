// The base class of asynchronous calls: the request, its time limits, its owners and its observer.
#pragma once

#include "orb/connection/call_buffers.h"
#include "orb/connection/invocation_error.h"
#include "orb/context/orb_metrics.h"
#include "orb/invocation/call_steps.h"
#include "orb/serving/cancellation.h"
#include <perigee/base/counted_ptr.h>
#include <perigee/base/deadline.h>
#include <perigee/base/function_ref.h>
#include <perigee/base/pool.h>
#include <perigee/orb/async_stub.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace perigee::orb {

/// How a call ended: the data behind stub::CallOutcome.
struct AsyncOutcome {
  const stub::Operation& operation;
  messaging::ReplyStatus status;
  cdr::Decoder& body;
  const InvocationError* error;       ///< null if there was a reply
  std::string_view server_text = {};  ///< the server's text about its system exception
};

/// The request of a call. It owns its reference and its arguments.
struct OwnedRequest {
  /// Applies the policies that are set now.
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
  std::unique_ptr<CallInterception> interception;  // null: the call has no interceptors
};

/// Counted: owned by its CallHandle, by itself until it is over, and by a Cancellation, an armed
/// timer or a list that refers to it. Functions not marked "Any thread" are called only by the
/// thread that works on the call, or under the lock of the derived class.
class AsyncRequest : protected OwnedRequest, protected CallSteps, public CancellableCall {
 public:
  static void* operator new(std::size_t size) { return pool::allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    pool::release(memory, size);
  }
  AsyncRequest(const AsyncRequest&) = delete;
  AsyncRequest& operator=(const AsyncRequest&) = delete;

  /// Runs the call until it has to wait for a connection or a reply. A collocated servant is called
  /// on this thread; unless it defers its reply, the observer is called here too.
  virtual void start() noexcept = 0;

  /// @name Any thread
  /// @{
  void add_owner() noexcept override { owners_.fetch_add(1, std::memory_order_relaxed); }
  void remove_owner() noexcept override {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// Whether the observer has been told, and has returned.
  [[nodiscard]] bool is_over() const noexcept { return over_.load(); }
  /// See stub::CallHandle. One thread at a time.
  virtual void limit_time(Deadline until) noexcept = 0;
  /// Blocks until the call is over. False: too many upcalls of this thread wait already.
  [[nodiscard]] virtual bool await() = 0;
  /// See stub::CallHandle. `drive` returns false if too many upcalls of this thread wait already.
  [[nodiscard]] virtual bool drive(function_ref<bool()> done, std::uint32_t timeout) = 0;
  virtual void wake_at_end() noexcept = 0;
  void wake_drivers() noexcept;
  /// @}

  [[nodiscard]] const Target& target() const noexcept { return *target_; }
  [[nodiscard]] bool wants_fresh() const noexcept { return freshness_ == Freshness::fresh; }
  [[nodiscard]] bool oneway() const noexcept {
    return request.response == messaging::ResponseFlags::none;
  }

 protected:
  using State = CallSteps::State;

  AsyncRequest(counted_ptr<Reference> called, const stub::Operation& asked, stub::Arguments given,
               stub::CallObserver& observer);
  virtual ~AsyncRequest();

  /// The buffers of a collocated call. They belong to the thread that works on the call.
  struct CollocatedBuffers;
  /// `later`: see `begin_collocated`.
  [[nodiscard]] State step(State state, std::optional<CollocatedBuffers>& buffers,
                           std::shared_ptr<CollocatedWait>& later);
  /// Tells the observer, once. If `failed`, the observer gets the error in `failure()`. The caller
  /// calls `set_over` afterwards.
  void tell_observer(bool failed) noexcept;
  void set_over() noexcept { over_.store(true); }

  void begin_time_limits() noexcept;
  void inherit_time_limit(Deadline until) noexcept;
  /// If a two-way call over datagrams has no limit by policy, limits it to `datagram_call_timeout`,
  /// since lost datagrams are not sent again.
  void limit_call_over_datagrams() noexcept;
  /// Whether the time for sending the request has passed.
  [[nodiscard]] bool expired() const noexcept;
  [[nodiscard]] Deadline deadline() const noexcept {
    return deadline_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] Deadline send_deadline() const noexcept {
    return send_deadline_.load(std::memory_order_relaxed);
  }
  /// The deadline of a connect that begins at `now`; never: no limit.
  [[nodiscard]] Deadline connect_limit(TimePoint now) noexcept;

  /// From InheritedTimeLimit or CallHandle::limit_time; on the steady clock, not the ORB's.
  Deadline inherited_;

 private:
  stub::CallObserver& observer_;
  LatencyTimer timer_;
  std::atomic<std::uint32_t> owners_{2};  // the handle that `send` returns, and the call
  std::atomic<bool> over_{false};
  Deadline own_deadline_;  // from the policies, or datagram_call_timeout
  Deadline own_send_deadline_;
  // The effective deadlines: the two above, but not later than `inherited_`.
  std::atomic<Deadline> deadline_{};
  std::atomic<Deadline> send_deadline_{};
};

struct AsyncRequest::CollocatedBuffers {
  CallBuffer request;
  CallBuffer reply;
};

/// A copy of an error. Without memory for its endpoint, the endpoint is empty.
[[nodiscard]] IoError copy_of(const IoError& error) noexcept;

}  // namespace perigee::orb
