// Parses GIOP message headers in all versions. Returns views into the message. Allocates only when
// the caller's context storage grows.
#include "giop/frame.h"
#include "giop/session.h"
#include "giop/target.h"
#include <perigee/cdr/decoder.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace perigee::giop {

using messaging::ContextStorage;
using messaging::IncomingMessage;
using messaging::LocateReplyHeader;
using messaging::LocateRequestHeader;
using messaging::LocateStatus;
using messaging::Parsed;
using messaging::ReplyHeader;
using messaging::ReplyStatus;
using messaging::RequestHeader;
using messaging::ResponseFlags;

namespace {

cdr::Decoder decoder_of(const IncomingMessage& message, const cdr::Limits& limits) noexcept {
  cdr::Decoder decoder(message.octets, message.order, message.header_size, limits);
  if (message.piece_sizes) [[unlikely]]
    decoder.set_pieces(message.piece_sizes.get());
  if (message.landed) [[unlikely]]
    decoder.set_landed(*message.landed);
  return decoder;
}

/// The result of the check that the decoder does not make: the limit of service contexts.
struct Check {
  bool ok = true;
  FramingError error = FramingError::bad_header;
};

/// Out of line, because most messages have no contexts.
[[gnu::noinline]] void read_each_context(cdr::Decoder& decoder, ContextStorage& contexts,
                                         std::size_t count) {
  for (std::size_t index = 0; index < count; ++index) {
    const auto id = decoder.read<std::uint32_t>();
    contexts.push_back({id, decoder.read_octet_sequence()});
  }
}

[[gnu::always_inline]] inline Check read_contexts(cdr::Decoder& decoder, ContextStorage& contexts,
                                                  std::uint32_t count_max) {
  contexts.clear();
  const std::size_t count = decoder.read_length(8);
  if (count == 0) return {};
  if (count > count_max) return {false, FramingError::too_large};
  read_each_context(decoder, contexts, count);
  return {};
}

/// CORBA 3.0, 15.4.2.1. Only the two low bits have a meaning. Their value 2 is invalid (interop
/// fact 13 of docs/interop.md).
ResponseFlags read_response_flags(cdr::Decoder& decoder) noexcept {
  const unsigned flags = decoder.read<std::uint8_t>() & 3u;
  if (flags == 2) decoder.fail(cdr::ErrorKind::bad_value);
  return static_cast<ResponseFlags>(flags);
}

/// The boolean of 1.0 and 1.1. Some ORBs send other values than 1 for true (interop fact 27 of
/// docs/interop.md).
ResponseFlags read_response_expected(cdr::Decoder& decoder) noexcept {
  return decoder.read<std::uint8_t>() != 0 ? ResponseFlags::with_target : ResponseFlags::none;
}

Check read_request_1_2(cdr::Decoder& decoder, RequestHeader& header, ContextStorage& contexts,
                       std::uint32_t contexts_max) {
  header.request_id = decoder.read<std::uint32_t>();
  header.response = read_response_flags(decoder);
  decoder.skip(3);  // reserved
  const Target target = read_target(decoder);
  header.addressing = target.addressing;
  header.object_key = target.object_key;
  header.operation = decoder.read_string_view();
  return read_contexts(decoder, contexts, contexts_max);
}

Check read_request_1_0(cdr::Decoder& decoder, RequestHeader& header, ContextStorage& contexts,
                       std::uint32_t contexts_max) {
  const Check check = read_contexts(decoder, contexts, contexts_max);
  if (!check.ok) return check;
  header.request_id = decoder.read<std::uint32_t>();
  header.response = read_response_expected(decoder);
  decoder.align(4);  // reserved in 1.1, padding in 1.0
  header.object_key = decoder.read_octet_sequence();
  header.operation = decoder.read_string_view();
  header.principal = decoder.read_octet_sequence();
  return {};
}

std::uint8_t lite_information(const IncomingMessage& message) noexcept {
  const auto bits = std::to_integer<std::uint8_t>(message.octets[lite_bits_offset]);
  return static_cast<std::uint8_t>(bits >> lite_information_shift);
}

void read_lite_request(cdr::Decoder& decoder, RequestHeader& header,
                       const IncomingMessage& message) {
  const std::uint8_t flags = lite_information(message);
  if (flags == 2 || flags > 3) decoder.fail(cdr::ErrorKind::bad_value);
  header.response = static_cast<ResponseFlags>(flags);
  header.request_id = decoder.read<std::uint32_t>();
  header.object_key = decoder.read_octet_sequence();
  header.operation = decoder.read_string_view();
}

void read_lite_reply(cdr::Decoder& decoder, ReplyHeader& header, const IncomingMessage& message) {
  const std::uint8_t status = lite_information(message);
  if (status > static_cast<std::uint8_t>(ReplyStatus::needs_addressing_mode))
    decoder.fail(cdr::ErrorKind::bad_value);
  header.status = static_cast<ReplyStatus>(status);
  header.request_id = decoder.read<std::uint32_t>();
}

/// Aligns to the body of a 1.2 request or reply. An empty body has no padding before it (interop
/// facts 3, 4 of docs/interop.md).
[[gnu::always_inline]] inline void align_body(cdr::Decoder& decoder,
                                              messaging::Version version) noexcept {
  if (version.minor < 2) return;
  const std::size_t padding = (0 - decoder.position()) & 7;
  decoder.skip(std::min(padding, decoder.remaining()));
}

/// Reads a status, which must be less than `count`, the number of statuses in the version.
template <typename Status>
Status read_status(cdr::Decoder& decoder, std::uint32_t count) noexcept {
  return static_cast<Status>(decoder.read_enum(count));
}

Check read_reply(cdr::Decoder& decoder, ReplyHeader& header, ContextStorage& contexts,
                 messaging::Version version, std::uint32_t contexts_max) {
  const bool contexts_last = version.minor >= 2;
  Check check;
  if (!contexts_last) check = read_contexts(decoder, contexts, contexts_max);
  header.request_id = decoder.read<std::uint32_t>();
  header.status = read_status<ReplyStatus>(decoder, contexts_last ? 6 : 4);
  if (contexts_last) check = read_contexts(decoder, contexts, contexts_max);
  return check;
}

/// Whether the message is GIOP 1.2 in one piece, so that its header can be read without a decoder.
[[gnu::always_inline]] inline bool has_plain_header(const IncomingMessage& message,
                                                    std::size_t size_min) noexcept {
  return message.octets.size() >= size_min && !message.piece_sizes && !message.landed &&
         message.version.minor >= 2 && message.header_size == frame_header_size;
}

/// The text at `place`, if its only NUL is its last octet. Null otherwise: the decoder must check
/// the text.
[[gnu::always_inline]] inline const char* find_plain_text(const std::byte* place,
                                                          std::size_t size) noexcept {
  if (size == 0) return nullptr;
  const bool ends = std::memchr(place, 0, size) == place + size - 1;
  return ends ? reinterpret_cast<const char*>(place) : nullptr;
}

constexpr std::size_t plain_key_place = frame_header_size + 16;

/// Parses the header of a request of 1.2 with a key and without contexts, the usual form. Returns
/// where the body begins. Returns zero for any other header, and for an invalid header.
[[gnu::always_inline]] inline std::size_t read_plain_request(const IncomingMessage& message,
                                                             RequestHeader& header) noexcept {
  if (!has_plain_header(message, plain_key_place + 12)) return 0;
  const std::byte* const octets = message.octets.data();
  const std::size_t size = message.octets.size();
  const unsigned flags = std::to_integer<unsigned>(octets[frame_header_size + 4]) & 3u;
  const bool by_key = octets[frame_header_size + 8] == std::byte{0} &&
                      octets[frame_header_size + 9] == std::byte{0};
  const std::size_t key_size = load_ulong(octets + plain_key_place - 4, message.order);
  if (flags == 2 || !by_key || key_size > size) return 0;
  std::size_t place = aligned(plain_key_place + key_size, 4);
  if (place + 4 > size) return 0;
  const std::size_t text_size = load_ulong(octets + place, message.order);
  place += 4;
  if (text_size > size - place) return 0;
  const char* const text = find_plain_text(octets + place, text_size);
  place = aligned(place + text_size, 4);
  if (text == nullptr || place + 4 > size || load_ulong(octets + place, message.order) != 0)
    return 0;
  header.request_id = load_ulong(octets + frame_header_size, message.order);
  header.response = static_cast<ResponseFlags>(flags);
  header.object_key = message.octets.subspan(plain_key_place, key_size);
  header.operation = {text, text_size - 1};
  return std::min(aligned(place + 4, 8), size);
}

/// The start of the body of a plain reply.
constexpr std::size_t plain_reply_end = frame_header_size + 12;

/// Parses the header of a reply of 1.2 without contexts, the usual form. Its fields are at constant
/// offsets. Returns std::nullopt for other headers and for an invalid header.
[[gnu::always_inline]] inline std::optional<ReplyHeader> read_plain_reply(
    const IncomingMessage& message) noexcept {
  if (!has_plain_header(message, plain_reply_end)) return std::nullopt;
  const std::byte* const fields = message.octets.data() + frame_header_size;
  const std::uint32_t status = load_ulong(fields + 4, message.order);
  const bool has_contexts = load_ulong(fields + 8, message.order) != 0;
  if (has_contexts || status > static_cast<std::uint32_t>(ReplyStatus::needs_addressing_mode))
    return std::nullopt;
  return ReplyHeader{load_ulong(fields, message.order), static_cast<ReplyStatus>(status), {}};
}

}  // namespace

