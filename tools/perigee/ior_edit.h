// Makes references, and changes those that are there: for gateways, tests, and servers that have
// moved. Contacts nobody.
#pragma once

#include <perigee/iop/ior.h>
#include <perigee/transport/registry.h>

#include <cstdint>
#include <expected>
#include <optional>
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

/// What becomes different; in this order. Numbers of profiles are those of the reference as it was.
struct IorChanges {
  /// "old:port=new:port", or without the ports, in IIOP profiles; "scheme://old=scheme://new" in
  /// those of any protocol.
  std::vector<std::string> addresses;
  std::vector<std::uint32_t> removed;             ///< components with these tags
  std::vector<std::size_t> removed_profiles;      ///< by their numbers, from 1
  std::optional<std::size_t> first_profile = {};  ///< comes first
  std::optional<std::string> type_id = {};
  std::optional<std::string> object_key = {};  ///< in all profiles; %-escaped
};
/// What is not to be changed stays as it is, octet by octet. A change that finds nothing to change
/// is an error, and so is one that would leave the reference with two objects: a new key for some
/// profiles only, since no protocol of `protocols` (IIOP alone, if null) reads the others.
std::expected<iop::Ior, std::string> edit_ior(
    iop::Ior ior, const IorChanges& changes,
    const transport::ProtocolRegistry* protocols = nullptr);

/// The profiles of other protocols than IIOP that lead where they led before addresses were
/// changed, a line each. Empty if none were.
std::string unmoved_profiles(const iop::Ior& before, const iop::Ior& after,
                             const IorChanges& changes,
                             const transport::ProtocolRegistry& protocols);

}  // namespace perigee::tool
