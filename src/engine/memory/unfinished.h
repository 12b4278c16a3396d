// Watches the messages of an ORB that have arrived or left only in part: how much memory they take,
// and how fast they continue. Closes connections that take too much memory or are too slow: it
// "evicts" them.
#pragma once

#include "engine/memory/budget.h"
#include "engine/memory/pace.h"
#include <perigee/base/clock.h>
#include <perigee/base/export.h>
#include <perigee/messaging/storage.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace perigee::engine {

class UnfinishedMessages;

/// Why a connection is evicted, that is closed by the registry of unfinished messages.
enum class Eviction : std::uint8_t {
  slow,    ///< its message arrives too slowly
  memory,  ///< memory is short, and its message would be complete last of all
  unread,  ///< memory is short, and its peer would take longest to read the waiting output
};

/// How many octets of one connection wait for the peer to take them.
struct WaitingOutput {
  std::uint64_t queued = 0;   ///< octets that wait now
  std::uint64_t drained = 0;  ///< octets that have left the queue since the connection was opened
};

/// The connection, as the registry of unfinished messages sees it. Called by any thread, with the
/// registry's lock: the functions must not wait, and must not call the registry.
class UnfinishedOwner {
 public:
  /// Whether octets have come that this side has not read: then this side, not the peer, is slow.
  /// True for a connection that has ended.
  [[nodiscard]] virtual bool has_unread_input() const noexcept = 0;
  [[nodiscard]] virtual WaitingOutput waiting_output() const noexcept = 0;
  /// Closes the connection. Sends MessageError first if the input is the reason.
  virtual void evict(Eviction reason) noexcept = 0;
  /// Lets a paused connection read on.
  virtual void resume_input() noexcept = 0;

 protected:
  ~UnfinishedOwner() = default;
};

/// The octets that one connection has received of incomplete messages.
///
/// The reading thread reports how these octets grow. While nothing is unfinished, it only tests a
/// member. The thread that calls `UnfinishedMessages::watch` compares their pace with the clock, so
/// the reading thread reads no clock.
class PERIGEE_API UnfinishedInput {
 public:
  /// `registry` may be null: then no message is limited. The registry and the owner must outlive
  /// this object.
  UnfinishedInput(UnfinishedMessages* registry, UnfinishedOwner& owner) noexcept;
  ~UnfinishedInput();
  UnfinishedInput(const UnfinishedInput&) = delete;
  UnfinishedInput& operator=(const UnfinishedInput&) = delete;

  /// @name By the reading thread.
  /// @{
  [[nodiscard]] bool under_way() const noexcept { return under_way_; }
  /// Reports how much has arrived. False: the budget has no room; the connection is paused, and
  /// must read nothing until `resume_input` is called or `await_room` returns.
  [[nodiscard]] bool grow(const messaging::Unfinished& unfinished) noexcept;
  /// The same for a connection that cannot pause.
  void grow_anyway(const messaging::Unfinished& unfinished) noexcept;
  /// Blocks while the connection is paused, for `limit` at most.
  void await_room(std::chrono::milliseconds limit) noexcept;
  /// Reports that no message is unfinished any longer.
  void end() noexcept;
  /// @}

  /// Whether some message is unfinished. Any thread.
  [[nodiscard]] bool is_under_way() const noexcept { return order_.load() != 0; }
  /// From now on the registry does not call the owner. Must be called before the owner's destructor
  /// ends, and not from within a call of the registry.
  void leave() noexcept;

  /// Whether the registry has closed the connection: it must not be read any more.
  [[nodiscard]] bool is_evicted() const noexcept {
    return evicted_.load(std::memory_order_relaxed);
  }

 private:
  friend class UnfinishedMessages;

  void begin() noexcept;
  void note(const messaging::Unfinished& unfinished) noexcept;

  UnfinishedMessages* registry_;  // null after `leave`
  UnfinishedOwner& owner_;

  // Used by the reading thread only.
  bool under_way_ = false;
  bool refused_ = false;       // the registry has paused the connection
  std::uint64_t partial_ = 0;  // octets of the messages that are unfinished now
  // Octets of messages that have become complete while others were unfinished.
  std::uint64_t completed_ = 0;
  Charge charge_;

  // Written by the reading thread, read by the registry.
  std::atomic<std::uint64_t> order_{0};  // 0: nothing is unfinished; else larger for later messages
  std::atomic<std::uint64_t> octets_{0};  // the sum of `partial_` and `completed_`
  std::atomic<std::uint64_t> left_{0};    // octets that are still to come, as far as is known
  std::atomic<std::uint64_t> charged_{0};
  std::atomic<bool> evicted_{false};

  // Used by the registry only, under its lock.
  UnfinishedInput* previous_ = nullptr;
  UnfinishedInput* next_ = nullptr;
  std::uint64_t seen_ = 0;  // the order that pace_ belongs to
  Pace pace_;
  bool paused_ = false;
  std::uint64_t wanted_ = 0;   // octets of budget that a paused connection waits for
  std::uint64_t drained_ = 0;  // octets of output that the peer had taken at the last comparison
  TimePoint paused_since_;
};

