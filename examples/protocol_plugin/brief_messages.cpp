// Framing, writing and reading messages.
#include "brief_messages.h"

#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>

#include <algorithm>
#include <span>

namespace board {
namespace {

namespace cdr = perigee::cdr;
namespace messaging = perigee::messaging;
using messaging::Body;
using messaging::ContextStorage;
using messaging::Frame;
using messaging::FramingError;
using messaging::IncomingMessage;
using messaging::MessageKind;
using messaging::Parsed;
using messaging::Version;
using perigee::OctetSpan;

constexpr std::size_t body_alignment = 8;
constexpr std::size_t size_offset = 4;
constexpr std::size_t detail_offset = 3;

void write_header(cdr::Encoder& encoder, MessageKind kind, std::uint32_t request_id = 0,
                  std::uint32_t detail = 0) {
  encoder.write(frame_marker);
  encoder.write(static_cast<std::uint8_t>(kind));
  encoder.write_boolean(encoder.order() == std::endian::little);
  encoder.write(static_cast<std::uint8_t>(detail));
  encoder.write(std::uint32_t{0});  // the size: see `finish`
  encoder.write(request_id);
}

void write_contexts(cdr::Encoder& encoder, std::span<const perigee::iop::ServiceContext> contexts) {
  encoder.write_length(contexts.size());
  for (const auto& context : contexts) {
    encoder.write(context.id);
    encoder.write_length(context.data.size());
    encoder.write_octets(context.data);
  }
}

void begin_body(cdr::Encoder& encoder, Body body) {
  if (body == Body::present) encoder.align(body_alignment);
}

/// One message, header included.
class Parser {
 public:
  Parser(const IncomingMessage& message, const messaging::Limits& limits)
      : detail_(std::to_integer<std::uint32_t>(message.octets[detail_offset])),
        limits_(limits),
        decoder_(message.octets, message.order, size_offset + 4, limits.values) {}

  std::uint32_t request_id() { return decoder_.read<std::uint32_t>(); }
  OctetSpan object_key() { return decoder_.read_octet_sequence(); }
  std::string_view operation() { return decoder_.read_string_view(); }
  /// The response flags or the status in the header. An error if the number is not below `count`.
  template <typename Detail>
  Detail detail(std::uint32_t count) {
    if (detail_ >= count) decoder_.fail(cdr::ErrorKind::bad_value);
    return static_cast<Detail>(detail_);
  }
  messaging::ResponseFlags response() {
    if (detail_ == 2) decoder_.fail(cdr::ErrorKind::bad_value);
    return detail<messaging::ResponseFlags>(4);
  }
  void contexts(ContextStorage& contexts) {
    contexts.clear();
    const std::size_t count = decoder_.read_length(8);
    if (count > limits_.service_contexts_max) decoder_.fail(cdr::ErrorKind::too_large);
    for (std::size_t index = 0; index < count && decoder_.ok(); ++index) {
      const auto id = decoder_.read<std::uint32_t>();
      contexts.push_back({id, decoder_.read_octet_sequence()});
    }
  }
  /// Ends parsing. Returns the header, and the decoder at the beginning of the body.
  template <typename Header>
  std::expected<Parsed<Header>, FramingError> parsed(const Header& header) {
    if (!decoder_.ok()) return std::unexpected(FramingError::bad_header);
    const std::size_t padding = (0 - decoder_.position()) & (body_alignment - 1);
    decoder_.skip(std::min(padding, decoder_.remaining()));
    return Parsed<Header>{header, decoder_};
  }
  template <typename Value>
  std::expected<Value, FramingError> whole(const Value& value) {
    if (!decoder_.ok()) return std::unexpected(FramingError::bad_header);
    return value;
  }

 private:
  const std::uint32_t detail_;
  const messaging::Limits& limits_;
  cdr::Decoder decoder_;
};

class BriefSession final : public messaging::Session {
 public:
  explicit BriefSession(const messaging::MessagingProtocol& protocol) : Session(protocol) {}

  [[nodiscard]] Frame frame(OctetSpan front) const noexcept override {
    if (front.size() < frame_header_size) return Frame::need(frame_header_size);
    const auto octet = [front](std::size_t at) { return std::to_integer<unsigned>(front[at]); };
    if (octet(0) != frame_marker || octet(2) > 1) return Frame::bad(FramingError::bad_magic);
    if (octet(1) > static_cast<unsigned>(MessageKind::message_error))
      return Frame::bad(FramingError::bad_type);
    Frame frame;
    frame.kind = static_cast<MessageKind>(octet(1));
    frame.version = {1, 2};
    frame.order = octet(2) == 1 ? std::endian::little : std::endian::big;
    cdr::Decoder decoder(front, frame.order, size_offset);
    frame.total = frame_header_size + std::size_t{decoder.read<std::uint32_t>()};
    frame.header_size = frame_header_size;
    return frame;
  }

