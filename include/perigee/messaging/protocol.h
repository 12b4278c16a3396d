// The interface of a messaging protocol: how messages are framed, encoded and parsed. No I/O.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/messaging/carrier.h>
#include <perigee/messaging/message.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::messaging {

/// The limits of a messaging protocol for received and sent messages. The inbox of a connection
/// enforces the limits of whole messages and of fragments; a session enforces the others.
struct Limits {
  std::uint32_t message_size_max = 64u << 20;  ///< octets of a whole message, fragments together
  std::uint64_t partial_size_max =
      128u << 20;                       ///< octets of all fragmented messages in progress together
  std::uint32_t fragments_max = 65536;  ///< fragments of one message
  std::uint32_t partial_messages_max = 64;  ///< fragmented messages in progress per connection
  std::uint32_t service_contexts_max = 64;  ///< per message
  cdr::Limits values;                       ///< limits of the arguments and results in a message
  /// Larger messages are sent in fragments, if the version can. The JDK's ORB closes a connection
  /// if a message or a fragment has more than 256,000 octets.
  std::uint32_t fragment_size = 128u << 10;
};

/// Why incoming octets are not a message. Each error closes the connection. For most errors, a
/// MessageError is sent first.
enum class FramingError : std::uint8_t {
  bad_magic,
  unsupported_version,
  bad_type,
  too_large,     ///< beyond a limit
  bad_fragment,  ///< a fragment of no message, or of a kind that cannot be fragmented
  bad_header,    ///< the message header does not decode
};
PERIGEE_API std::string_view to_string(FramingError error) noexcept;

/// The result of `Session::frame`: one of four descriptions of the octets at the front of the
/// input.
///
/// A frame is a whole message, or one piece of a fragmented message. The inbox compares `total`
/// with its limit first. So a session sets `total`, with every status, as soon as the octets that
/// have arrived contain the size.
///
/// The struct is small, because a session returns one for each message, and returns it in memory.
struct Frame {
  enum class Status : std::uint8_t {
    message,    ///< a whole message; all fields but `error` and `needed` are valid, and at least
                ///< `strip` octets have arrived
    piece,      ///< a piece of a fragmented message; `more` and `continuation` are also valid
    need_more,  ///< call again when `needed` octets are at the front
    bad,        ///< `error` says why; the connection ends
  };

  std::size_t total = 0;  ///< octets of the frame, with everything before and after the message
  Status status = Status::message;
  MessageKind kind = MessageKind::message_error;  ///< not used in a continuation
  Version version;
  std::endian order = std::endian::little;
  /// The position where the message header (request id, …) begins, counted from the start of the
  /// message. In a continuation: the size of the fragment's own header. Values in a continuation
  /// are aligned from the start of this header.
  std::uint16_t header_size = 0;
  /// Octets at the front of the frame that do not belong to the message.
  std::uint16_t strip = 0;
  /// Whether `piece_id` is valid. If not, only one fragmented message can be in progress at a time.
  bool identified = false;
  FramingError error = FramingError::bad_header;
  bool more = false;          ///< another piece of this message follows
  bool continuation = false;  ///< a piece that continues a message
  /// The common id of the pieces of one message (a request id), if `identified`. In a
  /// cancel_request: the request that is cancelled.
  std::uint32_t piece_id = 0;
  std::uint32_t needed = 0;

  [[nodiscard]] static constexpr Frame need(std::uint32_t octets, std::size_t total = 0) noexcept {
    Frame frame;
    frame.status = Status::need_more;
    frame.needed = octets;
    frame.total = total;
    return frame;
  }
  [[nodiscard]] static constexpr Frame bad(FramingError error, std::size_t total = 0) noexcept {
    Frame frame;
    frame.status = Status::bad;
    frame.error = error;
    frame.total = total;
    return frame;
  }
};
static_assert(sizeof(Frame) <= 32);

