// The interface of a messaging protocol: how messages are framed, encoded and parsed. No I/O.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/messaging/message.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::messaging {

/// What a messaging protocol accepts and sends.
struct Limits {
  std::uint32_t message_size_max = 64u << 20;  ///< octets of a whole message, fragments together
  std::uint64_t partial_size_max =
      128u << 20;                       ///< octets of all fragmented messages in progress together
  std::uint32_t fragments_max = 65536;  ///< fragments of one message
  std::uint32_t partial_messages_max = 64;  ///< fragmented messages in progress per connection
  std::uint32_t service_contexts_max = 64;  ///< per message
  cdr::Limits values;                       ///< of the arguments and results in a message
  std::uint32_t fragment_size =
      1u << 20;  ///< larger messages are sent in fragments (if the version can)
};

/// How a transport delivers octets, and what messages need of it.
struct Delivery {
  enum class Shape : std::uint8_t {
    stream,     ///< octets without boundaries
    datagrams,  ///< what was sent at once arrives at once
  };
  Shape shape = Shape::stream;
  bool reliable = true;  ///< nothing is lost or doubled
  bool ordered = true;
};
/// What a transport would have to do for messages that need `needed`, and does not: "keep the order
/// of what is sent". Empty: they fit.
PERIGEE_API std::string_view missing(const Delivery& needed, const Delivery& offered) noexcept;

/// Why incoming octets are not a message. Each closes the connection, most after a MessageError.
enum class FramingError : std::uint8_t {
  bad_magic,
  unsupported_version,
  bad_type,
  too_large,     ///< beyond a limit
  bad_fragment,  ///< a fragment of no message, or of a kind that cannot be fragmented
  bad_header,    ///< the message header does not decode
};
PERIGEE_API std::string_view to_string(FramingError error) noexcept;

/// Makes messages out of received octets. Belongs to one connection and obeys its read token.
///
/// Usage: ask `receive_space`, put octets there, tell `received`, then take messages with `next`
/// until it says `need_more`. Views in a message from scratch space are valid until the next
/// `receive_space`.
class PERIGEE_API MessageReader {
 public:
  enum class Next : std::uint8_t { message, need_more, error };

  virtual ~MessageReader() = default;

  /// Where to put the next octets: in the middle of a large message its own storage (so the rest
  /// is read straight into place), else `scratch`, which must be at least 1 KiB. Octets left from
  /// before are moved to the front of the scratch space, if they are not there already.
  virtual MutableOctetSpan receive_space(MutableOctetSpan scratch) = 0;
  /// `count` octets were put into the last receive space.
  virtual void received(std::size_t count) = 0;
  /// Takes the next whole message. After `error`, `error()` says why and nothing more will come.
  virtual Next next(IncomingMessage& message) = 0;
  /// Whether octets beyond the last message taken are at hand (a whole message or a part of one;
  /// the fragments of a message in progress count).
  [[nodiscard]] virtual bool has_octets() const noexcept = 0;
  /// Moves octets not yet taken out of the scratch space to storage of the reader's own: call it
  /// before scratch is given to someone else, or the read token is released. Messages made of
  /// detached octets have storage of their own, so they too outlive another thread's reading.
  virtual void detach_scratch() = 0;
  /// A piece of the reply to this request has been received, but not all of its fragments. Where
  /// the pieces carry no request id, a piece of any reply counts.
  [[nodiscard]] virtual bool has_part_of_reply(std::uint32_t /*request_id*/) const noexcept {
    return false;
  }
  [[nodiscard]] virtual FramingError error() const noexcept = 0;
};

/// A parsed header and a decoder that stands at the body (aligned for it, if there is one).
template <typename Header>
struct Parsed {
  Header header;
  cdr::Decoder body;
};

/// Service contexts of one parsed message. Lives beside the Parsed that refers to it.
using ContextStorage = std::vector<iop::ServiceContext>;

