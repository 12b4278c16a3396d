// The target of a GIOP 1.2 request: the object key out of each of its three forms.
#pragma once

#include <perigee/cdr/decoder.h>
#include <perigee/messaging/message.h>

namespace perigee::giop {

/// Where a request or locate request is meant to go.
struct Target {
  messaging::AddressingMode addressing = messaging::AddressingMode::key;
  OctetSpan object_key;  ///< empty if the profile holds none that we can read
};

/// The rest of a target that is given as a profile or a reference, or is none.
Target read_other_target(cdr::Decoder& decoder, messaging::AddressingMode mode) noexcept;

/// Reads a TargetAddress. Unknown forms, malformed IORs and a selected profile that is not there
/// are errors of the decoder; a profile that is not IIOP's, or whose contents do not decode, gives
/// an empty key: the caller can then ask for another addressing mode. Source: CORBA 3.0, 15.4.2.2
/// "Request Header", TargetAddress.
inline Target read_target(cdr::Decoder& decoder) noexcept {
  const auto mode = static_cast<messaging::AddressingMode>(decoder.read<std::int16_t>());
  if (mode == messaging::AddressingMode::key) return {mode, decoder.read_octet_sequence()};
  return read_other_target(decoder, mode);
}

}  // namespace perigee::giop