/// The segments of one message on its way to the transport. A sealing session may replace segments,
/// and put octets of its own before and after them.
struct OutgoingSegments {
  std::vector<OctetSpan> segments;  ///< in the order in which they are sent
  Octets fragment_headers;          ///< memory that segments may refer to; filled by `gather`
  Octets sealed;                    ///< memory that segments may refer to; for `seal` alone

  void clear() noexcept {
    segments.clear();
    fragment_headers.clear();
    sealed.clear();
  }
};

/// Which side of a connection a session is on.
enum class Role : std::uint8_t { opener, acceptor };

/// A parsed header, and a decoder at the start of the body (aligned for the body, if there is one).
template <typename Header>
struct Parsed {
  Header header;
  cdr::Decoder body;
};

/// Service contexts of one parsed message. Lives beside the Parsed that refers to it.
using ContextStorage = std::vector<iop::ServiceContext>;

class MessagingProtocol;

/// The messages of one connection, which owns the session. All functions but `seal` and `unseal`
/// are const, may be called by any thread, and depend only on their arguments. A session with state
/// (numbers, time stamps, compression) changes this state in `seal` and `unseal` only.
///
/// To encode a message, call `begin_…`, write the body with the same encoder, and call `finish`.
/// The buffer must be empty before `begin_…`.
class PERIGEE_API Session {
 public:
  virtual ~Session() = default;

  [[nodiscard]] const MessagingProtocol& protocol() const noexcept { return protocol_; }
  /// The limits of the protocol.
  [[nodiscard]] const Limits& limits() const noexcept;
  /// Whether `seal` and `unseal` must be called. GIOP does not need them and pays nothing for them.
  [[nodiscard]] bool seals() const noexcept { return seals_; }

  /// Whether the decoders that this session returns read `IncomingMessage::landed`.
  [[nodiscard]] bool reads_landed() const noexcept { return reads_landed_; }

  /// Describes the frame at the front of the octets that have arrived. Copies and keeps nothing.
  /// `front` has at least one octet, and may have octets of later frames.
  [[nodiscard]] virtual Frame frame(OctetSpan front) const noexcept = 0;
  /// Called when all pieces of a message have arrived: changes the header of the first piece to
  /// that of an unfragmented message of `size` octets. `message` starts with the first piece,
  /// without its stripped octets, and has at least its header.
  virtual void join(MutableOctetSpan /*message*/, std::size_t /*size*/,
                    const Frame& /*first*/) const noexcept {}

  /// @name Encoding. Leaves the encoder where the body begins (aligned for it if `body` is
  /// present). A version that lacks a status or flag sends the nearest one: a permanent forward
  /// becomes a plain one; response flags other than `none` become "response expected". If the body
  /// would then be wrong, the encoder's error becomes `not_in_version`: in 1.0 and 1.1, for
  /// needs_addressing_mode, and for system exceptions in locate replies.
  /// @{
  virtual void begin_request(cdr::Encoder& encoder, Version version, const RequestHeader& header,
                             Body body) const = 0;
  virtual void begin_reply(cdr::Encoder& encoder, Version version, const ReplyHeader& header,
                           Body body) const = 0;
  virtual void begin_locate_reply(cdr::Encoder& encoder, Version version,
                                  const LocateReplyHeader& header) const = 0;
  /// Completes the message: writes the size of the whole message into its header, as if the message
  /// were sent without fragments. Call it once, after the body. Above `message_size_max` the
  /// encoder's error is then `too_large`, and the message must not be sent.
  virtual void finish(cdr::Encoder& encoder) const = 0;
  /// Appends the segments to send for a finished message, in order. A message above `fragment_size`
  /// is cut into fragments if its version and kind allow. Then `fragment_headers` is overwritten
  /// with the headers of all pieces. This includes the first header, since its size and flags
  /// differ from those of `finish`. The message itself is not changed. The message and
  /// `fragment_headers` must outlive the sending.
  virtual void gather(const cdr::Buffer& message, std::vector<OctetSpan>& segments,
                      Octets& fragment_headers) const;
  /// Whole messages without a body: no other function is called for them.
  virtual void encode_locate_request(cdr::Encoder& encoder, Version version,
                                     const LocateRequestHeader& header) const = 0;
  virtual void encode_cancel_request(cdr::Encoder& encoder, Version version,
                                     std::uint32_t request_id) const = 0;
  virtual void encode_close_connection(cdr::Encoder& encoder, Version version) const = 0;
  virtual void encode_message_error(cdr::Encoder& encoder, Version version) const = 0;
  /// @}

