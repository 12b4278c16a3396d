// Forwarding to GIOP, with eight octets in front of each message.
#include "support/numbered_messages.h"

#include <perigee/base/byte_order.h>
#include <perigee/giop/giop.h>

#include <atomic>
#include <cstring>

namespace perigee::test {
namespace {

using messaging::ContextStorage;
using messaging::Frame;
using messaging::FramingError;
using messaging::IncomingMessage;
using messaging::Parsed;
using messaging::Version;

constexpr char mark[] = {'N', 'U', 'M', 'B'};
constexpr std::size_t number_size = 8;  // keeps the alignment of the message

std::atomic<std::uint64_t> right_numbers{0};
std::atomic<std::uint64_t> wrong_numbers{0};

bool has_mark(OctetSpan front) noexcept {
  return std::memcmp(front.data(), mark, sizeof mark) == 0;
}

class NumberedSession final : public messaging::Session {
 public:
  NumberedSession(const messaging::MessagingProtocol& protocol,
                  std::unique_ptr<messaging::Session> inner)
      : Session(protocol, Sealing::yes), inner_(std::move(inner)) {}

  // A continuation has no number: the message that it belongs to has one.
  [[nodiscard]] Frame frame(OctetSpan front) const noexcept override {
    if (front.size() < number_size) return Frame::need(number_size);
    if (!has_mark(front)) {
      const Frame frame = inner_->frame(front);
      const bool first = frame.status == Frame::Status::piece && !frame.continuation;
      const bool unnumbered = frame.status == Frame::Status::message || first;
      return unnumbered ? Frame::bad(FramingError::bad_magic) : frame;
    }
    if (front.size() == number_size) return Frame::need(number_size + 1);
    Frame frame = inner_->frame(front.subspan(number_size));
    if (frame.total != 0) frame.total += number_size;
    frame.needed += number_size;
    frame.header_size = static_cast<std::uint16_t>(frame.header_size + number_size);
    if (frame.continuation) return Frame::bad(FramingError::bad_fragment);
    return frame;
  }
  void join(MutableOctetSpan message, std::size_t size,
            const Frame& first) const noexcept override {
    inner_->join(message.subspan(number_size), size - number_size, first);
  }

  void seal(messaging::OutgoingSegments& message) override {
    message.sealed.resize(number_size);
    const std::uint32_t number = ++sealed_;
    std::memcpy(message.sealed.data(), mark, sizeof mark);
    std::memcpy(message.sealed.data() + sizeof mark, &number, sizeof number);
    message.segments.insert(message.segments.begin(), OctetSpan(message.sealed));
  }
  [[nodiscard]] std::optional<FramingError> unseal(IncomingMessage& message) override {
    std::uint32_t number = 0;
    std::memcpy(&number, message.octets.data() + sizeof mark, sizeof number);
    message.octets = message.octets.subspan(number_size);
    message.header_size -= number_size;
    if (message.piece_sizes) message.piece_sizes[0] -= number_size;
    ++(number == ++unsealed_ ? right_numbers : wrong_numbers);
    if (number == unsealed_) return std::nullopt;
    return FramingError::bad_header;
  }

  void begin_request(cdr::Encoder& encoder, Version version, const messaging::RequestHeader& header,
                     messaging::Body body) const override {
    inner_->begin_request(encoder, version, header, body);
  }
  void begin_reply(cdr::Encoder& encoder, Version version, const messaging::ReplyHeader& header,
                   messaging::Body body) const override {
    inner_->begin_reply(encoder, version, header, body);
  }
  void begin_locate_reply(cdr::Encoder& encoder, Version version,
                          const messaging::LocateReplyHeader& header) const override {
    inner_->begin_locate_reply(encoder, version, header);
  }
  void finish(cdr::Encoder& encoder) const override { inner_->finish(encoder); }
  void gather(const cdr::Buffer& message, std::vector<OctetSpan>& segments,
              Octets& fragment_headers) const override {
    inner_->gather(message, segments, fragment_headers);
  }
  void encode_locate_request(cdr::Encoder& encoder, Version version,
                             const messaging::LocateRequestHeader& header) const override {
    inner_->encode_locate_request(encoder, version, header);
  }
  void encode_cancel_request(cdr::Encoder& encoder, Version version,
                             std::uint32_t request_id) const override {
    inner_->encode_cancel_request(encoder, version, request_id);
  }
  void encode_close_connection(cdr::Encoder& encoder, Version version) const override {
    inner_->encode_close_connection(encoder, version);
  }
  void encode_message_error(cdr::Encoder& encoder, Version version) const override {
    inner_->encode_message_error(encoder, version);
  }

  [[nodiscard]] std::expected<Parsed<messaging::RequestHeader>, FramingError> parse_request(
      const IncomingMessage& message, ContextStorage& contexts) const override {
    return inner_->parse_request(message, contexts);
  }
  [[nodiscard]] std::expected<Parsed<messaging::ReplyHeader>, FramingError> parse_reply(
      const IncomingMessage& message, ContextStorage& contexts) const override {
    return inner_->parse_reply(message, contexts);
  }
  [[nodiscard]] std::expected<messaging::LocateRequestHeader, FramingError> parse_locate_request(
      const IncomingMessage& message) const override {
    return inner_->parse_locate_request(message);
  }
  [[nodiscard]] std::expected<Parsed<messaging::LocateReplyHeader>, FramingError>
  parse_locate_reply(const IncomingMessage& message) const override {
    return inner_->parse_locate_reply(message);
  }
  [[nodiscard]] std::expected<std::uint32_t, FramingError> parse_cancel_request(
      const IncomingMessage& message) const override {
    return inner_->parse_cancel_request(message);
  }

 private:
  const std::unique_ptr<messaging::Session> inner_;
  std::uint32_t sealed_ = 0;    // the writing thread's
  std::uint32_t unsealed_ = 0;  // the reading thread's
};

class NumberedMessages final : public messaging::MessagingProtocol {
 public:
  explicit NumberedMessages(const messaging::Limits& limits)
      : MessagingProtocol(limits), giop_(giop::make_giop(limits)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "numbered"; }
  [[nodiscard]] std::unique_ptr<messaging::Session> open(
      messaging::Role role, const messaging::Carrier& carrier) const override {
    return std::make_unique<NumberedSession>(*this, giop_->open(role, carrier));
  }

 private:
  const std::unique_ptr<messaging::MessagingProtocol> giop_;
};

}  // namespace

std::unique_ptr<messaging::MessagingProtocol> make_numbered_messages(
    const messaging::Limits& limits) {
  return std::make_unique<NumberedMessages>(limits);
}

std::uint64_t misnumbered_messages() noexcept { return wrong_numbers; }
std::uint64_t numbered_messages() noexcept { return right_numbers; }

}  // namespace perigee::test
