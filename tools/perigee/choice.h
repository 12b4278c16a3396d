// Which addresses of a reference a client on this host would use, and why. Contacts nobody.
#pragma once

#include <perigee/iop/ior.h>
#include <perigee/transport/registry.h>

#include <cstddef>
#include <string>
#include <vector>

namespace perigee::tool {

/// An address, or a whole profile that leads to none.
struct Choice {
  std::size_t profile = 0;  ///< its number, from 1
  std::string endpoint;     ///< empty: nobody understands the profile
  bool tried = false;
  std::string reason;  ///< for people
};

/// In the order in which an ORB with these protocols tries them; then those that it leaves out.
std::vector<Choice> choices(const iop::Ior& ior, const transport::ProtocolRegistry& protocols);

/// One line each. Empty for the nil reference.
std::string describe(const std::vector<Choice>& choices);

}  // namespace perigee::tool
