// The memory that an ORB may spend on messages: unfinished, unsent, parked, and their decoded
// values.
#pragma once

#include <perigee/base/export.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace perigee::engine {

/// The use of charged octets. Each use has a limit of its own.
enum class Use : std::uint8_t {
  unfinished,  ///< messages of which a part has arrived, and cached storage
  unsent,      ///< messages that wait for a peer to take them
  parked,      ///< whole messages that wait for a POA manager
  decoded,     ///< values of messages during upcalls, and while callers decode results
  opening,     ///< handshakes of connections that servers have accepted
};

/// The budget of one ORB. Any thread; a charge costs one atomic operation.
class PERIGEE_API MemoryBudget {
 public:
  /// In octets.
  struct Limits {
    std::uint64_t unfinished = 256u << 20;
    std::uint64_t unsent = 256u << 20;
    std::uint64_t parked = 128u << 20;
    std::uint64_t decoded = 512u << 20;
    std::uint64_t opening = 512u << 20;
  };

  explicit MemoryBudget(const Limits& limits) noexcept;

  /// False: over the limit, and nothing is charged.
  [[nodiscard]] bool try_charge(Use use, std::uint64_t octets) noexcept;
  /// Charges in any case.
  void charge(Use use, std::uint64_t octets) noexcept;
  void release(Use use, std::uint64_t octets) noexcept;
  [[nodiscard]] std::uint64_t charged(Use use) const noexcept {
    return of(use).charged.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t limit(Use use) const noexcept { return of(use).limit; }
  /// Whether `octets` more would exceed the limit.
  [[nodiscard]] bool is_full_for(Use use, std::uint64_t octets) const noexcept {
    return charged(use) + octets > limit(use);
  }

 private:
  struct alignas(64) Account {
    std::atomic<std::uint64_t> charged{0};
    std::uint64_t limit = 0;
  };
  [[nodiscard]] Account& of(Use use) noexcept { return accounts_[static_cast<std::size_t>(use)]; }
  [[nodiscard]] const Account& of(Use use) const noexcept {
    return accounts_[static_cast<std::size_t>(use)];
  }

  std::array<Account, 5> accounts_;
};

/// The part of a budget that one owner has charged: one direction of a connection. The first
/// `uncharged_max` octets are not charged, so that small messages do not touch the budget. The rest
/// is charged in multiples of `step` octets. Used by one thread at a time.
class PERIGEE_API Charge {
 public:
  static constexpr std::uint64_t uncharged_max = 16 * 1024;
  static constexpr std::uint64_t step = 64 * 1024;

  /// `budget` may be null: then nothing is charged. Otherwise it must outlive the charge.
  Charge(MemoryBudget* budget, Use use) noexcept : budget_(budget), use_(use) {}
  ~Charge() { set(0); }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

  /// The owner holds `octets` from now on. False: they are more than before, and the budget has no
  /// room for them; nothing has changed.
  [[nodiscard]] bool try_set(std::uint64_t octets) noexcept {
    const std::uint64_t wanted = cost_of(octets);
    return wanted == charged_ || change(wanted, false);
  }
  /// The same, but also if the budget has no room for them.
  void set(std::uint64_t octets) noexcept {
    const std::uint64_t wanted = cost_of(octets);
    if (wanted != charged_) (void)change(wanted, true);
  }
  [[nodiscard]] std::uint64_t charged() const noexcept { return charged_; }

  /// The octets that an owner of `octets` octets is charged.
  [[nodiscard]] static constexpr std::uint64_t cost_of(std::uint64_t octets) noexcept {
    return octets <= uncharged_max ? 0 : (octets - uncharged_max + step - 1) / step * step;
  }

 private:
  [[nodiscard]] bool change(std::uint64_t wanted, bool forced) noexcept;

  MemoryBudget* const budget_;
  const Use use_;
  std::uint64_t charged_ = 0;
};

}  // namespace perigee::engine
