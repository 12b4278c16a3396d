// The class behind make_giop. Its functions are in encode.cpp, fragment.cpp, parse.cpp and
// giop.cpp.
#pragma once

#include <perigee/giop/giop.h>
#include <perigee/messaging/protocol.h>

namespace perigee::giop {

/// GIOP 1.0 to 1.2. Stateless but for its limits.
class Giop final : public messaging::Protocol {
 public:
  explicit Giop(const messaging::Limits& limits) : limits_(limits) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "GIOP"; }
  [[nodiscard]] std::string version_text(messaging::Version version) const override;
  [[nodiscard]] messaging::Version version_max() const noexcept override { return {1, 2}; }
  [[nodiscard]] messaging::Version short_form(messaging::Version version) const noexcept override {
    return version == version_max() ? lite_version : version;
  }
  [[nodiscard]] const messaging::Limits& limits() const noexcept override { return limits_; }
  [[nodiscard]] std::unique_ptr<messaging::MessageReader> make_reader() const override;

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
  messaging::Limits limits_;
};

}  // namespace perigee::giop
