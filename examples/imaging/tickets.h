// Tickets for transfers: each is valid for a short time, and for one connection.
#pragma once

#include "catalogue.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

/// The transfer that a ticket allows.
struct Transfer {
  CatalogueEntry image;
  std::uint64_t offset = 0;
};

/// The tickets that were handed out and not yet used. Thread-safe.
class Tickets {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t secret_size = 32;
  using Secret = std::array<std::byte, secret_size>;

  struct Limits {
    std::chrono::seconds lifetime{30};
    std::size_t count_max = 64;  ///< tickets that wait to be used
  };

  explicit Tickets(Limits limits) : limits_(limits) {}

  /// Issues a new ticket, with a secret from the system's random numbers; nothing if too many
  /// tickets are unused. Throws std::system_error if there are no random numbers.
  [[nodiscard]] std::optional<Secret> issue(Transfer transfer, Clock::time_point now);
  /// Takes the ticket out: it can be used once. Nothing for an expired, used or forged ticket. The
  /// duration of the call says nothing about the secrets.
  [[nodiscard]] std::optional<Transfer> use(std::span<const std::byte> secret,
                                            Clock::time_point now);
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

 private:
  struct Waiting {
    Secret secret;
    Clock::time_point end;
    Transfer transfer;
  };

  void drop_expired(Clock::time_point now);  // the caller holds the lock

  const Limits limits_;
  std::mutex lock_;
  std::vector<Waiting> waiting_;
};
