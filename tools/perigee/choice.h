// The addresses of a reference: which addresses a client on this host would use, and why. Makes no
// connection.
#pragma once

#include <perigee/iop/corbaloc.h>
#include <perigee/iop/ior.h>
#include <perigee/transport/registry.h>

#include <cstddef>
#include <string>
#include <vector>

namespace perigee::tool {

/// An address, or a whole profile without an address.
struct Choice {
  std::size_t profile = 0;  ///< its number, from 1; 0: a corbaloc has none
  std::string endpoint;     ///< empty: no protocol reads the profile
  bool tried = false;
  std::string reason;  ///< a text for the user
};

/// The addresses in the order in which an ORB with these protocols tries them, then the addresses
/// that it leaves out.
std::vector<Choice> choices(const iop::Ior& ior, const transport::ProtocolRegistry& protocols);

/// The addresses of a corbaloc, in the same order.
std::vector<Choice> choices(const iop::Corbaloc& reference,
                            const transport::ProtocolRegistry& protocols);

/// The reason why a client here leaves out an address that a protocol knows (Distance::other_host).
std::string why_left_out(const iop::TaggedProfile& profile, const transport::Endpoint& endpoint);
/// The reason why a profile leads to no address: no protocol knows its tag, it is damaged, or it
/// has no address.
std::string why_no_address(const iop::TaggedProfile& profile,
                           const transport::ProtocolRegistry& protocols);

/// One line for each choice. Empty for the nil reference.
std::string describe(const std::vector<Choice>& choices);

}  // namespace perigee::tool
