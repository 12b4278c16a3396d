// The messages of an inter-ORB protocol, as values that refer to the received octets.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/landed_sequence.h>
#include <perigee/iop/ior.h>
#include <perigee/messaging/storage.h>

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>

namespace perigee::messaging {

struct Version {
  std::uint8_t major = 1;
  std::uint8_t minor = 2;
  friend auto operator<=>(const Version&, const Version&) = default;
};

enum class MessageKind : std::uint8_t {
  request,
  reply,
  cancel_request,
  locate_request,
  locate_reply,
  close_connection,
  message_error,
};

/// When the server replies. The values are GIOP 1.2's response_flags (CORBA 3.0, 15.4.2.1).
enum class ResponseFlags : std::uint8_t { none = 0, with_server = 1, with_target = 3 };

/// The values are GIOP's (CORBA 3.0, 15.4.3.1).
enum class ReplyStatus : std::uint32_t {
  no_exception = 0,
  user_exception = 1,
  system_exception = 2,
  location_forward = 3,
  location_forward_perm = 4,
  needs_addressing_mode = 5,
};

/// The values are GIOP's (CORBA 3.0, 15.4.6.1): not those of ReplyStatus.
enum class LocateStatus : std::uint32_t {
  unknown_object = 0,
  object_here = 1,
  object_forward = 2,
  object_forward_perm = 3,
  system_exception = 4,
  needs_addressing_mode = 5,
};

/// GIOP 1.2 addressing dispositions (CORBA 3.0, 15.4.2.2): the form of a request's target.
///
/// In a received header, `object_key` is
/// - for `key`: the key that was sent, which may be empty;
/// - for `profile` and `reference`: the key in the (selected) profile if it is an IIOP profile,
///   otherwise empty. If it is empty, the server replies with the status `needs_addressing_mode`
///   and asks for the mode `key`.
///
/// In mode `key`, and in versions without addressing modes, a sent request carries `object_key`. In
/// mode `profile`, it carries the profile of `target` that `profile_index` selects. In mode
/// `reference`, it carries all of `target`.
enum class AddressingMode : std::int16_t { key = 0, profile = 1, reference = 2 };

/// Whether a message has a body. An empty body gets no padding in front of it (interop fact 4 of
/// docs/interop.md).
enum class Body : std::uint8_t { empty, present };

struct RequestHeader {
  std::uint32_t request_id = 0;
  ResponseFlags response = ResponseFlags::with_target;
  OctetSpan object_key = {};  ///< the key of the target; see AddressingMode
  std::string_view operation = {};
  std::span<const iop::ServiceContext> contexts = {};
  AddressingMode addressing = AddressingMode::key;  ///< the form of the received or sent target
  const iop::Ior* target = nullptr;                 ///< for modes other than `key`; null on receipt
  std::uint32_t profile_index = 0;  ///< the index of the selected profile of `target`
  /// The requesting principal of GIOP 1.0 and 1.1, which later versions do not have. The ORB does
  /// not use it.
  OctetSpan principal = {};
};

struct ReplyHeader {
  std::uint32_t request_id = 0;
  ReplyStatus status = ReplyStatus::no_exception;
  std::span<const iop::ServiceContext> contexts = {};
};

struct LocateRequestHeader {
  std::uint32_t request_id = 0;
  OctetSpan object_key = {};
  AddressingMode addressing = AddressingMode::key;
};

struct LocateReplyHeader {
  std::uint32_t request_id = 0;
  LocateStatus status = LocateStatus::unknown_object;
};

/// A whole message (fragments put together), before its header is parsed.
///
/// `octets` starts with the protocol's header, so that alignment can be counted from it. `octets`
/// points into `storage` if the message is large or fragmented, and after `keep`. Otherwise it
/// points into the reader's scratch space. Only a message in `storage` may be moved to another
/// thread. If `landed` is set, the message ends with a large sequence of numbers. Then `landed`
/// holds these numbers, and `octets` has only the octets in front of them.
struct IncomingMessage {
  MessageKind kind = MessageKind::message_error;
  Version version;
  std::endian order = std::endian::little;
  OctetSpan octets;
  std::size_t header_size = 12;  ///< where the message header (request id, …) begins
  MessageStorage storage;
  /// Null except for a fragmented message of GIOP 1.1, where alignment starts anew in each
  /// fragment. Holds the sizes of the parts of `octets`, one part for each fragment. The headers of
  /// all fragments after the first are not in `octets`.
  std::unique_ptr<std::size_t[]> piece_sizes;
  std::unique_ptr<cdr::LandedSequence> landed;
  /// The client waits for the reply to this request until this time, by the clock of the ORB. The
  /// ORB computes it from a service context when it first handles the request. It is kept here
  /// because the ORB handles a request twice if the request waits for a POA manager. The second
  /// time, less time is left than the context says.
  Deadline awaited_until;
  /// When the message was received, by the clock of the ORB. Set for a message that waits until its
  /// connection has room for it, and for a request with service contexts. Otherwise empty.
  std::optional<TimePoint> arrived;

  /// Octets of the whole message.
  [[nodiscard]] std::size_t size() const noexcept {
    return octets.size() + (landed ? landed->size() : 0);
  }
  /// Copies the octets to storage of its own, unless they are there already.
  void keep() {
    if (storage) return;
    if (!storage.reserve({0, octets.size(), octets.size()}, nullptr)) throw std::bad_alloc();
    std::copy(octets.begin(), octets.end(), storage.data());
    octets = {storage.data(), octets.size()};
  }
};

}  // namespace perigee::messaging
