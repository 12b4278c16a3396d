// Connects to the first of several addresses that answers ("Happy Eyeballs": RFC 8305, sections 4
// and 5). The resolver sorts the addresses by preference; this header does not.
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
  /// The next address is tried when an attempt has failed, or has been in progress for this long.
  /// RFC 8305 recommends 250 ms, and not less than 100 ms.
  std::chrono::milliseconds attempt_delay{250};
};

/// Why one of several addresses failed.
struct FailedAttempt {
  InetAddr address;
  std::error_code error;
};

/// Why all addresses failed.
struct ConnectFailure {
  std::error_code error;  ///< `timed_out` if the limit has passed; otherwise the last error
  std::vector<FailedAttempt>
      attempts;  ///< in the order in which they failed; addresses not tried are left out
};
/// "192.0.2.1:80: Connection refused; [2001:db8::1]:80: Connection timed out"
PERIGEE_API std::string to_string(const ConnectFailure& failure);

/// The order in which addresses are tried: the two versions of IP take turns, beginning with the
/// version of the first address. Addresses of one version keep their order. Duplicates are left
/// out.
PERIGEE_API std::vector<InetAddr> interleaved(std::span<const InetAddr> addresses);

namespace io {
struct OptionValue {
  OptionName name;
  std::int64_t raw;
};
/// Connects to the first of `addresses` that answers, and gives a blocking handle.
PERIGEE_API std::expected<Handle, ConnectFailure> connect_any(std::span<const InetAddr> addresses,
                                                              TimeLimit limit,
                                                              const RaceOptions& race,
                                                              std::span<const OptionValue> options);

/// The attempts of `connect_any` without waiting, for threads that wait for several handles. One
/// thread at a time. It has no time limit: to give up, the owner destroys it.
class PERIGEE_API ConnectRace {
 public:
  enum class State : std::uint8_t { running, won, lost };

  ConnectRace(std::span<const InetAddr> addresses, const RaceOptions& race,
              std::span<const OptionValue> options);
  ConnectRace(ConnectRace&& other) noexcept;
  ConnectRace& operator=(ConnectRace&& other) noexcept;
  ~ConnectRace();

  /// Does all steps that are possible without waiting. Do not call it again after `won` or `lost`.
  [[nodiscard]] State advance();
  /// A handle that becomes readable when `advance` can continue. The handle never changes. It
  /// exists after the first `advance` that has returned `running`.
  [[nodiscard]] int handle() const noexcept;
  /// The handle of the connection, in blocking mode. Call it after `won`.
  [[nodiscard]] Handle take_winner() noexcept;
  /// The reason of the failure, after `lost`. While the race is running, gives the result that a
  /// time limit would give now.
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

/// The same as the `connect_any` below, with options that are chosen at run time.
[[nodiscard]] inline std::expected<Stream, ConnectFailure> connect_any_with(
    std::span<const InetAddr> addresses, TimeLimit limit, const RaceOptions& race,
    std::span<const io::OptionValue> options) {
  auto handle = io::connect_any(addresses, limit, race, options);
  if (!handle) return std::unexpected(std::move(handle.error()));
  return detail::Opened::as<Stream>(std::move(*handle));
}

/// Connects to the first of `addresses` that answers. `limit` is for all addresses together;
/// `no_wait` counts as 0. Closes the connections to the other addresses. The options are set before
/// connecting. A socket that has connected to itself counts as refused: there is no listener, and
/// the system chose the same port for the socket. Errors: `invalid_argument` without addresses.
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
