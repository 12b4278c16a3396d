// Writes a message header into one reservation of the encoder's buffer. The caller gives an upper
// bound of the header's size; the unused rest is given back. Copies keys and contexts instead of
// borrowing them, because they are small.
#pragma once

#include "giop/frame.h"
#include <perigee/cdr/encoder.h>
#include <perigee/iop/ior.h>

#include <cstring>
#include <span>
#include <string_view>

namespace perigee::giop {

struct LiteHeader {
  FrameType type;             ///< request or reply
  std::uint32_t information;  ///< see lite_information_shift
};

/// A cursor over reserved octets, aligned from the start of the message. The buffer must be empty
/// before.
class HeaderWriter {
 public:
  /// The largest number of octets of the fixed fields of any header, with their padding.
  static constexpr std::size_t fixed_size_max = 80;

  /// Reserves room for the fixed fields and `variable_size` more octets, and writes the frame
  /// header.
  HeaderWriter(cdr::Encoder& encoder, Version version, FrameType type,
               std::size_t variable_size = 0)
      : encoder_(encoder),
        start_(encoder.buffer().extend(fixed_size_max + variable_size)),
        place_(start_),
        swap_(encoder.order() != std::endian::native) {
    const auto flags =
        static_cast<std::uint8_t>(encoder.order() == std::endian::little ? flag_little_endian : 0);
    // The size follows later: from `finish`, or from `patch_size` in a message without a body. The
    // major version is 1 on the wire, also for lite_version.
    const std::array<std::uint8_t, frame_header_size> header = {
        'G', 'I', 'O', 'P', 1, version.minor, flags, static_cast<std::uint8_t>(type)};
    std::memcpy(place_, header.data(), header.size());
    place_ += header.size();
  }
  /// The same in GIOPlite.
  HeaderWriter(cdr::Encoder& encoder, LiteHeader lite, std::size_t variable_size)
      : encoder_(encoder),
        start_(encoder.buffer().extend(fixed_size_max + variable_size)),
        place_(start_),
        swap_(encoder.order() != std::endian::native) {
    unsigned bits = lite.information << lite_information_shift;
    if (lite.type == FrameType::reply) bits |= lite_bit_reply;
    if (encoder.order() == std::endian::little) bits |= lite_bit_little_endian;
    const std::array<std::uint8_t, lite_header_size> header = {lite_marker,
                                                               static_cast<std::uint8_t>(bits)};
    std::memcpy(place_, header.data(), header.size());
    place_ += header.size();
  }
  HeaderWriter(const HeaderWriter&) = delete;
  HeaderWriter& operator=(const HeaderWriter&) = delete;
  ~HeaderWriter() { encoder_.buffer().truncate(size()); }

  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(place_ - start_);
  }

  void octet(std::uint8_t value) noexcept { *place_++ = std::byte{value}; }
  void reserved_octets() noexcept {
    std::memset(place_, 0, 3);
    place_ += 3;
  }
  /// Writes the addressing disposition, which is at an even offset in every message. No other
  /// field uses it.
  void ushort(std::uint16_t value) noexcept {
    if (swap_) value = reverse_octets(value);
    std::memcpy(place_, &value, sizeof value);
    place_ += sizeof value;
  }
  void ulong(std::uint32_t value) noexcept {
    align(4);
    if (swap_) value = reverse_octets(value);
    std::memcpy(place_, &value, sizeof value);
    place_ += sizeof value;
  }
  void octet_sequence(OctetSpan octets) noexcept {
    ulong(static_cast<std::uint32_t>(octets.size()));
    copy(octets.data(), octets.size());
  }
  void string(std::string_view text) noexcept {
    if (!text.empty() && std::memchr(text.data(), 0, text.size()) != nullptr)
      encoder_.fail(cdr::ErrorKind::bad_string);
    ulong(static_cast<std::uint32_t>(text.size() + 1));
    copy(text.data(), text.size());
    octet(0);
  }
  void contexts(std::span<const iop::ServiceContext> contexts) noexcept {
    ulong(static_cast<std::uint32_t>(contexts.size()));
    for (const iop::ServiceContext& context : contexts) {
      ulong(context.id);
      octet_sequence(context.data);
    }
  }
  /// Pads with zeros to a multiple of `alignment` (4 or 8). Overwrites the next 8 octets of the
  /// reservation, even if the padding is shorter.
  void align(std::size_t alignment) noexcept {
    std::memset(place_, 0, 8);
    place_ += (0 - size()) & (alignment - 1);
  }
  /// Completes a message that has no body.
  void patch_size() noexcept {
    encoder_.patch(size_offset, static_cast<std::uint32_t>(size() - frame_header_size));
  }

 private:
  void copy(const void* octets, std::size_t count) noexcept {
    if (count == 0) return;
    std::memcpy(place_, octets, count);
    place_ += count;
  }

  cdr::Encoder& encoder_;
  std::byte* start_;
  std::byte* place_;
  bool swap_;
};

/// The largest number of octets of `contexts`, with padding. Their count is one of the fixed
/// fields.
inline std::size_t encoded_size_max(std::span<const iop::ServiceContext> contexts) noexcept {
  std::size_t size = 0;
  for (const iop::ServiceContext& context : contexts) size += 12 + context.data.size();
  return size;
}

}  // namespace perigee::giop
