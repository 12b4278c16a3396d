// The result of protocol policies: an order of protocols, with the properties of their connections.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/protocol_policies.h>
#include <perigee/transport/properties.h>
#include <perigee/transport/registry.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace perigee::orb {

/// A value. When another policy replaces it, its present users may continue to use it.
class ProtocolPreference {
 public:
  PERIGEE_INTERNAL_API explicit ProtocolPreference(const RTCORBA::ProtocolList& protocols);

  /// The requirements of the security policies.
  struct Security {
    bool is_protected = false;          ///< only protocols that protect messages
    std::optional<bool> verifies = {};  ///< whether certificates of servers are verified
  };
  /// The protocols of `preference` that `security` allows. If `preference` is null, all protocols
  /// that `security` allows.
  [[nodiscard]] static std::shared_ptr<const ProtocolPreference> secured(
      const std::shared_ptr<const ProtocolPreference>& preference, const Security& security);

  /// The place of a protocol in the order.
  struct Place {
    std::size_t rank;  ///< the lower the better
    const transport::Properties* properties;
  };
  /// The place of the protocol that has the scheme; empty if it is not to be used.
  [[nodiscard]] PERIGEE_INTERNAL_API std::optional<Place> place_of(
      const transport::ProtocolRegistry& protocols, const std::string& scheme) const;

  friend bool operator==(const ProtocolPreference&, const ProtocolPreference&) = default;

 private:
  struct Choice {
    std::uint32_t tag;
    transport::Properties properties;
    friend bool operator==(const Choice&, const Choice&) = default;
  };
  ProtocolPreference() = default;
  [[nodiscard]] static std::shared_ptr<const ProtocolPreference> make_secured(
      const ProtocolPreference* preference, const Security& security);

  std::vector<Choice> choices_;
  bool allows_others_ = false;  // protocols that are not among the choices come last
};

}  // namespace perigee::orb
