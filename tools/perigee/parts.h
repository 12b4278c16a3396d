// The names of what references consist of, and what their parts say. Texts from references are
// escaped: they come from strangers.
#pragma once

#include <perigee/iop/ior.h>
#include <perigee/iop/profile_codec.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace perigee::tool {

/// "unknown" for tags that are not known.
std::string_view profile_name(std::uint32_t tag);
std::string_view component_name(std::uint32_t tag);

/// "host:port", "[v6]:port".
std::string address(std::string_view host, std::uint16_t port);
/// "/path on host".
std::string local_address(std::string_view host, std::string_view path);

/// What the component says; empty if its tag is not one that is decoded here, or it does not
/// decode.
std::string component_contents(const iop::TaggedComponent& component);

/// The profile as people may write it, for configuration files; components do not fit in. Empty
/// where the address cannot stand in one.
std::string corbaloc(const iop::IiopProfile& profile);
std::string corbaloc(const iop::ProfileBody& body);

}  // namespace perigee::tool
