// The classes behind make_giop. The functions of the session are in framing.cpp, encode.cpp,
// fragment.cpp and parse.cpp.
#pragma once

#include <perigee/giop/giop.h>
#include <perigee/messaging/carrier.h>
#include <perigee/messaging/protocol.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace perigee::giop {

/// GIOP 1.0 to 1.2 and GIOPlite on one connection. Stateless.
class GiopSession final : public messaging::Session {
 public:
  GiopSession(const messaging::MessagingProtocol& protocol,
              const messaging::Carrier& carrier) noexcept
      : Session(protocol, Sealing::no, Landing::yes),
        message_size_max_(
            carrier.shape == messaging::Shape::datagrams
                ? std::min<std::size_t>(protocol.limits().message_size_max, carrier.datagram_max)
                : protocol.limits().message_size_max),
        fragments_(carrier.shape == messaging::Shape::stream) {}

  [[nodiscard]] messaging::Frame frame(OctetSpan front) const noexcept override;
  void join(MutableOctetSpan message, std::size_t size,
            const messaging::Frame& first) const noexcept override;

  void begin_request(cdr::Encoder& encoder, messaging::Version version,
                     const messaging::RequestHeader& header, messaging::Body body) const override;
  void begin_reply(cdr::Encoder& encoder, messaging::Version version,
                   const messaging::ReplyHeader& header, messaging::Body body) const override;
  void begin_locate_reply(cdr::Encoder& encoder, messaging::Version version,
                          const messaging::LocateReplyHeader& header) const override;
  void finish(cdr::Encoder& encoder) const override;
  void gather(const cdr::Buffer& message, std::vector<OctetSpan>& segments,
              Octets& fragment_headers) const override;
  void encode_locate_request(cdr::Encoder& encoder, messaging::Version version,
                             const messaging::LocateRequestHeader& header) const override;
  void encode_cancel_request(cdr::Encoder& encoder, messaging::Version version,
                             std::uint32_t request_id) const override;
  void encode_close_connection(cdr::Encoder& encoder, messaging::Version version) const override;
  void encode_message_error(cdr::Encoder& encoder, messaging::Version version) const override;

  [[nodiscard]] std::expected<messaging::Parsed<messaging::RequestHeader>, messaging::FramingError>
  parse_request(const messaging::IncomingMessage& message,
                messaging::ContextStorage& contexts) const override;
  [[nodiscard]] std::expected<messaging::Parsed<messaging::ReplyHeader>, messaging::FramingError>
  parse_reply(const messaging::IncomingMessage& message,
              messaging::ContextStorage& contexts) const override;
  [[nodiscard]] std::expected<messaging::LocateRequestHeader, messaging::FramingError>
  parse_locate_request(const messaging::IncomingMessage& message) const override;
  [[nodiscard]] std::expected<messaging::Parsed<messaging::LocateReplyHeader>,
                              messaging::FramingError>
  parse_locate_reply(const messaging::IncomingMessage& message) const override;
  [[nodiscard]] std::expected<std::uint32_t, messaging::FramingError> parse_cancel_request(
      const messaging::IncomingMessage& message) const override;

 private:
  [[nodiscard]] std::expected<messaging::Parsed<messaging::RequestHeader>, messaging::FramingError>
  parse_any_request(const messaging::IncomingMessage& message,
                    messaging::ContextStorage& contexts) const;
  [[nodiscard]] std::expected<messaging::Parsed<messaging::ReplyHeader>, messaging::FramingError>
  parse_any_reply(const messaging::IncomingMessage& message,
                  messaging::ContextStorage& contexts) const;
  void begin_any_request(cdr::Encoder& encoder, messaging::Version version,
                         const messaging::RequestHeader& header, messaging::Body body) const;
  void begin_any_reply(cdr::Encoder& encoder, messaging::Version version,
                       const messaging::ReplyHeader& header, messaging::Body body) const;

  const std::size_t message_size_max_;  // the limit for messages that are sent
  const bool fragments_;                // false for datagrams, since a fragment might be lost
};

class Giop final : public messaging::MessagingProtocol {
 public:
  explicit Giop(const messaging::Limits& limits) : MessagingProtocol(limits) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "giop"; }
  [[nodiscard]] std::string version_text(messaging::Version version) const override;
  [[nodiscard]] messaging::Needs needs(messaging::Use use) const noexcept override;
  [[nodiscard]] messaging::Version version_max() const noexcept override { return {1, 2}; }
  [[nodiscard]] messaging::Version short_form(messaging::Version version) const noexcept override {
    return version == version_max() ? lite_version : version;
  }
  [[nodiscard]] std::unique_ptr<messaging::Session> open(
      messaging::Role role, const messaging::Carrier& carrier) const override;
};

}  // namespace perigee::giop