std::expected<Parsed<RequestHeader>, FramingError> GiopSession::parse_request(
    const IncomingMessage& message, ContextStorage& contexts) const {
  RequestHeader plain;
  if (const std::size_t body = read_plain_request(message, plain)) [[likely]] {
    contexts.clear();
    return std::expected<Parsed<RequestHeader>, FramingError>(
        std::in_place, plain, cdr::Decoder(message.octets, message.order, body, limits().values));
  }
  return parse_any_request(message, contexts);
}

std::expected<Parsed<RequestHeader>, FramingError> GiopSession::parse_any_request(
    const IncomingMessage& message, ContextStorage& contexts) const {
  // Reads through the decoder in the result, and returns only this result: a copy would cost as
  // much as reading.
  std::expected<Parsed<RequestHeader>, FramingError> result(std::in_place, RequestHeader{},
                                                            decoder_of(message, limits().values));
  auto& [header, decoder] = *result;
  const std::uint32_t contexts_max = limits().service_contexts_max;
  Check check;
  if (message.header_size == lite_header_size) {
    contexts.clear();
    read_lite_request(decoder, header, message);
  } else if (message.version.minor >= 2) {
    check = read_request_1_2(decoder, header, contexts, contexts_max);
  } else {
    check = read_request_1_0(decoder, header, contexts, contexts_max);
  }
  if (check.ok && decoder.ok()) [[likely]] {
    align_body(decoder, message.version);
    header.contexts = contexts;
  } else {
    result = std::unexpected(check.ok ? FramingError::bad_header : check.error);
  }
  return result;
}

