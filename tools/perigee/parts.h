// The names of the parts of references, and descriptions of their contents. Texts from references
// are escaped, because references may come from untrusted programs.
#pragma once

#include <perigee/iop/ior.h>
#include <perigee/iop/profile_codec.h>

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace perigee::tool {

/// "unknown" for unknown tags.
std::string_view profile_name(std::uint32_t tag);
std::string_view component_name(std::uint32_t tag);

/// "host:port", "[v6]:port".
std::string address(std::string_view host, std::uint16_t port);
/// "/path on host".
std::string local_address(std::string_view host, std::string_view path);

/// An object key with %-escapes as in a corbaloc; the text of the mistake if it has one.
std::expected<iop::ObjectKey, std::string> parse_key(const std::string& text);

/// The port of TLS in the components of an IIOP profile; 0: there is none.
std::uint16_t tls_port(std::span<const iop::TaggedComponent> components);

/// The contents of the component; empty if its tag is not supported here, or it does not decode.
std::string component_contents(const iop::TaggedComponent& component);

/// The profile as a corbaloc, for configuration files, without components. Empty if a corbaloc
/// cannot contain the address.
std::string corbaloc(const iop::IiopProfile& profile);
std::string corbaloc(const iop::ProfileBody& body);

}  // namespace perigee::tool
