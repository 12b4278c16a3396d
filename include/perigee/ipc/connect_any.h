// Connecting to the first of several addresses that answers, as "Happy Eyeballs" does: RFC 8305,
// sections 4 and 5. Sorting addresses by preference is the resolver's task, not done here.
#pragma once

#include <perigee/base/export.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/io.h>
#include <perigee/ipc/result.h>
#include <perigee/ipc/sock.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace perigee::ipc {

struct RaceOptions {
  /// The next address is tried when one has failed, or has not answered for this long. RFC 8305
  /// recommends 250 ms, and not less than 100.
  std::chrono::milliseconds attempt_delay{250};
};

/// Why one address of several did not do.
struct FailedAttempt {
  InetAddr address;
  std::error_code error;
};

/// Why none did.
struct ConnectFailure {
  std::error_code error;  ///< `timed_out` if the limit ended it, else the last one
  std::vector<FailedAttempt>
      attempts;  ///< in the order in which they failed; those not tried: none
};
/// "192.0.2.1:80: Connection refused; [2001:db8::1]:80: Connection timed out"
PERIGEE_API std::string to_string(const ConnectFailure& failure);

/// The order in which addresses are tried: the families take turns, beginning with that of the
/// first; within a family as they were. Duplicates are left out.
PERIGEE_API std::vector<InetAddr> interleaved(std::span<const InetAddr> addresses);

namespace io {
struct OptionValue {
  OptionName name;
  std::int64_t raw;
};
/// Gives a blocking handle.
PERIGEE_API std::expected<Handle, ConnectFailure> connect_any(std::span<const InetAddr> addresses,
                                                              TimeLimit limit,
                                                              const RaceOptions& race,
                                                              std::span<const OptionValue> options);

/// The race of `connect_any` without waiting, for threads that wait for several handles. One thread
/// at a time. It has no time limit of its own: the owner destroys it.
class PERIGEE_API ConnectRace {
 public:
  enum class State : std::uint8_t { running, won, lost };

  ConnectRace(std::span<const InetAddr> addresses, const RaceOptions& race,
              std::span<const OptionValue> options);
  ConnectRace(ConnectRace&& other) noexcept;
  ConnectRace& operator=(ConnectRace&& other) noexcept;
  ~ConnectRace();

  /// Does what can be done without waiting. No more calls after `won` and `lost`.
  [[nodiscard]] State advance();
  /// Becomes readable when `advance` has something to do. The same handle all the time; there is
  /// one after the first `advance` that has returned `running`.
  [[nodiscard]] int handle() const noexcept;
  /// After `won`: a blocking handle.
  [[nodiscard]] Handle take_winner() noexcept;
  /// After `lost`: why. While it is running: as if a time limit had ended it.
  [[nodiscard]] ConnectFailure failure() const;

 private:
  friend std::expected<Handle, ConnectFailure> connect_any(std::span<const InetAddr>, TimeLimit,
                                                           const RaceOptions&,
                                                           std::span<const OptionValue>);
  class Race;
  std::unique_ptr<Race> race_;
};
}  // namespace io

namespace sock {
/// The stream of a race that was won.
[[nodiscard]] inline Stream stream_of(io::ConnectRace& race) {
  return detail::Opened::as<Stream>(race.take_winner());
}

/// As below, with options that are chosen at run time: of those that streams have.
[[nodiscard]] inline std::expected<Stream, ConnectFailure> connect_any_with(
    std::span<const InetAddr> addresses, TimeLimit limit, const RaceOptions& race,
    std::span<const io::OptionValue> options) {
  auto handle = io::connect_any(addresses, limit, race, options);
  if (!handle) return std::unexpected(std::move(handle.error()));
  return detail::Opened::as<Stream>(std::move(*handle));
}

/// Connects to the first of `addresses` that answers, within `limit` for all together (`no_wait` is
/// taken for 0). Attempts that are too late are closed. The options are set before connecting.
/// A connection that meets itself, since nobody listens and the system chose that very port, counts
/// as refused. No address: `invalid_argument`.
template <typename... Options>
  requires(OptionOf<Options, Stream> && ...)
[[nodiscard]] std::expected<Stream, ConnectFailure> connect_any(std::span<const InetAddr> addresses,
                                                                TimeLimit limit,
                                                                const RaceOptions& race = {},
                                                                const Options&... options) {
  const std::array<io::OptionValue, sizeof...(Options)> values{
      io::OptionValue{Options::name, options.raw()}...};
  return connect_any_with(addresses, limit, race, values);
}
}  // namespace sock

}  // namespace perigee::ipc
