// The cancellation of a deferred request whose client no longer wants the reply.
#pragma once

#include <perigee/base/export.h>

#include <atomic>
#include <mutex>
#include <stop_token>
#include <utility>

namespace perigee::orb {

/// A call that can be cancelled by a thread that does not own it. Any thread.
class CancellableCall {
 public:
  virtual void add_owner() noexcept = 0;
  virtual void remove_owner() noexcept = 0;
  virtual void cancel() noexcept = 0;

 protected:
  ~CancellableCall() = default;
};

/// The stop tokens and the call to notify when the client no longer wants the reply. The notified
/// code belongs to the application, so the notifying thread must hold no lock. If a notice is
/// dropped, nothing is notified.
class CancellationNotice {
 public:
  CancellationNotice() noexcept = default;
  CancellationNotice(std::stop_source source, CancellableCall* call) noexcept
      : source_(std::move(source)), call_(call) {}
  CancellationNotice(CancellationNotice&& other) noexcept
      : source_(std::exchange(other.source_, std::stop_source(std::nostopstate))),
        call_(std::exchange(other.call_, nullptr)) {}
  CancellationNotice& operator=(CancellationNotice&& other) noexcept {
    std::swap(source_, other.source_);
    std::swap(call_, other.call_);
    return *this;
  }
  PERIGEE_INTERNAL_API ~CancellationNotice();

  /// Whether there is a token or a call to notify.
  [[nodiscard]] bool stop_possible() const noexcept {
    return call_ != nullptr || source_.stop_possible();
  }
  PERIGEE_INTERNAL_API void request_stop() noexcept;

 private:
  std::stop_source source_{std::nostopstate};
  CancellableCall* call_ = nullptr;  // counted
};

/// Any thread. The state of stop tokens is made when the first token is asked for. When the request
/// has ended, a later request reuses this state, unless it was shared or the request was cancelled.
class Cancellation {
 public:
  Cancellation() noexcept = default;
  PERIGEE_INTERNAL_API ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  [[nodiscard]] PERIGEE_INTERNAL_API std::stop_token token();
  /// Copies of the token may be in use after the request's end.
  void share() noexcept { shared_.store(true, std::memory_order_relaxed); }
  /// From now on `call` is cancelled with the request, without allocating memory. False if the
  /// request is cancelled already. `before` gets the call that was registered before, so that the
  /// caller can release that call without a lock. If the result is false, `before` gets `call`.
  [[nodiscard]] bool cancels(CancellableCall& call, CancellationNotice& before) noexcept;
  /// Marks the request as cancelled. Returns the notice, to be sent without a lock.
  [[nodiscard]] PERIGEE_INTERNAL_API CancellationNotice cancel() noexcept;
  [[nodiscard]] bool requested() const noexcept { return call_.load() == cancelled(); }

 private:
  /// The mark that replaces the call once the request is cancelled.
  [[nodiscard]] PERIGEE_INTERNAL_API CancellableCall* cancelled() const noexcept;

  std::atomic<CancellableCall*> call_{nullptr};  // counted
  std::atomic<bool> shared_{false};
  std::mutex mutex_;  // guards the members below
  std::stop_source source_{std::nostopstate};
};

}  // namespace perigee::orb
