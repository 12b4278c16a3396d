// Messages whose bodies are passed on unread, after new headers.
#pragma once

#include <perigee/base/octets.h>
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/decoder.h>
#include <perigee/messaging/protocol.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace perigee::bridge {

/// The arguments or results in a message, as they were received.
///
/// CDR aligns values relative to the start of the message. So the body keeps its meaning only if it
/// begins at the same position, modulo 8, in the new message. This position is the *phase*. The
/// body has the byte order of its message, so the new header has the same order.
struct RawBody {
  OctetSpan octets;
  std::endian order = std::endian::native;
  std::uint8_t phase = 0;
  /// For a message in fragments of GIOP 1.1, where alignment begins anew in each fragment: the
  /// octets of the body in the first piece, and the sizes of the further pieces, which the message
  /// owns. Null: the body is in one piece.
  std::size_t first_piece = 0;
  const std::size_t* further_pieces = nullptr;

  /// The octets of a message that `body` has not read. The message must outlive the result.
  /// std::nullopt if the body cannot be passed on: the header is in fragments, or there is no
  /// memory to join the message with the numbers in `message.landed`.
  [[nodiscard]] static std::optional<RawBody> of(const messaging::IncomingMessage& message,
                                                 const cdr::Decoder& body) noexcept;
};

/// Service contexts of Perigee's bridges. Other ORBs ignore them.
/// @{
/// In a request: how many bridges it has passed, in one octet. In a reply: a bridge has sent it.
inline constexpr std::uint32_t context_bridge = 0x50474502;
/// Four octets that mean nothing. They move the body of GIOP 1.0 or 1.1 to its phase.
inline constexpr std::uint32_t context_phase = 0x50474503;
/// @}

/// A header with the service contexts that it refers to.
template <typename Header>
struct NewHeader {
  Header& header;
  messaging::ContextStorage& contexts;
};

/// @name Write a whole message into `buffer`, which is cleared first.
/// False: the message cannot be sent. It is too large, or the body does not fit after a header of
/// this version: GIOP 1.2 has bodies of phase 0 only. In GIOP 1.0 and 1.1, `context_phase` may be
/// added to the contexts. Fragments of GIOP 1.1 are written as the same fragments, in version 1.1
/// only. Large bodies are borrowed: they must outlive the sending. May throw bad_alloc.
/// @{
[[nodiscard]] bool write_request(cdr::Buffer& buffer, const messaging::Session& session,
                                 messaging::Version version,
                                 NewHeader<messaging::RequestHeader> made, const RawBody& body);
[[nodiscard]] bool write_reply(cdr::Buffer& buffer, const messaging::Session& session,
                               messaging::Version version, NewHeader<messaging::ReplyHeader> made,
                               const RawBody& body);
/// @}

}  // namespace perigee::bridge
