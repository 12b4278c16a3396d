// Reads target addresses without copying: the object key stays a view into the message.
#include "giop/target.h"

#include <perigee/iop/ior.h>

namespace perigee::giop {

using messaging::AddressingMode;

namespace {

/// Reads the key from the body of an IIOP profile. Unlike iop::decode_iiop_profile, it copies
/// nothing, and reads only the fields up to the key (CORBA 3.0, 15.7.2).
OctetSpan read_iiop_key(cdr::Decoder body) noexcept {
  const auto major = body.read<std::uint8_t>();
  body.skip(1);                                   // minor: all have the same layout up to the key
  static_cast<void>(body.read_string_view());     // host
  static_cast<void>(body.read<std::uint16_t>());  // port
  const OctetSpan key = body.read_octet_sequence();
  return body.ok() && major == 1 ? key : OctetSpan{};
}

/// Reads a TaggedProfile. Returns its key, which is empty if the profile is not IIOP's.
OctetSpan read_profile(cdr::Decoder& decoder) noexcept {
  const auto tag = decoder.read<std::uint32_t>();
  const OctetSpan data = decoder.read_octet_sequence();
  if (tag != iop::tag_internet_iop) return {};
  return read_iiop_key(cdr::Decoder::from_encapsulation(data));
}

/// Reads an IORAddressingInfo: the index of a profile, and the IOR that contains it.
OctetSpan read_reference(cdr::Decoder& decoder) noexcept {
  const auto selected = decoder.read<std::uint32_t>();
  static_cast<void>(decoder.read_string_view());  // type id
  const std::size_t count = decoder.read_length(8);
  if (selected >= count) decoder.fail(cdr::ErrorKind::bad_value);
  OctetSpan key;
  for (std::size_t index = 0; index < count && decoder.ok(); ++index) {
    const OctetSpan found = read_profile(decoder);
    if (index == selected) key = found;
  }
  return key;
}

}  // namespace

Target read_other_target(cdr::Decoder& decoder, AddressingMode mode) noexcept {
  if (mode == AddressingMode::profile) return {mode, read_profile(decoder)};
  if (mode == AddressingMode::reference) return {mode, read_reference(decoder)};
  decoder.fail(cdr::ErrorKind::bad_value);
  return {};
}

}  // namespace perigee::giop
