// Encoding of GIOP message headers in all versions. Field orders: CORBA 3.0, 15.4.2 to 15.4.8
// (interop fact 2 of docs/interop.md). Writes no bodies.
#include "giop/header_writer.h"
#include "giop/session.h"

#include <array>
#include <cstring>

namespace perigee::giop {

using messaging::AddressingMode;
using messaging::Body;
using messaging::LocateReplyHeader;
using messaging::LocateRequestHeader;
using messaging::LocateStatus;
using messaging::ReplyHeader;
using messaging::ReplyStatus;
using messaging::RequestHeader;
using messaging::ResponseFlags;

namespace {

// CORBA 3.0, 15.4.2.2: the target is a key, a profile or a whole reference. If the header has no
// profile to send, the key is sent.
AddressingMode addressing_of(const RequestHeader& header) noexcept {
  if (header.addressing == AddressingMode::key) return AddressingMode::key;
  const bool has_profile =
      header.target != nullptr && header.profile_index < header.target->profiles.size();
  return has_profile ? header.addressing : AddressingMode::key;
}

void write_profile(HeaderWriter& writer, const iop::TaggedProfile& profile) {
  writer.ulong(profile.tag);
  writer.octet_sequence(profile.data);
}

void write_target(HeaderWriter& writer, const RequestHeader& header, AddressingMode mode) {
  writer.ushort(static_cast<std::uint16_t>(mode));
  if (mode == AddressingMode::key) return writer.octet_sequence(header.object_key);
  const iop::Ior& ior = *header.target;
  if (mode == AddressingMode::profile)
    return write_profile(writer, ior.profiles[header.profile_index]);
  writer.ulong(header.profile_index);
  writer.string(ior.type_id);
  writer.ulong(static_cast<std::uint32_t>(ior.profiles.size()));
  for (const iop::TaggedProfile& profile : ior.profiles) write_profile(writer, profile);
}

/// The largest number of octets that a target takes, with padding.
std::size_t target_size_max(const RequestHeader& header, AddressingMode mode) noexcept {
  if (mode == AddressingMode::key) return header.object_key.size();
  std::size_t size = header.target->type_id.size() + 16;
  for (const iop::TaggedProfile& profile : header.target->profiles)
    size += profile.data.size() + 12;
  return size;
}

void write_request_1_2(HeaderWriter& writer, const RequestHeader& header, AddressingMode mode) {
  writer.ulong(header.request_id);
  writer.octet(static_cast<std::uint8_t>(header.response));
  writer.reserved_octets();
  write_target(writer, header, mode);
  writer.string(header.operation);
  writer.contexts(header.contexts);
}

/// The header of 1.0 and 1.1. The three reserved octets of 1.1 are padding in 1.0.
void write_request_1_0(HeaderWriter& writer, const RequestHeader& header) {
  writer.contexts(header.contexts);
  writer.ulong(header.request_id);
  writer.octet(header.response == ResponseFlags::none ? 0 : 1);
  writer.reserved_octets();
  writer.octet_sequence(header.object_key);
  writer.string(header.operation);
  writer.octet_sequence(header.principal);
}

/// 1.0 and 1.1 have no permanent forward. It is sent as an ordinary forward.
ReplyStatus known_status(Version version, ReplyStatus status) {
  if (version.minor < 2 && status == ReplyStatus::location_forward_perm)
    return ReplyStatus::location_forward;
  return status;
}

LocateStatus known_status(Version version, LocateStatus status) {
  if (version.minor < 2 && status == LocateStatus::object_forward_perm)
    return LocateStatus::object_forward;
  return status;
}

// The frame header of GIOPlite has bits for fields that take four octets each in GIOP. A header
// that GIOPlite cannot express is sent in GIOP.
bool fits_lite(const RequestHeader& header) noexcept {
  return header.contexts.empty() && header.addressing == AddressingMode::key;
}

void begin_lite_request(cdr::Encoder& encoder, const RequestHeader& header, Body body) {
  HeaderWriter writer(encoder,
                      LiteHeader{FrameType::request, static_cast<std::uint32_t>(header.response)},
                      header.object_key.size() + header.operation.size());
  writer.ulong(header.request_id);
  writer.octet_sequence(header.object_key);
  writer.string(header.operation);
  if (body == Body::present) writer.align(8);
}

void begin_lite_reply(cdr::Encoder& encoder, const ReplyHeader& header, Body body) {
  HeaderWriter writer(encoder,
                      LiteHeader{FrameType::reply, static_cast<std::uint32_t>(header.status)}, 0);
  writer.ulong(header.request_id);
  if (body == Body::present) writer.align(8);
}

void encode_bare(cdr::Encoder& encoder, Version version, FrameType type) {
  const HeaderWriter writer(encoder, version, type);  // writes the size zero, which stays
}

/// Whether to write a header of GIOP 1.2 without contexts, in the byte order of the machine. In a
/// reply its fields are at constant offsets; in a request, only the key and the operation vary.
bool is_plain(const cdr::Encoder& encoder, Version version, std::size_t contexts) noexcept {
  return version == Version{1, 2} && contexts == 0 && encoder.order() == std::endian::native;
}

constexpr std::uint8_t native_flags =
    std::endian::native == std::endian::little ? flag_little_endian : 0;

/// Writes the frame header; `finish` patches its size. Returns where the message header begins.
std::byte* put_frame_header(std::byte* place, FrameType type) noexcept {
  const std::array<std::uint8_t, frame_header_size> header = {
      'G', 'I', 'O', 'P', 1, 2, native_flags, static_cast<std::uint8_t>(type)};
  std::memcpy(place, header.data(), header.size());
  return place + header.size();
}

std::byte* put_ulong(std::byte* place, std::uint32_t value) noexcept {
  std::memcpy(place, &value, sizeof value);
  return place + sizeof value;
}

/// Writes a request with an object key. A size precedes the key and the operation, and zeros pad
/// both. The zeros are written first; the last octets of the key or operation overwrite some.
void begin_plain_request(cdr::Encoder& encoder, const RequestHeader& header, Body body) {
  const OctetSpan key = header.object_key;
  const std::string_view operation = header.operation;
  if (!operation.empty() && std::memchr(operation.data(), 0, operation.size()) != nullptr)
      [[unlikely]]
    encoder.fail(cdr::ErrorKind::bad_string);
  const std::size_t operation_end =
      aligned(frame_header_size + 16 + key.size(), 4) + aligned(operation.size() + 5, 4);
  const std::size_t end = operation_end + 4;
  const std::size_t body_place = body == Body::present ? aligned(end, 8) : end;
  std::byte* const start = encoder.buffer().extend(body_place);
  std::byte* place = put_frame_header(start, FrameType::request);
  place = put_ulong(place, header.request_id);
  const std::array<std::uint8_t, 4> flags = {static_cast<std::uint8_t>(header.response)};
  std::memcpy(place, flags.data(), flags.size());
  place = put_ulong(place + flags.size(), static_cast<std::uint32_t>(AddressingMode::key));
  put_ulong(place + aligned(key.size(), 4), 0);
  put_ulong(place, static_cast<std::uint32_t>(key.size()));
  place += 4;
  if (!key.empty()) std::memcpy(place, key.data(), key.size());
  place += aligned(key.size(), 4);
  put_ulong(start + operation_end - 4, 0);
  place = put_ulong(place, static_cast<std::uint32_t>(operation.size() + 1));
  if (!operation.empty()) std::memcpy(place, operation.data(), operation.size());
  put_ulong(start + operation_end, 0);  // contexts
  if (body_place != end) put_ulong(start + end, 0);
}

void begin_plain_reply(cdr::Encoder& encoder, const ReplyHeader& header) {
  static_assert((frame_header_size + 12) % 8 == 0);  // so the body needs no padding
  std::byte* place = encoder.buffer().extend(frame_header_size + 12);
  place = put_frame_header(place, FrameType::reply);
  place = put_ulong(place, header.request_id);
  place = put_ulong(place, static_cast<std::uint32_t>(header.status));
  put_ulong(place, 0);  // contexts
}

}  // namespace

void GiopSession::begin_request(cdr::Encoder& encoder, Version version, const RequestHeader& header,
                                Body body) const {
  if (is_plain(encoder, version, header.contexts.size()) &&
      header.addressing == AddressingMode::key) [[likely]]
    return begin_plain_request(encoder, header, body);
  begin_any_request(encoder, version, header, body);
}

void GiopSession::begin_any_request(cdr::Encoder& encoder, Version version,
                                    const RequestHeader& header, Body body) const {
  if (version == lite_version && fits_lite(header))
    return begin_lite_request(encoder, header, body);
  const AddressingMode mode = version.minor < 2 ? AddressingMode::key : addressing_of(header);
  const std::size_t variable_size = target_size_max(header, mode) + header.operation.size() +
                                    encoded_size_max(header.contexts) + header.principal.size();
  HeaderWriter writer(encoder, version, FrameType::request, variable_size);
  if (version.minor < 2) return write_request_1_0(writer, header);
  write_request_1_2(writer, header, mode);
  if (body == Body::present) writer.align(8);  // interop facts 3 and 4 of docs/interop.md
}

void GiopSession::begin_reply(cdr::Encoder& encoder, Version version, const ReplyHeader& header,
                              Body body) const {
  if (is_plain(encoder, version, header.contexts.size())) [[likely]]
    return begin_plain_reply(encoder, header);
  begin_any_reply(encoder, version, header, body);
}

void GiopSession::begin_any_reply(cdr::Encoder& encoder, Version version, const ReplyHeader& header,
                                  Body body) const {
  if (version == lite_version && header.contexts.empty())
    return begin_lite_reply(encoder, header, body);
  HeaderWriter writer(encoder, version, FrameType::reply, encoded_size_max(header.contexts));
  const auto status = static_cast<std::uint32_t>(known_status(version, header.status));
  if (version.minor < 2) {
    if (header.status == ReplyStatus::needs_addressing_mode)
      encoder.fail(cdr::ErrorKind::not_in_version);
    writer.contexts(header.contexts);
    writer.ulong(header.request_id);
    writer.ulong(status);
    return;
  }
  writer.ulong(header.request_id);
  writer.ulong(status);
  writer.contexts(header.contexts);
  if (body == Body::present) writer.align(8);
}

// The body of a LocateReply is not aligned to 8, even in 1.2 (interop fact 5 of docs/interop.md).
void GiopSession::begin_locate_reply(cdr::Encoder& encoder, Version version,
                                     const LocateReplyHeader& header) const {
  const LocateStatus status = known_status(version, header.status);
  if (version.minor < 2 && status > LocateStatus::object_forward)
    encoder.fail(cdr::ErrorKind::not_in_version);
  HeaderWriter writer(encoder, version, FrameType::locate_reply);
  writer.ulong(header.request_id);
  writer.ulong(static_cast<std::uint32_t>(status));
}

void GiopSession::encode_locate_request(cdr::Encoder& encoder, Version version,
                                        const LocateRequestHeader& header) const {
  HeaderWriter writer(encoder, version, FrameType::locate_request, header.object_key.size());
  writer.ulong(header.request_id);
  if (version.minor >= 2) writer.ushort(0);  // addressing disposition: KeyAddr
  writer.octet_sequence(header.object_key);
  writer.patch_size();
}

void GiopSession::encode_cancel_request(cdr::Encoder& encoder, Version version,
                                        std::uint32_t request_id) const {
  HeaderWriter writer(encoder, version, FrameType::cancel_request);
  writer.ulong(request_id);
  writer.patch_size();
}

void GiopSession::encode_close_connection(cdr::Encoder& encoder, Version version) const {
  encode_bare(encoder, version, FrameType::close_connection);
}

void GiopSession::encode_message_error(cdr::Encoder& encoder, Version version) const {
  encode_bare(encoder, version, FrameType::message_error);
}

void GiopSession::finish(cdr::Encoder& encoder) const {
  const std::size_t size = encoder.buffer().size();
  if (size > message_size_max_) encoder.fail(cdr::ErrorKind::too_large);
  if (is_lite(encoder.buffer().data()))
    encoder.patch(lite_size_offset, static_cast<std::uint32_t>(size - lite_header_size));
  else
    encoder.patch(size_offset, static_cast<std::uint32_t>(size - frame_header_size));
}

}  // namespace perigee::giop