  void begin_request(cdr::Encoder& encoder, Version /*version*/,
                     const messaging::RequestHeader& header, Body body) const override {
    write_header(encoder, MessageKind::request, header.request_id,
                 static_cast<std::uint32_t>(header.response));
    write_contexts(encoder, header.contexts);
    encoder.write_length(header.object_key.size());
    encoder.write_octets(header.object_key);
    encoder.write_string(header.operation);
    begin_body(encoder, body);
  }
  void begin_reply(cdr::Encoder& encoder, Version /*version*/, const messaging::ReplyHeader& header,
                   Body body) const override {
    write_header(encoder, MessageKind::reply, header.request_id,
                 static_cast<std::uint32_t>(header.status));
    write_contexts(encoder, header.contexts);
    begin_body(encoder, body);
  }
  void begin_locate_reply(cdr::Encoder& encoder, Version /*version*/,
                          const messaging::LocateReplyHeader& header) const override {
    write_header(encoder, MessageKind::locate_reply, header.request_id,
                 static_cast<std::uint32_t>(header.status));
    begin_body(encoder, Body::present);
  }
  void finish(cdr::Encoder& encoder) const override {
    const std::size_t size = encoder.buffer().size();
    if (size > limits().message_size_max) encoder.fail(cdr::ErrorKind::too_large);
    encoder.patch(size_offset, static_cast<std::uint32_t>(size - frame_header_size));
  }
  void encode_locate_request(cdr::Encoder& encoder, Version /*version*/,
                             const messaging::LocateRequestHeader& header) const override {
    write_header(encoder, MessageKind::locate_request, header.request_id);
    encoder.write_length(header.object_key.size());
    encoder.write_octets(header.object_key);
    finish(encoder);
  }
  void encode_cancel_request(cdr::Encoder& encoder, Version /*version*/,
                             std::uint32_t request_id) const override {
    write_header(encoder, MessageKind::cancel_request, request_id);
  }
  void encode_close_connection(cdr::Encoder& encoder, Version /*version*/) const override {
    write_header(encoder, MessageKind::close_connection);
  }
  void encode_message_error(cdr::Encoder& encoder, Version /*version*/) const override {
    write_header(encoder, MessageKind::message_error);
  }

  [[nodiscard]] std::expected<Parsed<messaging::RequestHeader>, FramingError> parse_request(
      const IncomingMessage& message, ContextStorage& contexts) const override {
    Parser parser(message, limits());
    messaging::RequestHeader header;
    header.request_id = parser.request_id();
    header.response = parser.response();
    parser.contexts(contexts);
    header.contexts = contexts;
    header.object_key = parser.object_key();
    header.operation = parser.operation();
    return parser.parsed(header);
  }
  [[nodiscard]] std::expected<Parsed<messaging::ReplyHeader>, FramingError> parse_reply(
      const IncomingMessage& message, ContextStorage& contexts) const override {
    Parser parser(message, limits());
    messaging::ReplyHeader header;
    header.request_id = parser.request_id();
    header.status = parser.detail<messaging::ReplyStatus>(6);
    parser.contexts(contexts);
    header.contexts = contexts;
    return parser.parsed(header);
  }
  [[nodiscard]] std::expected<messaging::LocateRequestHeader, FramingError> parse_locate_request(
      const IncomingMessage& message) const override {
    Parser parser(message, limits());
    messaging::LocateRequestHeader header;
    header.request_id = parser.request_id();
    header.object_key = parser.object_key();
    return parser.whole(header);
  }
  [[nodiscard]] std::expected<Parsed<messaging::LocateReplyHeader>, FramingError>
  parse_locate_reply(const IncomingMessage& message) const override {
    Parser parser(message, limits());
    messaging::LocateReplyHeader header;
    header.request_id = parser.request_id();
    header.status = parser.detail<messaging::LocateStatus>(6);
    return parser.parsed(header);
  }
  [[nodiscard]] std::expected<std::uint32_t, FramingError> parse_cancel_request(
      const IncomingMessage& message) const override {
    Parser parser(message, limits());
    return parser.whole(parser.request_id());
  }
};

class BriefMessages final : public messaging::MessagingProtocol {
 public:
  explicit BriefMessages(const messaging::Limits& limits) : MessagingProtocol(limits) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "brief"; }
  [[nodiscard]] std::string version_text(Version /*version*/) const override { return "brief"; }
  [[nodiscard]] std::unique_ptr<messaging::Session> open(
      messaging::Role /*role*/, const messaging::Carrier& /*carrier*/) const override {
    return std::make_unique<BriefSession>(*this);
  }
};

}  // namespace

std::unique_ptr<messaging::MessagingProtocol> make_brief_messages(const messaging::Limits& limits) {
  return std::make_unique<BriefMessages>(limits);
}

}  // namespace board
