// The tagged components and service contexts that Perigee understands, as values. All others are
// carried unchanged.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/errors.h>
#include <perigee/iop/ior.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace perigee::iop {

/// Service context ids. Source: CORBA 3.0, 13.7.1.
enum ServiceContextId : std::uint32_t { context_code_sets = 1, context_bi_dir_iiop = 5 };

/// Code set ids of the OSF registry. Interop fact 34 of docs/interop.md.
enum CodeSetId : std::uint32_t {
  code_set_iso_8859_1 = 0x00010001,
  code_set_utf_8 = 0x05010001,
  code_set_utf_16 = 0x00010109,
};

/// The code sets of one kind of character: the native code set, and the code sets to which it can
/// be converted.
struct CodeSetList {
  std::uint32_t native = 0;  ///< 0: none
  std::vector<std::uint32_t> conversions;
  friend bool operator==(const CodeSetList&, const CodeSetList&) = default;
};

/// TAG_CODE_SETS: the code sets of an object's server. Source: CORBA 3.0, 13.10.2.4.
struct CodeSetInfo {
  CodeSetList for_char;
  CodeSetList for_wchar;
  friend bool operator==(const CodeSetInfo&, const CodeSetInfo&) = default;
};

/// The code sets that a client has chosen for a connection. Source: CORBA 3.0, 13.10.2.5.
struct CodeSetContext {
  std::uint32_t char_data = 0;
  std::uint32_t wchar_data = 0;
  friend auto operator<=>(const CodeSetContext&, const CodeSetContext&) = default;
};

/// TAG_ALTERNATE_IIOP_ADDRESS: another address of the same object. Source: CORBA 3.0, 15.7.3.
struct AlternateAddress {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const AlternateAddress&, const AlternateAddress&) = default;
};

/// Perigee's component: the server understands GIOPlite. The data is the version of GIOPlite, 1.
inline constexpr std::uint32_t tag_giop_lite = 0x50474c54;

/// omniORB's component for UNIX-domain sockets, in IIOP profiles of the host `host`. The profile's
/// port is 0 if the server has no other address. Interop fact 57 of docs/interop.md.
inline constexpr std::uint32_t tag_omniorb_unix_address = 0x41545402;
struct OmniorbUnixAddress {
  std::string host;
  std::string path;
  friend bool operator==(const OmniorbUnixAddress&, const OmniorbUnixAddress&) = default;
};

/// TAG_SSL_SEC_TRANS: the server also accepts TLS, at `port` of the host of its IIOP profile. The
/// profile's own port is 0 if the server accepts only TLS. Source: CORBA Security 1.8, 3.7.3.
inline constexpr std::uint32_t tag_ssl_sec_trans = 20;
struct SslAddress {
  std::uint16_t supports = 0;  ///< the AssociationOption bits that the server can provide
  std::uint16_t needs = 0;     ///< the bits that the server requires (`target_requires`)
  std::uint16_t port = 0;
  friend bool operator==(const SslAddress&, const SslAddress&) = default;
};
/// Source: CORBA Security 1.8, appendix A, module Security.
enum AssociationOption : std::uint16_t {
  no_protection = 1,
  integrity = 2,
  confidentiality = 4,
  detect_replay = 8,
  detect_misordering = 16,
  establish_trust_in_target = 32,
  establish_trust_in_client = 64,
};

/// Perigee's service context: how long the caller of a request waits for the reply. The data is an
/// encapsulation of an unsigned long long, in microseconds. The time is relative, since clocks
/// differ.
inline constexpr std::uint32_t context_remaining_time = 0x50474501;
/// Octets of that encapsulation: byte order, padding, value.
inline constexpr std::size_t remaining_time_size = 16;

/// The first component with `tag`; nullptr if there is none. Points into `components`.
PERIGEE_API const TaggedComponent* find_component(std::span<const TaggedComponent> components,
                                                  std::uint32_t tag) noexcept;

/// @name Encoders. Encapsulations in the native byte order.
/// @{
PERIGEE_API TaggedComponent encode_orb_type(std::uint32_t orb_type);
PERIGEE_API TaggedComponent encode_code_sets(const CodeSetInfo& info);
PERIGEE_API TaggedComponent encode_alternate_address(const AlternateAddress& address);
PERIGEE_API TaggedComponent encode_giop_lite();
PERIGEE_API TaggedComponent encode_omniorb_unix_address(const OmniorbUnixAddress& address);
PERIGEE_API TaggedComponent encode_ssl_address(const SslAddress& address);
/// The data of a service context with id `context_code_sets`.
PERIGEE_API Octets encode_code_set_context(const CodeSetContext& context);
/// The data of a service context with id `context_remaining_time`. Allocates nothing.
PERIGEE_API void encode_remaining_time(std::span<std::byte, remaining_time_size> data,
                                       std::uint64_t microseconds) noexcept;
/// @}

/// @name Decoders of the data of a component or context. The caller must check the tag. Octets
/// after the value are ignored.
/// @{
PERIGEE_API std::expected<std::uint32_t, cdr::Error> decode_orb_type(OctetSpan data);
/// Fails with `too_large` if a list has more than 64 conversion code sets.
PERIGEE_API std::expected<CodeSetInfo, cdr::Error> decode_code_sets(OctetSpan data);
PERIGEE_API std::expected<AlternateAddress, cdr::Error> decode_alternate_address(OctetSpan data);
PERIGEE_API std::expected<OmniorbUnixAddress, cdr::Error> decode_omniorb_unix_address(
    OctetSpan data);
PERIGEE_API std::expected<SslAddress, cdr::Error> decode_ssl_address(OctetSpan data);
PERIGEE_API std::expected<CodeSetContext, cdr::Error> decode_code_set_context(OctetSpan data);
/// std::nullopt if the data does not decode.
PERIGEE_API std::optional<std::uint64_t> decode_remaining_time(OctetSpan data) noexcept;
/// Whether the data is the version of GIOPlite that this library understands.
PERIGEE_API bool decode_giop_lite(OctetSpan data) noexcept;
/// @}

/// @name Components as encoded in profiles: a count, then a tag and the data of each. Decoding
/// fails with `too_large` beyond the limits.
/// @{
PERIGEE_API void encode_components(cdr::Encoder& encoder,
                                   std::span<const TaggedComponent> components);
PERIGEE_API void decode_components(cdr::Decoder& decoder, std::vector<TaggedComponent>& components,
                                   const IorLimits& limits);
/// @}

}  // namespace perigee::iop
