// The ways in which a call passes interceptors: kinds of calls, of servants and of outcomes.
#pragma once

#include "desk.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace perigee::test {

enum class Way : std::uint8_t {
  sync,        ///< a blocking call
  ami,         ///< an asynchronous call with a reply handler
  polling,     ///< an asynchronous call with a poller
  deferred,    ///< a dynamic call: send_deferred and get_response
  amh,         ///< a blocking call; the servant replies on another thread
  coroutine,   ///< a coroutine awaits the call; the servant is a coroutine, which suspends
  collocated,  ///< a blocking call within one ORB
  oneway,      ///< an operation without a reply
  forward,     ///< a blocking call that a servant activator forwards
  exception,   ///< a blocking call that ends with a user exception
};
inline constexpr std::size_t way_count = static_cast<std::size_t>(Way::exception) + 1;
inline constexpr const char* way_names[way_count] = {
    "sync",      "AMI",        "polling", "deferred", "AMH",
    "coroutine", "collocated", "oneway",  "forward",  "exception"};

/// The kind of servant that `DeskOrbs` makes for the way.
[[nodiscard]] Kind kind_of(Way way) noexcept;

/// Makes one call in one way. The log of `orbs` is empty before the call.
class WayCall {
 public:
  /// `value`: the argument; the servant refuses negative values.
  WayCall(DeskOrbs& orbs, Way way, std::int32_t value = 21);
  /// What the caller sees: twice the value, "sent" after a oneway, or the exception. When it
  /// returns, the points of all interceptors have run. `arrives`: whether a oneway gets to the
  /// server.
  [[nodiscard]] std::string run(bool arrives = true);

 private:
  [[nodiscard]] std::string call();

  DeskOrbs& orbs_;
  const Way way_;
  const std::int32_t value_;
  ClerkRef target_;
};

}  // namespace perigee::test
