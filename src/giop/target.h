// The target of a GIOP 1.2 request: finds the object key in each of its three forms.
#pragma once

#include <perigee/cdr/decoder.h>
#include <perigee/messaging/message.h>

namespace perigee::giop {

/// The target of a request or locate request.
struct Target {
  messaging::AddressingMode addressing = messaging::AddressingMode::key;
  OctetSpan object_key;  ///< empty if the profile has no readable key
};

/// Reads the rest of a target that is not a key: a profile or a reference. Any other `mode` is an
/// error of the decoder.
Target read_other_target(cdr::Decoder& decoder, messaging::AddressingMode mode) noexcept;

/// Reads a TargetAddress. Unknown forms, malformed IORs and the index of an absent profile are
/// errors of the decoder. A profile that is not IIOP's, or that does not decode, gives an empty
/// key. Then the caller can ask for another addressing mode. Source: CORBA 3.0, 15.4.2.2 "Request
/// Header", TargetAddress.
inline Target read_target(cdr::Decoder& decoder) noexcept {
  const auto mode = static_cast<messaging::AddressingMode>(decoder.read<std::int16_t>());
  if (mode == messaging::AddressingMode::key) return {mode, decoder.read_octet_sequence()};
  return read_other_target(decoder, mode);
}

}  // namespace perigee::giop