  /// @name Parsing. The message's octets must outlive the result.
  /// @{
  [[nodiscard]] virtual std::expected<Parsed<RequestHeader>, FramingError> parse_request(
      const IncomingMessage& message, ContextStorage& contexts) const = 0;
  [[nodiscard]] virtual std::expected<Parsed<ReplyHeader>, FramingError> parse_reply(
      const IncomingMessage& message, ContextStorage& contexts) const = 0;
  [[nodiscard]] virtual std::expected<LocateRequestHeader, FramingError> parse_locate_request(
      const IncomingMessage& message) const = 0;
  [[nodiscard]] virtual std::expected<Parsed<LocateReplyHeader>, FramingError> parse_locate_reply(
      const IncomingMessage& message) const = 0;
  [[nodiscard]] virtual std::expected<std::uint32_t, FramingError> parse_cancel_request(
      const IncomingMessage& message) const = 0;
  /// @}

  /// @name Sealing, only if `seals()`
  /// @{
  /// Runs on the writing thread once for each message, in the order in which messages are sent.
  /// Runs directly before the message is sent: a message that is withdrawn is never sealed.
  virtual void seal(OutgoingSegments& /*message*/) {}
  /// Runs on the reading thread once for each whole message, in the order in which messages arrive.
  /// May shorten `message.octets` at either end, or replace the storage. An error ends the
  /// connection.
  [[nodiscard]] virtual std::optional<FramingError> unseal(IncomingMessage& /*message*/) {
    return std::nullopt;
  }
  /// @}

 protected:
  enum class Sealing : std::uint8_t { no, yes };
  enum class Landing : std::uint8_t { no, yes };
  /// `protocol` outlives the session.
  explicit Session(const MessagingProtocol& protocol, Sealing sealing = Sealing::no,
                   Landing landing = Landing::no) noexcept
      : protocol_(protocol),
        seals_(sealing == Sealing::yes),
        reads_landed_(landing == Landing::yes) {}

 private:
  const MessagingProtocol& protocol_;
  const bool seals_;
  const bool reads_landed_;
};

/// A messaging protocol: opens the sessions of connections that carry its messages. Each ORB has
/// its own object, which lives as long as the ORB. Any thread.
class PERIGEE_API MessagingProtocol {
 public:
  virtual ~MessagingProtocol() = default;

  /// The name that scheme rows use: "giop". Lower case.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// The name and version as text: "GIOP 1.2".
  [[nodiscard]] virtual std::string version_text(Version version) const {
    return std::string(name()) + ' ' + std::to_string(version.major) + '.' +
           std::to_string(version.minor);
  }
  /// The properties that these messages need of a transport.
  [[nodiscard]] virtual Needs needs(Use /*use*/) const noexcept { return {}; }
  /// The highest supported version. Arguments and results in a message are encoded by the rules of
  /// GIOP in the version of the same number.
  [[nodiscard]] virtual Version version_max() const noexcept { return {1, 2}; }
  /// The version in which to encode for a peer that understands a shorter form of `version`. It is
  /// `version` itself if there is no shorter form. For encoding only: received messages may have
  /// any form.
  [[nodiscard]] virtual Version short_form(Version version) const noexcept { return version; }
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

  /// A session for a new connection. `carrier` has the properties of the connection's transport.
  [[nodiscard]] virtual std::unique_ptr<Session> open(Role role, const Carrier& carrier) const = 0;

 protected:
  explicit MessagingProtocol(const Limits& limits) : limits_(limits) {}

 private:
  const Limits limits_;
};

inline const Limits& Session::limits() const noexcept { return protocol_.limits(); }

}  // namespace perigee::messaging
