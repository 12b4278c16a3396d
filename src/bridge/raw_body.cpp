// Puts the body of a message after a header of another message, at the same phase.
#include "bridge/raw_body.h"

#include <perigee/cdr/encoder.h>

#include <algorithm>
#include <array>

namespace perigee::bridge {

using messaging::Body;
using messaging::ReplyHeader;
using messaging::RequestHeader;
using messaging::Session;
using messaging::Version;

namespace {

constexpr std::array<std::byte, 4> no_meaning{};

void begin(const Session& session, cdr::Encoder& encoder, Version version,
           const RequestHeader& header, Body body) {
  session.begin_request(encoder, version, header, body);
}

void begin(const Session& session, cdr::Encoder& encoder, Version version,
           const ReplyHeader& header, Body body) {
  session.begin_reply(encoder, version, header, body);
}

// CORBA 3.0, 15.4.1 and 15.4.9.
constexpr std::size_t frame_header_size = 12;
constexpr std::size_t flags_offset = 6;
constexpr std::size_t type_offset = 7;
constexpr std::size_t size_offset = 8;
constexpr std::byte flag_more_fragments{2};
constexpr std::byte type_fragment{7};

// Completes the frame that begins at `place` and holds `size` octets after its header.
void complete_frame(cdr::Encoder& encoder, std::size_t place, std::size_t size, bool more) {
  encoder.patch(place + size_offset, static_cast<std::uint32_t>(size));
  if (more) encoder.buffer().data()[place + flags_offset] |= flag_more_fragments;
}

// A fragment of GIOP 1.1 has no request id: it is a GIOP header and a piece of the body.
void write_pieces(cdr::Encoder& encoder, const RawBody& body) {
  cdr::Buffer& buffer = encoder.buffer();
  std::array<std::byte, frame_header_size> header{};
  std::copy_n(buffer.data(), header.size(), header.begin());
  header[type_offset] = type_fragment;
  OctetSpan rest = body.octets.subspan(body.first_piece);
  encoder.write_octets(body.octets.first(body.first_piece));
  complete_frame(encoder, 0, buffer.size() - frame_header_size, !rest.empty());
  for (const std::size_t* size = body.further_pieces; !rest.empty(); ++size) {
    const std::size_t place = buffer.own_size();
    std::ranges::copy(header, buffer.extend(frame_header_size));
    encoder.write_octets(rest.first(*size));
    rest = rest.subspan(*size);
    complete_frame(encoder, place, *size, !rest.empty());
  }
}

enum class Written : std::uint8_t { yes, no, other_phase };

template <typename Header>
Written try_write(cdr::Buffer& buffer, const Session& session, Version version,
                  const Header& header, const RawBody& body) {
  buffer.clear();
  cdr::Encoder encoder(buffer, body.order, cdr::Encoder::Borrowing::yes);
  const Body presence = body.octets.empty() ? Body::empty : Body::present;
  begin(session, encoder, version, header, presence);
  if (!encoder.ok()) return Written::no;
  if (presence == Body::present && encoder.position() % 8 != body.phase)
    return Written::other_phase;
  if (body.further_pieces != nullptr) {
    if (version != Version{1, 1}) return Written::no;
    write_pieces(encoder, body);
    return encoder.ok() ? Written::yes : Written::no;
  }
  encoder.write_octets(body.octets);
  session.finish(encoder);
  return encoder.ok() ? Written::yes : Written::no;
}

// A context of four octets takes 12 octets. So the phase of the octets after it changes by 4. The
// headers of 1.0 and 1.1 consist of units of four octets up to the principal, which is the same in
// both messages. So the phases differ by 0 or 4.
template <typename Header>
bool write(cdr::Buffer& buffer, const Session& session, Version version, NewHeader<Header> made,
           const RawBody& body) {
  const Written first = try_write(buffer, session, version, made.header, body);
  if (first != Written::other_phase || version.minor >= 2) return first == Written::yes;
  if (made.contexts.data() != made.header.contexts.data())
    made.contexts.assign(made.header.contexts.begin(), made.header.contexts.end());
  made.contexts.push_back({context_phase, no_meaning});
  made.header.contexts = made.contexts;
  return try_write(buffer, session, version, made.header, body) == Written::yes;
}

}  // namespace

std::optional<RawBody> RawBody::of(const messaging::IncomingMessage& message,
                                   const cdr::Decoder& body) noexcept {
  const std::size_t rest = body.remaining();
  if (rest == 0) return RawBody{{}, message.order, 0};
  const OctetSpan octets = message.landed ? message.landed->join(message.octets) : message.octets;
  if (rest > octets.size()) return std::nullopt;
  RawBody made{octets.last(rest), message.order, static_cast<std::uint8_t>(body.position() % 8)};
  if (!message.piece_sizes) return made;
  const std::size_t* const sizes = message.piece_sizes.get();
  const std::size_t begin = message.octets.size() - rest;
  if (begin != body.position() || begin > sizes[0]) return std::nullopt;
  made.first_piece = std::min(rest, sizes[0] - begin);
  made.further_pieces = sizes + 1;
  return made;
}

bool write_request(cdr::Buffer& buffer, const Session& session, Version version,
                   NewHeader<RequestHeader> made, const RawBody& body) {
  return write(buffer, session, version, made, body);
}

bool write_reply(cdr::Buffer& buffer, const Session& session, Version version,
                 NewHeader<ReplyHeader> made, const RawBody& body) {
  return write(buffer, session, version, made, body);
}

}  // namespace perigee::bridge
