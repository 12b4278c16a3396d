// Which addresses of a reference a client on this host would use, and why. Contacts nobody.
#pragma once

#include <perigee/iop/corbaloc.h>
#include <perigee/iop/ior.h>
#include <perigee/transport/registry.h>

#include <cstddef>
#include <string>
#include <vector>

namespace perigee::tool {

/// An address, or a whole profile that leads to none.
struct Choice {
  std::size_t profile = 0;  ///< its number, from 1; 0: of a corbaloc, which has none
  std::string endpoint;     ///< empty: nobody understands the profile
  bool tried = false;
  std::string reason;  ///< for people
};

/// In the order in which an ORB with these protocols tries them; then those that it leaves out.
std::vector<Choice> choices(const iop::Ior& ior, const transport::ProtocolRegistry& protocols);

/// Those of a corbaloc, as soon as a client here uses it.
std::vector<Choice> choices(const iop::Corbaloc& reference,
                            const transport::ProtocolRegistry& protocols);

/// Why a client here leaves out an address that some protocol knows (Distance::other_host).
std::string why_left_out(const iop::TaggedProfile& profile, const transport::Endpoint& endpoint);
/// Why a profile leads to no address at all: nobody knows its tag, it is damaged, or nobody's.
std::string why_no_address(const iop::TaggedProfile& profile,
                           const transport::ProtocolRegistry& protocols);

/// One line each. Empty for the nil reference.
std::string describe(const std::vector<Choice>& choices);

}  // namespace perigee::tool
