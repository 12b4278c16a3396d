// System exceptions on the wire, and the OMG minor codes that the ORB uses.
#pragma once

#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/exceptions.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace perigee::orb {

/// OMG standard minor codes. Source: CORBA 3.0, annex A.
constexpr std::uint32_t omg_minor(std::uint32_t code) noexcept { return CORBA::OMGVMCID | code; }

inline constexpr std::uint32_t minor_no_usable_profile = omg_minor(2);         ///< TRANSIENT
inline constexpr std::uint32_t minor_unlisted_user_exception = omg_minor(1);   ///< UNKNOWN
inline constexpr std::uint32_t minor_unknown_system_exception = omg_minor(2);  ///< UNKNOWN
inline constexpr std::uint32_t minor_would_deadlock = omg_minor(3);            ///< BAD_INV_ORDER
inline constexpr std::uint32_t minor_shut_down = omg_minor(4);                 ///< BAD_INV_ORDER
inline constexpr std::uint32_t minor_local_object = omg_minor(4);              ///< MARSHAL
inline constexpr std::uint32_t minor_not_in_version = omg_minor(5);            ///< MARSHAL

/// Our own, for what OMG has no number.
inline constexpr std::uint32_t minor_forward_hops = CORBA::PERIGEE_VMCID | 1;    ///< TRANSIENT
inline constexpr std::uint32_t minor_mute_peer = CORBA::PERIGEE_VMCID | 2;       ///< TIMEOUT
inline constexpr std::uint32_t minor_answered_twice = CORBA::PERIGEE_VMCID | 3;  ///< BAD_INV_ORDER
inline constexpr std::uint32_t minor_closed_by_peer = CORBA::PERIGEE_VMCID | 4;  ///< TRANSIENT

/// Throws the exception with this repository id; UNKNOWN (OMG minor 2) if there is none such.
[[noreturn]] void raise_system_exception(std::string_view repository_id, std::uint32_t minor,
                                         CORBA::CompletionStatus completed,
                                         std::string detail = {});

/// Writes repository id, minor code and completion status. Source: CORBA 3.0, 15.4.3.2.
void encode_system_exception(cdr::Encoder& encoder, const CORBA::SystemException& exception);
/// Reads one and throws it, or MARSHAL if it does not decode.
[[noreturn]] void decode_and_raise_system_exception(cdr::Decoder& decoder);

/// The MARSHAL (or more fitting) exception for arguments or results that could not be encoded.
[[noreturn]] void raise_encode_error(const cdr::Error& error, CORBA::CompletionStatus completed);

}  // namespace perigee::orb
