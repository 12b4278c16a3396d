// The calls of a connection that have not ended: requests that wait to be sent, and requests that
// wait for replies.
#pragma once

#include <perigee/base/function_ref.h>
#include <perigee/base/short_lock.h>
#include <perigee/messaging/protocol.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace perigee::engine {

/// One call. A member, or a base, of the object that the calling side owns.
///
/// While the call is listed, the lock of its OutboundCalls guards it. A thread that takes the call
/// out is the only thread that may end it.
class OutboundCall {
 public:
  enum class State : std::uint8_t {
    ended,      ///< in no list: before the first insertion, and at the end
    unsent,     ///< the request is not encoded yet
    departing,  ///< the request is being sent
    awaiting,   ///< a reply is expected
    leading,    ///< the calling thread reads the connection itself; in no list
  };

  OutboundCall() noexcept = default;
  OutboundCall(const OutboundCall&) = delete;
  OutboundCall& operator=(const OutboundCall&) = delete;

  /// Only for the thread that has ended the call or will insert it, unless one thread uses all
  /// calls.
  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] bool is_listed() const noexcept {
    return state_ != State::ended && state_ != State::leading;
  }
  /// The request has been given to the connection, at least in part.
  [[nodiscard]] bool has_departed() const noexcept {
    return state_ == State::departing || state_ == State::awaiting;
  }

  std::uint32_t id = 0;       ///< of the request; fixed while the call is in the table
  bool expects_reply = true;  ///< fixed while the call is listed; false: never in the table

 protected:
  ~OutboundCall() = default;

 private:
  friend class OutboundCalls;
  friend class OutboundCallList;
  State state_ = State::ended;
  OutboundCall* previous_;  // these are set when the call is listed
  OutboundCall* next_;
  OutboundCall* next_in_bucket_;
};

/// Calls in the order of insertion.
class OutboundCallList {
 public:
  [[nodiscard]] OutboundCall* first() const noexcept { return first_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] static OutboundCall* after(const OutboundCall& call) noexcept { return call.next_; }
  void push_back(OutboundCall& call) noexcept {
    call.previous_ = std::exchange(last_, &call);
    call.next_ = nullptr;
    (call.previous_ != nullptr ? call.previous_->next_ : first_) = &call;
    ++size_;
  }
  void erase(OutboundCall& call) noexcept {
    (call.previous_ != nullptr ? call.previous_->next_ : first_) = call.next_;
    (call.next_ != nullptr ? call.next_->previous_ : last_) = call.previous_;
    --size_;
  }

 private:
  OutboundCall* first_ = nullptr;
  OutboundCall* last_ = nullptr;
  std::size_t size_ = 0;
};

/// Any thread. Nothing throws. The lock is held for a few instructions only.
///
/// The table takes memory when it grows, never for a single call. Without memory it does not grow:
/// then a look-up takes more steps.
class OutboundCalls final {
 public:
  using State = OutboundCall::State;
  enum class Status : std::uint8_t {
    ok,
    full,    ///< as many calls as allowed are listed
    closed,  ///< the connection has ended
  };

  /// `calls_max`: how many calls may be listed.
  OutboundCalls(messaging::Role role, std::uint32_t calls_max, std::uint64_t first = 0) noexcept
      : parity_(role == messaging::Role::opener ? 0 : 1), calls_max_(calls_max), ids_(first) {}
  OutboundCalls(const OutboundCalls&) = delete;
  OutboundCalls& operator=(const OutboundCalls&) = delete;

  /// The opener's ids are even, the acceptor's are odd (interop fact 16 of docs/interop.md). Ids of
  /// listed calls are skipped.
  [[nodiscard]] std::uint32_t next_id() noexcept {
    const std::uint64_t number = ids_.fetch_add(1, std::memory_order_relaxed);
    if (number >= ids_max) [[unlikely]]
      return next_free_id(number);
    return id_of(number);
  }
  /// The id that `next_id` will return, unless a listed call has it.
  [[nodiscard]] std::uint32_t following_id() const noexcept { return id_of(ids()); }
  /// How many ids were given out.
  [[nodiscard]] std::uint64_t ids() const noexcept { return ids_.load(std::memory_order_relaxed); }

