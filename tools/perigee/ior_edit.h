// Makes references, and changes existing ones: for gateways, tests, and servers that have moved.
// Makes no connection.
#pragma once

#include <perigee/iop/ior.h>
#include <perigee/transport/registry.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace perigee::tool {

/// The contents of a new reference.
struct IorParts {
  std::string type_id;
  std::string object_key;              ///< %-escaped, as in a corbaloc
  std::vector<std::string> addresses;  ///< "host:port": an IIOP profile for each
  std::string version = "1.2";
  std::vector<std::string> endpoints = {};  ///< "scheme://...": further profiles
};
/// `protocols` know the schemes of endpoints; null: no protocols. The error is a message for the
/// user.
std::expected<iop::Ior, std::string> make_ior(
    const IorParts& parts, const transport::ProtocolRegistry* protocols = nullptr);

/// The changes, in the order in which they are made. Numbers of profiles refer to the original
/// reference.
struct IorChanges {
  /// "old:port=new:port", or without the ports, in IIOP profiles; "scheme://old=scheme://new" in
  /// profiles of any protocol.
  std::vector<std::string> addresses;
  std::vector<std::uint32_t> removed;             ///< components with these tags
  std::vector<std::size_t> removed_profiles;      ///< by number, from 1
  std::optional<std::size_t> first_profile = {};  ///< moved to the front
  std::optional<std::string> type_id = {};
  std::optional<std::string> object_key = {};  ///< in all profiles; %-escaped
};
/// Unchanged parts stay identical, octet by octet. It is an error if no profile has the old address
/// or the component, or if there is no profile with the number. A new key for only some profiles is
/// also an error, because the reference would then lead to two objects. This happens if no protocol
/// of `protocols` (only IIOP, if null) reads the other profiles.
std::expected<iop::Ior, std::string> edit_ior(
    iop::Ior ior, const IorChanges& changes,
    const transport::ProtocolRegistry* protocols = nullptr);

/// A profile that still has its old address.
struct UnmovedProfile {
  std::size_t number = 0;  ///< in the new reference, from 1
  std::uint32_t tag = 0;
  std::string endpoint = {};  ///< its first address; empty: no protocol reads the profile
};
/// The profiles of protocols other than IIOP that still lead to their old addresses after addresses
/// were changed. Empty if no addresses were changed.
std::vector<UnmovedProfile> unmoved_profiles(const iop::Ior& before, const iop::Ior& after,
                                             const IorChanges& changes,
                                             const transport::ProtocolRegistry& protocols);
/// One line for each profile.
std::string describe(const std::vector<UnmovedProfile>& profiles);

}  // namespace perigee::tool
