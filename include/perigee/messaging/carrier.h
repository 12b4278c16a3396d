// The properties that a transport offers, the properties that messages need, and their comparison.
#pragma once

#include <perigee/base/export.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace perigee::messaging {

/// How a transport keeps the boundaries of sent octets.
enum class Shape : std::uint8_t {
  stream,     ///< a sequence of octets without boundaries
  datagrams,  ///< octets that are sent in one call arrive in one call, or not at all
};

/// The directions in which a transport can move octets.
enum class Flow : std::uint8_t { both, send_only, receive_only };

/// The properties that one transport offers to messages.
struct Carrier {
  Shape shape = Shape::stream;
  bool reliable = true;  ///< no octet is lost or duplicated
  bool ordered = true;
  std::uint32_t datagram_max = 0;  ///< octets of the largest datagram; 0 for streams
  Flow flow = Flow::both;
};

/// The two kinds of calls. Messages may need other properties of the transport for each.
enum class Use : std::uint8_t { oneway, two_way };

/// The properties of a transport that messages need, for one kind of use.
struct Needs {
  std::optional<Shape> shape = Shape::stream;  ///< std::nullopt: both shapes are possible
  bool reliable = true;
  bool ordered = true;
  bool two_way = true;  ///< messages go in both directions
};

/// The first property that `needed` asks for and `offered` lacks, as words that follow "does not":
/// "keep the order in which octets are sent". Empty if no property is missing.
PERIGEE_API std::string_view missing(const Needs& needed, const Carrier& offered) noexcept;

/// Which calls are possible with a messaging protocol over a transport.
enum class Carries : std::uint8_t { nothing, oneways, all_calls };

/// How well a messaging protocol fits a transport.
struct Fit {
  Carries carries = Carries::all_calls;
  std::string_view missing;  ///< the missing property; empty if all calls are possible
};

class MessagingProtocol;
/// Compares what the messaging protocol needs with the transport's properties, for both kinds of
/// calls.
PERIGEE_API Fit fit(const MessagingProtocol& messages, const Carrier& carrier) noexcept;

}  // namespace perigee::messaging
