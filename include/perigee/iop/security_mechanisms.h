// The TLS addresses of a server that publishes its security mechanisms, as CSIv2 defines them.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/errors.h>

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace perigee::iop {

/// TAG_CSI_SEC_MECH_LIST: the mechanisms of an IIOP profile, the server's preferred one first.
inline constexpr std::uint32_t tag_security_mechanisms = 33;
/// TAG_TLS_SEC_TRANS: the transport of a mechanism is TLS.
inline constexpr std::uint32_t tag_tls_transport = 36;

/// One address of a mechanism whose transport is TLS.
struct TlsAddress {
  std::uint16_t supports = 0;  ///< AssociationOption bits that the server can provide
  std::uint16_t needs = 0;     ///< AssociationOption bits that the server requires
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const TlsAddress&, const TlsAddress&) = default;
};

/// The TLS addresses in a component `tag_security_mechanisms`, in the order of the component.
/// Mechanisms with other transports are left out. Passwords and identities, which a mechanism may
/// also ask for, are not read. Fails with `too_large` beyond 16 mechanisms or 64 addresses.
/// Source: CORBA 3.0, 24.5.1 (CompoundSecMechList) and 24.5.2 (TLS_SEC_TRANS).
[[nodiscard]] PERIGEE_API std::expected<std::vector<TlsAddress>, cdr::Error> decode_tls_addresses(
    OctetSpan data);

}  // namespace perigee::iop