/// A messaging protocol, bound to one connection. Stateless but for its limits: the encoding
/// functions may be called from any thread, the reader obeys the connection's read token.
///
/// A message is encoded as `begin_…`, body written by the caller through the same encoder,
/// `finish`. The buffer must be empty before `begin_…`.
class PERIGEE_API Protocol {
 public:
  virtual ~Protocol() = default;

  /// "GIOP"
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// For people: "GIOP 1.2".
  [[nodiscard]] virtual std::string version_text(Version version) const {
    return std::string(name()) + ' ' + std::to_string(version.major) + '.' +
           std::to_string(version.minor);
  }
  /// What a transport has to do for these messages.
  [[nodiscard]] virtual Delivery needs() const noexcept { return {}; }
  /// The highest version spoken. Arguments and results in a message are encoded by the rules of
  /// GIOP in the version of the same number.
  [[nodiscard]] virtual Version version_max() const noexcept = 0;
  /// What to send instead of `version` to a peer that understands the shorter form of it; the same
  /// if there is none. For the encoding functions only: received messages may have any form.
  [[nodiscard]] virtual Version short_form(Version version) const noexcept { return version; }
  [[nodiscard]] virtual const Limits& limits() const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<MessageReader> make_reader() const = 0;

  /// @name Encoding. Leave the encoder where the body begins (aligned for it if `body` is present).
  /// What a version cannot say is said as it can: a permanent forward becomes a plain one, any
  /// response flags but `none` become "response expected". Where that would leave a wrong body
  /// (in 1.0 and 1.1: needs_addressing_mode, and system exceptions in locate replies) the encoder's
  /// error becomes `not_in_version`.
  /// @{
  virtual void begin_request(cdr::Encoder& encoder, Version version, const RequestHeader& header,
                             Body body) const = 0;
  virtual void begin_reply(cdr::Encoder& encoder, Version version, const ReplyHeader& header,
                           Body body) const = 0;
  virtual void begin_locate_reply(cdr::Encoder& encoder, Version version,
                                  const LocateReplyHeader& header) const = 0;
  /// Completes the message: patches its size, as if it were sent whole. Call once, after the body.
  /// Above `message_size_max` the encoder's error is then `too_large`: do not send.
  virtual void finish(cdr::Encoder& encoder) const = 0;
  /// Appends the segments to send for a finished message, in order. A message above `fragment_size`
  /// is cut into fragments if its version and kind allow: then `fragment_headers` is overwritten
  /// with the headers of all pieces, that of the first (whose size and flags differ from what
  /// `finish` wrote) included. The message itself is not changed; both must outlive the sending.
  virtual void gather(const cdr::Buffer& message, std::vector<OctetSpan>& segments,
                      Octets& fragment_headers) const = 0;
  /// Messages without a body, whole: nothing else to call.
  virtual void encode_locate_request(cdr::Encoder& encoder, Version version,
                                     const LocateRequestHeader& header) const = 0;
  virtual void encode_cancel_request(cdr::Encoder& encoder, Version version,
                                     std::uint32_t request_id) const = 0;
  virtual void encode_close_connection(cdr::Encoder& encoder, Version version) const = 0;
  virtual void encode_message_error(cdr::Encoder& encoder, Version version) const = 0;
  /// @}

  /// @name Parsing. The message's octets must outlive what is returned.
  /// @{
  virtual std::expected<Parsed<RequestHeader>, FramingError> parse_request(
      const IncomingMessage& message, ContextStorage& contexts) const = 0;
  virtual std::expected<Parsed<ReplyHeader>, FramingError> parse_reply(
      const IncomingMessage& message, ContextStorage& contexts) const = 0;
  virtual std::expected<LocateRequestHeader, FramingError> parse_locate_request(
      const IncomingMessage& message) const = 0;
  virtual std::expected<Parsed<LocateReplyHeader>, FramingError> parse_locate_reply(
      const IncomingMessage& message) const = 0;
  virtual std::expected<std::uint32_t, FramingError> parse_cancel_request(
      const IncomingMessage& message) const = 0;
  /// @}
};

}  // namespace perigee::messaging
