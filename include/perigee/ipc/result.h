// Results of operations, and the time that an operation may wait. Values only.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <system_error>
#include <utility>

namespace perigee::ipc {

/// The result of an operation, or the system's error. If the time limit passes, the error is
/// `std::errc::timed_out`. With `no_wait`, an operation that would have to wait gives
/// `std::errc::operation_would_block`.
///
/// A Result is a `std::expected` with two differences. The compiler warns if a result is ignored. A
/// result cannot be compared with a value of a C function: `send(octets) == -1` does not compile.
template <typename T>
class [[nodiscard]] Result : public std::expected<T, std::error_code> {
  using Expected = std::expected<T, std::error_code>;

 public:
  using Expected::Expected;
  constexpr Result() = default;
  constexpr Result(Expected other) : Expected(std::move(other)) {}  // NOLINT: implicit

  template <typename Other>
  friend constexpr bool operator==(const Result& a, const Other& b) {
    if constexpr (std::same_as<Other, Result>) {
      return static_cast<const Expected&>(a) == static_cast<const Expected&>(b);
    } else {
      return static_cast<const Expected&>(a) == b;
    }
  }
  template <typename Number>
    requires(std::signed_integral<Number> || std::same_as<Number, bool>)
  friend bool operator==(const Result&, const Number&) = delete;
};
/// Result of an operation without a value.
using Status = Result<void>;

/// The result of a receive operation. The end of the stream is neither an error nor a count. `recv`
/// gives octets or the end; `recv_n` gives all octets, or fewer octets and the end.
class Received {
 public:
  [[nodiscard]] static constexpr Received octets(std::size_t count) noexcept {
    return Received(count, false);
  }
  [[nodiscard]] static constexpr Received end(std::size_t count = 0) noexcept {
    return Received(count, true);
  }
  /// Octets that were put into the caller's space.
  [[nodiscard]] constexpr std::size_t count() const noexcept { return count_; }
  /// Whether the peer has closed its side, so that no more octets will come.
  [[nodiscard]] constexpr bool end_of_stream() const noexcept { return end_; }
  friend constexpr bool operator==(const Received&, const Received&) = default;

 private:
  constexpr Received(std::size_t count, bool end) noexcept : count_(count), end_(end) {}
  std::size_t count_;
  bool end_;
};

/// The time that an operation may wait: `forever` (the default of every blocking call), `no_wait`,
/// or any `std::chrono` duration: `stream.recv(space, 50ms)`. A negative duration counts as zero,
/// and a duration of more than a year as one year.
class TimeLimit {
 public:
  constexpr TimeLimit() noexcept = default;
  template <typename Rep, typename Period>
  constexpr TimeLimit(std::chrono::duration<Rep, Period> limit) noexcept  // NOLINT: a value
      : ns_(limit.count() <= 0 ? 0 : clamped(limit)) {}

  [[nodiscard]] static constexpr TimeLimit none() noexcept {
    TimeLimit limit;
    limit.ns_ = no_wait_ns;
    return limit;
  }
  [[nodiscard]] constexpr bool is_forever() const noexcept { return ns_ == forever_ns; }
  [[nodiscard]] constexpr bool is_no_wait() const noexcept { return ns_ == no_wait_ns; }
  /// The limit; valid only for a duration, not for `forever` and `no_wait`.
  [[nodiscard]] constexpr std::chrono::nanoseconds duration() const noexcept {
    return std::chrono::nanoseconds(ns_);
  }

 private:
  static constexpr std::int64_t forever_ns = -1;
  static constexpr std::int64_t no_wait_ns = -2;

  template <typename Rep, typename Period>
  static constexpr std::int64_t clamped(std::chrono::duration<Rep, Period> limit) noexcept {
    constexpr std::chrono::hours year(24 * 365);
    // Compared as seconds in floating point: longer durations do not fit in nanoseconds.
    using Seconds = std::chrono::duration<long double>;
    if (Seconds(limit) > Seconds(year)) return std::chrono::nanoseconds(year).count();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(limit).count();
  }
  std::int64_t ns_ = forever_ns;
};

inline constexpr TimeLimit forever{};
inline constexpr TimeLimit no_wait = TimeLimit::none();

}  // namespace perigee::ipc
