// ReadRole: which thread reads a connection.
#pragma once

#include <atomic>
#include <cstdint>

namespace perigee::engine {

/// The right to read one connection: free, held by one thread, or lent by its holder for the length
/// of an upcall. A lent role can be taken over. All functions: any thread.
///
/// An event (the connection is readable) that comes while the role is not free is noted in the
/// role. The holder finds the note when it releases the role, and reads on.
///
/// Take-over: the taker moves the role from lent to detaching, copies the octets at hand out of the
/// lender's scratch memory, and then holds the role. A lender that fails to reclaim the role waits
/// until detaching has ended, since its scratch memory is being read until then.
///
/// The operations are sequentially consistent: a thread that releases the role and then looks for
/// waiting threads cannot miss a thread that enlists and then tries to take the role.
class ReadRole final {
 public:
  enum class State : std::uint8_t { free, held, lent, detaching };
  enum class Release : std::uint8_t {
    released,
    again,  ///< still held: an event was noted, so the holder has to read on
  };
  /// A lent role. `reclaim` succeeds only with the value that the last `lend` has returned.
  class Lend {
   public:
    Lend() noexcept = default;
    /// Whether an event was noted before the role was lent. The thread of the event has left. If
    /// another thread shall read during the upcall, the lender has to call it.
    [[nodiscard]] bool noted() const noexcept { return (word_ & noted_bit) != 0; }

   private:
    friend class ReadRole;
    explicit Lend(std::uint64_t word) noexcept : word_(word) {}
    // The word of the role. At first, a value that no role has.
    std::uint64_t word_ = ~std::uint64_t{0};
  };

  ReadRole() noexcept = default;
  ReadRole(const ReadRole&) = delete;
  ReadRole& operator=(const ReadRole&) = delete;

  /// Takes a free role.
  [[nodiscard]] bool try_take() noexcept {
    std::uint64_t word = word_.load();
    while (state_of(word) == State::free)
      if (word_.compare_exchange_weak(word, with_state(word, State::held))) return true;
    return false;
  }
  /// Called by a thread that has an event of the connection. Takes a free role, and otherwise notes
  /// the event.
  [[nodiscard]] bool take_or_note() noexcept {
    std::uint64_t word = word_.load();
    for (;;) {
      const bool is_free = state_of(word) == State::free;
      const std::uint64_t next = is_free ? with_state(word, State::held) : word | noted_bit;
      if (word_.compare_exchange_weak(word, next)) return is_free;
    }
  }
  /// Called by the holder: frees the role, unless an event was noted.
  [[nodiscard]] Release release() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const bool noted = (word & noted_bit) != 0;
      const std::uint64_t next = noted ? word & ~noted_bit : with_state(word, State::free);
      if (word_.compare_exchange_weak(word, next))
        return noted ? Release::again : Release::released;
    }
  }

  /// Called by the holder before an upcall. From now on this thread must use neither the inbox nor
  /// the reading half of the session, and must leave its scratch memory as it is.
  [[nodiscard]] Lend lend() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t next = with_state(word, State::lent) + epoch_unit;
      if (word_.compare_exchange_weak(word, next)) return Lend(next);
    }
  }
  /// Called by the lender after the upcall. False if another thread has taken the role over; that
  /// thread no longer uses the lender's scratch memory then.
  [[nodiscard]] bool reclaim(Lend lend) noexcept {
    std::uint64_t word = lend.word_;
    if (word_.compare_exchange_strong(word, with_state(word, State::held))) [[likely]]
      return true;
    while (word / epoch_unit == lend.word_ / epoch_unit) {
      if (state_of(word) == State::lent) {
        if (word_.compare_exchange_weak(word, with_state(word, State::held))) return true;
      } else if (state_of(word) == State::detaching) {
        word_.wait(word);
        word = word_.load();
      } else {
        return false;
      }
    }
    return false;
  }
  /// Begins to take a lent role over: the caller detaches the octets at hand from the lender's
  /// scratch memory, calls `end_detaching`, and then reads. So events that were noted before need
  /// no further look.
  [[nodiscard]] bool try_take_lent() noexcept {
    std::uint64_t word = word_.load();
    while (state_of(word) == State::lent)
      if (word_.compare_exchange_weak(word, with_state(word & ~noted_bit, State::detaching)))
        return true;
    return false;
  }
  /// The caller of `try_take_lent` holds the role.
  void end_detaching() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_weak(word, with_state(word, State::held))) {
    }
    word_.notify_all();
  }

  [[nodiscard]] State state() const noexcept { return state_of(word_.load()); }
  /// Grows with each `lend`.
  [[nodiscard]] std::uint64_t epoch() const noexcept { return word_.load() / epoch_unit; }
  /// Noted events wait for a holder, so a free role has none. The epoch of a lent role is not 0.
  [[nodiscard]] bool check_invariants() const noexcept {
    const std::uint64_t word = word_.load();
    const State state = state_of(word);
    if (state == State::free) return (word & noted_bit) == 0;
    return state == State::held || word / epoch_unit != 0;
  }

 private:
  static constexpr std::uint64_t state_bits = 3;
  static constexpr std::uint64_t noted_bit = 4;
  static constexpr std::uint64_t epoch_unit = 8;

  [[nodiscard]] static State state_of(std::uint64_t word) noexcept {
    return static_cast<State>(word & state_bits);
  }
  [[nodiscard]] static std::uint64_t with_state(std::uint64_t word, State state) noexcept {
    return (word & ~state_bits) | static_cast<std::uint64_t>(state);
  }

  std::atomic<std::uint64_t> word_{0};
};

}  // namespace perigee::engine
