// The encoding of the profiles of one tag, without the transports. The codec of IIOP is always
// there; a protocol registers codecs for its own tags.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/errors.h>
#include <perigee/iop/ior.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::iop {

/// The contents of a profile, whatever its tag.
struct ProfileBody {
  std::uint8_t major = 1;
  std::uint8_t minor = 2;
  std::string host;     ///< the host of the address, if the address does not contain it
  std::string address;  ///< in the form of the endpoints of the tag's protocol
  ObjectKey object_key;
  std::vector<TaggedComponent> components;
  friend bool operator==(const ProfileBody&, const ProfileBody&) = default;
};

/// Reads and writes the profiles of one tag. Stateless: any thread.
class PERIGEE_API ProfileCodec {
 public:
  virtual ~ProfileCodec() = default;
  [[nodiscard]] virtual std::uint32_t tag() const noexcept = 0;
  /// `profile` has the tag; its data may come from an untrusted peer. Errors: those of the decoder;
  /// `too_large` beyond the limits.
  [[nodiscard]] virtual std::expected<ProfileBody, cdr::Error> decode(
      const TaggedProfile& profile, const IorLimits& limits) const = 0;
  [[nodiscard]] virtual TaggedProfile encode(const ProfileBody& body) const = 0;
};

/// @name The last part of most profiles: the object key, then the components
/// @{
PERIGEE_API void encode_key_and_components(cdr::Encoder& encoder, const ProfileBody& body);
/// Fails with `too_large` beyond the limits.
PERIGEE_API void decode_key_and_components(cdr::Decoder& decoder, ProfileBody& body,
                                           const IorLimits& limits);
/// @}

/// The codec of tag_internet_iop. The address is "host:port", with brackets around an IPv6 address.
/// Port 0 says that the server has no IIOP address, unless a component has one (interop fact 48 of
/// docs/interop.md).
PERIGEE_API std::unique_ptr<ProfileCodec> make_iiop_codec();

/// "host:port", with brackets around a host that has colons.
PERIGEE_API std::string join_host_port(std::string_view host, std::uint16_t port);

}  // namespace perigee::iop