/// The registry of one ORB. Any thread.
class PERIGEE_API UnfinishedMessages {
 public:
  struct Limits {
    PaceLimits pace;
    std::uint64_t message_size_max = 64u << 20;
    /// How long memory may be short before a connection is evicted.
    Duration pause_max = std::chrono::seconds(1);
  };
  /// The time between two calls of `watch`: `paused_period` while memory is short, `period`
  /// otherwise.
  static constexpr std::chrono::milliseconds period{500};
  static constexpr std::chrono::milliseconds paused_period{20};

  /// `wake` is called when there is something to watch: it arranges that `watch` is called soon. If
  /// `wake` cannot do this now, it returns false, and is called again for the next message. `wake`
  /// must not call the registry.
  UnfinishedMessages(const Clock& clock, std::shared_ptr<MemoryBudget> budget, const Limits& limits,
                     std::function<bool()> wake)
      : clock_(clock), budget_(std::move(budget)), limits_(limits), wake_(std::move(wake)) {}

  /// `reclaim` is called on any thread when the budget is used up: it frees memory that is only
  /// kept for later, and returns whether there was some. Call `set_reclaim` before any message is
  /// received.
  void set_reclaim(std::function<bool()> reclaim) { reclaim_ = std::move(reclaim); }

  /// Ends connections that are too slow or take too much, and lets paused ones read on. Returns the
  /// time of the next call; TimePoint::max(): no call is needed before `wake`.
  [[nodiscard]] TimePoint watch(TimePoint now) noexcept;

  [[nodiscard]] MemoryBudget& budget() const noexcept { return *budget_; }
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }
  /// Called after octets were queued for a peer. If all queued octets together exceed the budget,
  /// the registry ends connections, one after the other.
  void note_unsent() noexcept {
    if (budget_->is_full_for(Use::unsent, 0)) [[unlikely]]
      begin_watching_output();
  }
  /// Counts a connection that was closed because its peer takes output too slowly.
  void count_eviction() noexcept { evictions_.fetch_add(1, std::memory_order_relaxed); }
  /// How many connections have been evicted.
  [[nodiscard]] std::uint64_t evictions() const noexcept { return evictions_.load(); }

 private:
  friend class UnfinishedInput;

  [[nodiscard]] bool reclaim() const noexcept { return reclaim_ && reclaim_(); }
  void add(UnfinishedInput& input) noexcept;
  void remove(UnfinishedInput& input) noexcept;
  [[nodiscard]] std::uint64_t next_order() noexcept { return ++orders_; }
  void wake(std::atomic<bool>& watched) noexcept;
  void begin_watching() noexcept;
  void begin_watching_output() noexcept;
  [[nodiscard]] bool watch_output(TimePoint now) noexcept;
  [[nodiscard]] UnfinishedInput* last_to_drain(Duration elapsed) noexcept;
  [[nodiscard]] bool pause_unless_exempt(UnfinishedInput& input, std::uint64_t wanted) noexcept;
  [[nodiscard]] const UnfinishedInput* exempt() const noexcept;
  [[nodiscard]] bool may_be_exempt(const UnfinishedInput& input,
                                   std::uint64_t oldest) const noexcept;
  void await_resumed(UnfinishedInput& input, std::chrono::milliseconds limit) noexcept;

  [[nodiscard]] std::uint64_t oldest_order() const noexcept;
  void watch_one(UnfinishedInput& input, TimePoint now) noexcept;
  void make_room(TimePoint now) noexcept;
  [[nodiscard]] UnfinishedInput* last_to_complete(TimePoint now) const noexcept;
  void end_pause(UnfinishedInput& input) noexcept;
  void resume(UnfinishedInput& input, TimePoint now) noexcept;
  void evict(UnfinishedInput& input, Eviction reason) noexcept;

  const Clock& clock_;
  const std::shared_ptr<MemoryBudget> budget_;
  const Limits limits_;
  const std::function<bool()> wake_;
  std::function<bool()> reclaim_;
  std::atomic<std::uint64_t> orders_{0};
  std::atomic<std::uint64_t> evictions_{0};
  std::atomic<bool> watching_{false};
  std::atomic<bool> output_watched_{false};  // memory for output is short, or was when `watch` ran

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable resumed_;
  UnfinishedInput* first_ = nullptr;
  // The budget does not limit this input while its order is `exempt_order_`.
  UnfinishedInput* exempt_ = nullptr;
  std::uint64_t exempt_order_ = 0;
  std::size_t paused_count_ = 0;
  bool is_full_ = false;  // a connection was paused when `watch` ran last, or has been since
  TimePoint full_since_;
  std::optional<TimePoint> output_full_since_;
};

}  // namespace perigee::engine
