// Interoperable object references as data: profiles and components are kept byte-exact.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>

#include <bit>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::iop {

using ObjectKey = Octets;

/// Profile tags. Source: CORBA 3.0, 13.6.3.
enum ProfileTag : std::uint32_t { tag_internet_iop = 0, tag_multiple_components = 1 };

/// Component tags. Source: CORBA 3.0, 13.6.6.
enum ComponentTag : std::uint32_t {
  tag_orb_type = 0,
  tag_code_sets = 1,
  tag_policies = 2,
  tag_alternate_iiop_address = 3,
};

struct TaggedProfile {
  std::uint32_t tag = 0;
  Octets data;  ///< the encapsulation, unchanged
  friend bool operator==(const TaggedProfile&, const TaggedProfile&) = default;
};

struct TaggedComponent {
  std::uint32_t tag = 0;
  Octets data;
  friend bool operator==(const TaggedComponent&, const TaggedComponent&) = default;
};

/// A service context; `data` points into the message.
struct ServiceContext {
  std::uint32_t id = 0;
  OctetSpan data;
};

/// An object reference in its transmitted form. Without profiles it is the nil reference.
/// Source: CORBA 3.0, 13.6.2.
struct Ior {
  std::string type_id;
  std::vector<TaggedProfile> profiles;

  [[nodiscard]] bool is_nil() const noexcept { return profiles.empty(); }
  friend bool operator==(const Ior&, const Ior&) = default;
};

/// Limits on references received in messages or parsed from text.
struct IorLimits {
  std::uint32_t profiles_max = 64;
  std::uint32_t components_max = 64;        ///< per profile
  std::size_t ior_string_size_max = 65536;  ///< characters after "IOR:"
};

PERIGEE_API void encode(cdr::Encoder& encoder, const Ior& ior);
/// On an error, fails the decoder and leaves `ior` nil. Errors: those of the decoder; `too_large`
/// beyond `profiles_max`.
PERIGEE_API void decode(cdr::Decoder& decoder, Ior& ior, const IorLimits& limits = {});

/// The body of an IIOP profile (tag 0), also used by other protocols with the same layout.
/// Source: CORBA 3.0, 15.7.2. Components exist from version 1.1 on.
struct IiopProfile {
  std::uint8_t major = 1;
  std::uint8_t minor = 2;
  std::string host;
  std::uint16_t port = 0;
  ObjectKey object_key;
  std::vector<TaggedComponent> components;
  friend bool operator==(const IiopProfile&, const IiopProfile&) = default;
};

/// The profile with tag 0, encapsulated in byte order `order`. Version 1.0 has no components: they
/// are left out.
PERIGEE_API TaggedProfile encode_profile(const IiopProfile& profile,
                                         std::endian order = std::endian::native);
/// Decodes the data of the profile; the caller checks the tag. Octets after the body are ignored.
/// Errors: those of the decoder; `bad_value` for a major version other than 1; `too_large` beyond
/// the limits.
PERIGEE_API std::expected<IiopProfile, cdr::Error> decode_iiop_profile(
    const TaggedProfile& profile, const IorLimits& limits = {});

/// Why a stringified reference cannot be used; `text` describes the error. The value of `reason` is
/// the OMG minor code of the BAD_PARAM that string_to_object raises (7 bad scheme, 8 bad address,
/// 9 bad scheme specific part, 10 other).
struct ReferenceError {
  enum class Reason : std::uint8_t {
    bad_scheme = 7,
    bad_address = 8,
    bad_specific = 9,
    other = 10
  };
  Reason reason = Reason::other;
  std::string text;
};

/// "IOR:" and the reference, as an encapsulation in native byte order, in hexadecimal.
PERIGEE_API std::string to_ior_string(const Ior& ior);
/// Prefix and digits may be in any case; white space at the end is ignored. Nil references are
/// accepted. Errors: `bad_scheme` (no "IOR:"), `bad_specific` (bad digits or contents), `other`
/// (too long).
/// Source: CORBA 3.0, 13.6.10.
PERIGEE_API std::expected<Ior, ReferenceError> parse_ior_string(std::string_view text,
                                                                const IorLimits& limits = {});

}  // namespace perigee::iop