std::expected<Parsed<ReplyHeader>, FramingError> GiopSession::parse_reply(
    const IncomingMessage& message, ContextStorage& contexts) const {
  if (const auto plain = read_plain_reply(message)) [[likely]] {
    static_assert(plain_reply_end % 8 == 0);  // so no padding precedes the body
    contexts.clear();
    return std::expected<Parsed<ReplyHeader>, FramingError>(
        std::in_place, *plain,
        cdr::Decoder(message.octets, message.order, plain_reply_end, limits().values));
  }
  return parse_any_reply(message, contexts);
}

std::expected<Parsed<ReplyHeader>, FramingError> GiopSession::parse_any_reply(
    const IncomingMessage& message, ContextStorage& contexts) const {
  std::expected<Parsed<ReplyHeader>, FramingError> result(std::in_place, ReplyHeader{},
                                                          decoder_of(message, limits().values));
  auto& [header, decoder] = *result;
  Check check;
  if (message.header_size == lite_header_size) {
    contexts.clear();
    read_lite_reply(decoder, header, message);
  } else {
    check = read_reply(decoder, header, contexts, message.version, limits().service_contexts_max);
  }
  if (check.ok && decoder.ok()) [[likely]] {
    align_body(decoder, message.version);
    header.contexts = contexts;
  } else {
    result = std::unexpected(check.ok ? FramingError::bad_header : check.error);
  }
  return result;
}

std::expected<LocateRequestHeader, FramingError> GiopSession::parse_locate_request(
    const IncomingMessage& message) const {
  cdr::Decoder decoder = decoder_of(message, limits().values);
  LocateRequestHeader header;
  header.request_id = decoder.read<std::uint32_t>();
  if (message.version.minor >= 2) {
    const Target target = read_target(decoder);
    header.addressing = target.addressing;
    header.object_key = target.object_key;
  } else {
    header.object_key = decoder.read_octet_sequence();
  }
  if (!decoder.ok()) return std::unexpected(FramingError::bad_header);
  return header;
}

std::expected<Parsed<LocateReplyHeader>, FramingError> GiopSession::parse_locate_reply(
    const IncomingMessage& message) const {
  cdr::Decoder decoder = decoder_of(message, limits().values);
  LocateReplyHeader header;
  header.request_id = decoder.read<std::uint32_t>();
  header.status = read_status<LocateStatus>(decoder, message.version.minor >= 2 ? 6 : 3);
  if (!decoder.ok()) return std::unexpected(FramingError::bad_header);
  // The body is not aligned (interop fact 5 of docs/interop.md).
  return Parsed<LocateReplyHeader>{header, decoder};
}

std::expected<std::uint32_t, FramingError> GiopSession::parse_cancel_request(
    const IncomingMessage& message) const {
  cdr::Decoder decoder = decoder_of(message, limits().values);
  const auto request_id = decoder.read<std::uint32_t>();
  if (!decoder.ok()) return std::unexpected(FramingError::bad_header);
  return request_id;
}

}  // namespace perigee::giop
