// Makes references, and changes those that are there: for gateways, tests, and servers that have
// moved. Contacts nobody.
#pragma once

#include <perigee/iop/ior.h>
#include <perigee/transport/registry.h>

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace perigee::tool {

/// What a new reference says.
struct IorParts {
  std::string type_id;
  std::string object_key;              ///< %-escaped, as in a corbaloc
  std::vector<std::string> addresses;  ///< "host:port": an IIOP profile each
  std::string version = "1.2";
  std::vector<std::string> endpoints = {};  ///< "scheme://...": a profile each, behind those
};
/// `protocols` know the schemes of endpoints; null: there are none. The error is text for people.
std::expected<iop::Ior, std::string> make_ior(
    const IorParts& parts, const transport::ProtocolRegistry* protocols = nullptr);

/// What becomes different; in this order.
struct IorChanges {
  std::vector<std::string> addresses;         ///< "old:port=new:port", or without the ports
  std::vector<std::uint32_t> removed;         ///< components with these tags
  std::vector<std::size_t> removed_profiles;  ///< by their numbers, from 1
  std::size_t first_profile = 0;              ///< comes first; 0: as it is
  std::string type_id;                        ///< empty: as it is
  std::string object_key;                     ///< the same; %-escaped
};
/// Profiles that are not IIOP's stay as they are, octet by octet. A change that finds nothing to
/// change is an error.
std::expected<iop::Ior, std::string> edit_ior(iop::Ior ior, const IorChanges& changes);

}  // namespace perigee::tool