  /// Lists a call whose request will be sent later: ended → unsent.
  [[nodiscard]] Status submit(OutboundCall& call) noexcept;
  /// Lists a call whose request is sent now: ended or unsent → departing. A call that expects a
  /// reply is in the table from now on. Only a call that was not listed can be refused.
  [[nodiscard]] Status depart(OutboundCall& call) noexcept;
  /// The request has been sent or queued: departing → awaiting. No effect if the call has ended.
  void sent(OutboundCall& call) noexcept;
  /// Takes out the call that a reply is for. Null: there is none; the reply is late.
  [[nodiscard]] OutboundCall* take(std::uint32_t id) noexcept;
  /// @name For calls that their sending thread no longer uses after `settle`
  /// @{
  /// The same as `sent`. False: the table has failed, so the call was taken out.
  [[nodiscard]] bool settle(OutboundCall& call) noexcept;
  /// The same as `take`, but waits for a thread that is about to settle the call.
  [[nodiscard]] OutboundCall* take_settled(std::uint32_t id) noexcept;
  /// Takes out the first call that waits for its reply and for which `wanted` returns true.
  /// `wanted` is called under the lock.
  [[nodiscard]] OutboundCall* take_first(function_ref<bool(OutboundCall&)> wanted) noexcept;
  /// Runs `action` under the lock if the call is listed. False: it is not.
  bool while_listed(const OutboundCall& call, function_ref<void()> action) noexcept;
  /// No call is listed from now on, and calls that are being sent do not settle.
  void fail() noexcept;
  /// @}
  /// Takes a call out. False: it is not listed; another thread has taken it out before.
  [[nodiscard]] bool withdraw(OutboundCall& call) noexcept;
  /// Takes out the first call that waits for its reply: its thread is to read the connection next.
  [[nodiscard]] OutboundCall* take_to_lead() noexcept;
  /// Takes out the first departing call without a reply.
  [[nodiscard]] OutboundCall* take_oneway() noexcept;
  /// No call is listed from now on. False: closed before.
  bool close() noexcept;
  /// Takes out a call that expects a reply; if there is none, a departing oneway; if there is none,
  /// an unsent call. Null: none is left.
  [[nodiscard]] OutboundCall* take_any() noexcept;

  /// How many calls are in the table. Sequentially consistent.
  [[nodiscard]] std::uint32_t in_table() const noexcept { return in_table_.load(); }
  /// Whether a call waits for its reply.
  [[nodiscard]] bool any_awaiting() noexcept;
  [[nodiscard]] bool has_room() const noexcept {
    return listed_.load(std::memory_order_relaxed) < calls_max_;
  }
  /// How many calls are listed. Sequentially consistent.
  [[nodiscard]] std::uint32_t listed() const noexcept { return listed_.load(); }
  /// The first call in the table, and the first that was not sent. The results stay valid only if
  /// no other thread takes calls out.
  [[nodiscard]] OutboundCall* first_in_table() noexcept;
  [[nodiscard]] OutboundCall* first_unsent() noexcept;
  [[nodiscard]] std::size_t unsent() noexcept;

  /// Each listed call is in one list, with the state of that list. The table has exactly the sent
  /// calls that expect replies; their ids are distinct and of this side's parity. closed: no call
  /// is listed except the calls that `take_any` will give.
  [[nodiscard]] bool check_invariants() noexcept;

 private:
  static constexpr std::uint64_t ids_max = std::uint64_t{1} << 31;
  static constexpr std::size_t own_buckets = 8;
  static constexpr std::size_t calls_per_bucket_max = 2;

  [[nodiscard]] std::uint32_t id_of(std::uint64_t number) const noexcept {
    return (static_cast<std::uint32_t>(number) << 1) | parity_;
  }
  [[nodiscard]] std::uint32_t next_free_id(std::uint64_t number) noexcept;
  [[nodiscard]] std::size_t bucket_of(std::uint32_t id) const noexcept {
    return (id >> 1) & (bucket_count_ - 1);
  }
  [[nodiscard]] OutboundCall* find(std::uint32_t id) const noexcept;
  [[nodiscard]] OutboundCallList& list_of(const OutboundCall& call) noexcept;
  void put_into_table(OutboundCall& call) noexcept;
  void remove(OutboundCall& call) noexcept;
  void grow(std::unique_ptr<OutboundCall*[]>& space, std::size_t count) noexcept;
  [[nodiscard]] bool check_list(const OutboundCallList& list, std::size_t& table) const noexcept;

  const std::uint32_t parity_;
  const std::uint32_t calls_max_;
  std::atomic<std::uint64_t> ids_;
  std::atomic<std::uint32_t> in_table_{0};  // changes under the lock, like listed_
  std::atomic<std::uint32_t> listed_{0};

  ShortLock lock_;  // guards the members below
  bool closed_ = false;
  bool failed_ = false;
  OutboundCallList unsent_;
  OutboundCallList table_order_;
  OutboundCallList oneways_;
  std::array<OutboundCall*, own_buckets> own_{};
  std::unique_ptr<OutboundCall*[]> grown_;
  OutboundCall** buckets_ = own_.data();
  std::size_t bucket_count_ = own_buckets;  // a power of two
};

}  // namespace perigee::engine
