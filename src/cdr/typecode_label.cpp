// Writes and reads the labels of unions in TypeCodes, and enumerators.
#include "cdr/typecode_label.h"

#include <algorithm>

namespace perigee::cdr {

namespace {

// A wide label has the form of a wchar in GIOP 1.2: the number of octets, then UTF-16. UTF-16
// without a byte order mark is big-endian (interop facts 29 and 30 of docs/interop.md). A label
// above U+FFFF takes two units, a surrogate pair.
void write_wide_label(Encoder& encoder, std::int64_t label) {
  const auto point = static_cast<std::uint32_t>(label);
  const auto write_unit = [&encoder](std::uint32_t unit) {
    encoder.write(static_cast<std::uint8_t>(unit >> 8));
    encoder.write(static_cast<std::uint8_t>(unit));
  };
  const bool is_pair = point >= 0x10000;
  encoder.write(static_cast<std::uint8_t>(is_pair ? 4 : 2));
  if (!is_pair) return write_unit(point);
  write_unit(0xd800 | (((point - 0x10000) >> 10) & 0x3ff));
  write_unit(0xdc00 | ((point - 0x10000) & 0x3ff));
}

std::int64_t read_wide_label(Decoder& decoder) noexcept {
  const OctetSpan octets = decoder.read_octets(decoder.read<std::uint8_t>());
  const auto unit = [&octets](std::size_t first, std::size_t second) {
    return std::to_integer<std::uint32_t>(octets[first]) << 8 |
           std::to_integer<std::uint32_t>(octets[second]);
  };
  if (octets.size() == 2) return unit(0, 1);
  if (octets.size() != 4) {
    decoder.fail(ErrorKind::bad_value);
    return 0;
  }
  const std::uint32_t first = unit(0, 1);
  if (first == 0xfeff) return unit(2, 3);
  if (first == 0xfffe) return unit(3, 2);
  if ((first & 0xfc00) == 0xd800 && (unit(2, 3) & 0xfc00) == 0xdc00)
    return 0x10000 + ((first & 0x3ff) << 10 | (unit(2, 3) & 0x3ff));
  decoder.fail(ErrorKind::bad_value);
  return 0;
}

template <typename Signed>
std::int64_t read_value(Decoder& decoder, bool is_signed) noexcept {
  const auto value = decoder.read<Signed>();
  if (is_signed) return value;
  return static_cast<std::int64_t>(static_cast<std::make_unsigned_t<Signed>>(value));
}

std::int64_t read_enumerator(Decoder& decoder, const TypeNode& type, bool is_signed) noexcept {
  if (type.kind == TypeKind::tk_enum)
    return decoder.read_enum(static_cast<std::uint32_t>(type.members.size()));
  if (type.bound <= 8) return read_value<std::int8_t>(decoder, is_signed);
  if (type.bound <= 16) return read_value<std::int16_t>(decoder, is_signed);
  if (type.bound <= 32) return read_value<std::int32_t>(decoder, is_signed);
  return decoder.read<std::int64_t>();
}

}  // namespace

bool has_signed_enumerators(const TypeNode& type) noexcept {
  return type.kind == TypeKind::tk_valued_enum &&
         std::ranges::any_of(type.members,
                             [](const TypeMember& member) { return member.label < 0; });
}

void write_enumerator(Encoder& encoder, const TypeNode& type, std::int64_t enumerator) {
  if (type.kind == TypeKind::tk_enum)
    return encoder.write_enum(static_cast<std::uint32_t>(enumerator));
  if (type.bound <= 8) return encoder.write(static_cast<std::uint8_t>(enumerator));
  if (type.bound <= 16) return encoder.write(static_cast<std::uint16_t>(enumerator));
  if (type.bound <= 32) return encoder.write(static_cast<std::uint32_t>(enumerator));
  encoder.write(enumerator);
}

std::int64_t read_enumerator(Decoder& decoder, const TypeNode& type) noexcept {
  return read_enumerator(decoder, type, has_signed_enumerators(type));
}

bool is_discriminator(TypeKind kind) noexcept {
  switch (kind) {
    case TypeKind::tk_short:
    case TypeKind::tk_long:
    case TypeKind::tk_ushort:
    case TypeKind::tk_ulong:
    case TypeKind::tk_boolean:
    case TypeKind::tk_char:
    case TypeKind::tk_octet:
    case TypeKind::tk_enum:
    case TypeKind::tk_valued_enum:
    case TypeKind::tk_longlong:
    case TypeKind::tk_ulonglong:
    case TypeKind::tk_wchar:
    case TypeKind::tk_int8:
      return true;
    default:
      return false;
  }
}

void write_label(Encoder& encoder, const TypeNode& discriminator, std::int64_t label) {
  switch (discriminator.kind) {
    case TypeKind::tk_short:
    case TypeKind::tk_ushort:
      return encoder.write(static_cast<std::uint16_t>(label));
    case TypeKind::tk_long:
    case TypeKind::tk_ulong:
      return encoder.write(static_cast<std::uint32_t>(label));
    case TypeKind::tk_enum:
    case TypeKind::tk_valued_enum:
      return write_enumerator(encoder, discriminator, label);
    case TypeKind::tk_longlong:
    case TypeKind::tk_ulonglong:
      return encoder.write(static_cast<std::uint64_t>(label));
    case TypeKind::tk_boolean:
      return encoder.write_boolean(label != 0);
    case TypeKind::tk_wchar:
      return write_wide_label(encoder, label);
    default:
      return encoder.write(static_cast<std::uint8_t>(label));
  }
}

std::int64_t read_label(Decoder& decoder, const TypeNode& discriminator) noexcept {
  return read_label(decoder, discriminator, has_signed_enumerators(discriminator));
}

std::int64_t read_label(Decoder& decoder, const TypeNode& discriminator,
                        bool signed_enumerators) noexcept {
  switch (discriminator.kind) {
    case TypeKind::tk_short:
      return decoder.read<std::int16_t>();
    case TypeKind::tk_ushort:
      return decoder.read<std::uint16_t>();
    case TypeKind::tk_long:
      return decoder.read<std::int32_t>();
    case TypeKind::tk_ulong:
      return decoder.read<std::uint32_t>();
    case TypeKind::tk_enum:
    case TypeKind::tk_valued_enum:
      return read_enumerator(decoder, discriminator, signed_enumerators);
    case TypeKind::tk_longlong:
    case TypeKind::tk_ulonglong:
      return decoder.read<std::int64_t>();
    case TypeKind::tk_boolean:
      return decoder.read_boolean() ? 1 : 0;
    case TypeKind::tk_wchar:
      return read_wide_label(decoder);
    case TypeKind::tk_int8:
      return decoder.read<std::int8_t>();
    default:
      return decoder.read<std::uint8_t>();
  }
}

void skip_label(Decoder& decoder, const TypeNode& discriminator) noexcept {
  switch (discriminator.kind) {
    case TypeKind::tk_boolean:
      return decoder.skip(1);
    case TypeKind::tk_enum:
      decoder.align(4);
      return decoder.skip(4);
    case TypeKind::tk_wchar:
      return decoder.skip(decoder.read<std::uint8_t>());
    default:
      (void)read_label(decoder, discriminator, false);  // the label is not used
  }
}

}  // namespace perigee::cdr
