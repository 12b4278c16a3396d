// System exceptions on the wire, and the minor codes that the ORB uses.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/exceptions.h>

#include <cstdint>
#include <span>
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
inline constexpr std::uint32_t minor_value_factory = omg_minor(1);             ///< BAD_PARAM
inline constexpr std::uint32_t minor_no_value_factory = omg_minor(1);          ///< MARSHAL
inline constexpr std::uint32_t minor_local_object = omg_minor(4);              ///< MARSHAL
inline constexpr std::uint32_t minor_wide_request_in_1_0 = omg_minor(5);       ///< MARSHAL
inline constexpr std::uint32_t minor_wide_reply_in_1_0 = omg_minor(6);         ///< MARSHAL
inline constexpr std::uint32_t minor_code_sets_changed = omg_minor(9);         ///< MARSHAL
inline constexpr std::uint32_t minor_character_lost = omg_minor(1);            ///< DATA_CONVERSION
inline constexpr std::uint32_t minor_no_common_code_set = omg_minor(1);    ///< CODESET_INCOMPATIBLE
inline constexpr std::uint32_t minor_unknown_code_set = omg_minor(2);      ///< CODESET_INCOMPATIBLE
inline constexpr std::uint32_t minor_no_wide_component = omg_minor(2);     ///< INV_OBJREF
inline constexpr std::uint32_t minor_no_wide_context = omg_minor(23);      ///< BAD_PARAM
inline constexpr std::uint32_t minor_no_context = omg_minor(1);            ///< BAD_CONTEXT
inline constexpr std::uint32_t minor_no_property = omg_minor(2);           ///< BAD_CONTEXT
inline constexpr std::uint32_t minor_policy_twice = omg_minor(30);         ///< BAD_PARAM
inline constexpr std::uint32_t minor_no_policy_type = omg_minor(2);        ///< INV_POLICY
inline constexpr std::uint32_t minor_not_of_local_objects = omg_minor(8);  ///< NO_IMPLEMENT

/// Perigee's own minor codes.
inline constexpr std::uint32_t minor_forward_hops = CORBA::PERIGEE_VMCID | 1;    ///< TRANSIENT
inline constexpr std::uint32_t minor_mute_peer = CORBA::PERIGEE_VMCID | 2;       ///< TIMEOUT
inline constexpr std::uint32_t minor_answered_twice = CORBA::PERIGEE_VMCID | 3;  ///< BAD_INV_ORDER
inline constexpr std::uint32_t minor_closed_by_peer = CORBA::PERIGEE_VMCID | 4;  ///< TRANSIENT
inline constexpr std::uint32_t minor_too_many_requests = CORBA::PERIGEE_VMCID | 5;   ///< TRANSIENT
inline constexpr std::uint32_t minor_wrong_union_member = CORBA::PERIGEE_VMCID | 5;  ///< BAD_PARAM
inline constexpr std::uint32_t minor_bound_exceeded = CORBA::PERIGEE_VMCID | 6;      ///< BAD_PARAM
inline constexpr std::uint32_t minor_bits_exceeded = CORBA::PERIGEE_VMCID | 7;       ///< BAD_PARAM
inline constexpr std::uint32_t minor_deadline = CORBA::PERIGEE_VMCID | 8;            ///< TIMEOUT

inline constexpr std::uint32_t minor_too_many_in_all = CORBA::PERIGEE_VMCID | 9;    ///< TRANSIENT
inline constexpr std::uint32_t minor_cancelled = CORBA::PERIGEE_VMCID | 10;         ///< NO_RESPONSE
inline constexpr std::uint32_t minor_too_many_calls = CORBA::PERIGEE_VMCID | 11;    ///< TRANSIENT
inline constexpr std::uint32_t minor_peer_gone = CORBA::PERIGEE_VMCID | 12;         ///< TRANSIENT
inline constexpr std::uint32_t minor_decoded_too_many = CORBA::PERIGEE_VMCID | 13;  ///< TRANSIENT
inline constexpr std::uint32_t minor_callbacks_lost = CORBA::PERIGEE_VMCID | 14;    ///< TRANSIENT
inline constexpr std::uint32_t minor_untrusted = CORBA::PERIGEE_VMCID | 15;  ///< NO_PERMISSION

/// The minor code of MARSHAL for values that could not be decoded, by the reason (docs/interop.md).
[[nodiscard]] std::uint32_t minor_of(cdr::ErrorKind kind) noexcept;

/// Throws the exception with this repository id; UNKNOWN (OMG minor 2) if the id is unknown.
[[noreturn]] PERIGEE_INTERNAL_API void raise_system_exception(std::string_view repository_id,
                                                              std::uint32_t minor,
                                                              CORBA::CompletionStatus completed,
                                                              std::string detail = {});

/// Writes repository id, minor code and completion status. Source: CORBA 3.0, 15.4.3.2.
PERIGEE_INTERNAL_API void encode_system_exception(cdr::Encoder& encoder,
                                                  const CORBA::SystemException& exception);
/// Reads a system exception and throws it, or throws MARSHAL if it cannot be decoded.
/// `server_text`: the server's text about the exception.
[[noreturn]] PERIGEE_INTERNAL_API void decode_and_raise_system_exception(
    cdr::Decoder& decoder, std::string_view server_text = {});
/// The beginning of the text of each exception that came in a reply.
inline constexpr std::string_view raised_by_server = "raised by the server";
/// The text among the service contexts of a reply; empty if there is none.
[[nodiscard]] std::string exception_detail_in(
    std::span<const iop::ServiceContext> contexts) noexcept;
/// Whether the system exception at the position of `body` is OBJECT_NOT_EXIST.
[[nodiscard]] bool is_object_not_exist(cdr::Decoder body) noexcept;
/// An object key as it stands in a corbaloc, in quotes. A long key is cut.
[[nodiscard]] PERIGEE_INTERNAL_API std::string key_text(OctetSpan key);

/// The side that sent the values: the client sends arguments, the server sends results.
enum class Sender : std::uint8_t { client, server };

/// Throws MARSHAL, or a more specific exception, for arguments or results that could not be
/// encoded. `limit_text`: the limit that the error `too_large` is about, if it is known.
[[noreturn]] PERIGEE_INTERNAL_API void raise_encode_error(const cdr::Error& error, Sender sender,
                                                          CORBA::CompletionStatus completed,
                                                          std::string_view limit_text = {});
/// The same for values that could not be decoded. `what` names them.
[[noreturn]] PERIGEE_INTERNAL_API void raise_decode_error(const cdr::Error& error, Sender sender,
                                                          CORBA::CompletionStatus completed,
                                                          std::string_view what);

}  // namespace perigee::orb
