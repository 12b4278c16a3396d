// References of a bridge: makes references that lead through the bridge to objects of targets, and
// finds the target of an object key.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>
#include <perigee/bridge/access_rules.h>
#include <perigee/iop/ior.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/registry.h>

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

namespace perigee::bridge {

/// A server to which the bridge passes requests.
struct Target {
  transport::Endpoint endpoint;
  messaging::Version version{1, 2};  ///< the highest that it speaks
  bool reads_lite = false;
  friend auto operator<=>(const Target&, const Target&) = default;
};

/// An address at which the bridge accepts clients. The protocol and the acceptor must outlive
/// `References`.
struct ListenAddress {
  transport::ProtocolFactory* protocol = nullptr;
  const transport::Acceptor* acceptor = nullptr;
  messaging::Version version_max{1, 2};
};

/// Any thread. Targets stay as long as this object.
///
/// Most requests go to one target, the *main target*. Its objects have the same keys in the
/// bridge's references. The bridge's key of an object elsewhere, a *routed key*, begins with a mark
/// and the number of its target; the object's own key follows. A key of the main target that begins
/// with the mark is also routed, so that bridges can be chained.
class References {
 public:
  /// How many targets the bridge may learn from location forwards.
  static constexpr std::size_t learned_max = 1024;

  explicit References(const transport::ProtocolRegistry& protocols);
  References(const References&) = delete;
  References& operator=(const References&) = delete;

  /// @name Called before the bridge serves
  /// @{
  void publish(const ListenAddress& address) { addresses_.push_back(address); }
  void set_main_target(Target target);
  /// Like `rewrite`, but its targets have the same numbers in each run of the bridge.
  [[nodiscard]] std::expected<iop::Ior, IoError> rewrite_configured(const iop::Ior& ior);
  /// @}

  /// Whether the bridge itself listens at the endpoint.
  [[nodiscard]] bool is_bridge(const transport::Endpoint& endpoint) const noexcept;
  /// The first server to which a reference leads. std::nullopt: no protocol finds an address in it.
  [[nodiscard]] std::optional<Target> target_of(const iop::Ior& ior) const;
  [[nodiscard]] const Target& main_target() const noexcept { return *main_; }

  /// The server and the key to which requests for an object are sent.
  struct Destination {
    const Target* target = nullptr;  ///< null: the key is a routed key of an unknown target
    OctetSpan object_key;            ///< the key at the target; part of the bridge's key
  };
  [[nodiscard]] Destination find(OctetSpan object_key) const;

  /// The reference by which clients reach the object through the bridge. These references stay as
  /// they are: nil, references to the bridge, and references without an address for which there is
  /// a protocol here. Error: IoErrorKind::limit, beyond `learned_max` targets.
  [[nodiscard]] std::expected<iop::Ior, IoError> rewrite(const iop::Ior& ior);

  /// @name References inside of arguments and results
  /// std::nullopt: the reference stays as it is. No targets are learned. May throw bad_alloc.
  /// @{
  /// Like `rewrite`, but only for objects of targets that the bridge knows already.
  [[nodiscard]] std::optional<iop::Ior> through_bridge(const iop::Ior& ior) const;
  /// For a reference to the bridge: the target's own reference to the object, with the address by
  /// which the bridge knows the target. std::nullopt if the rules refuse the object.
  [[nodiscard]] std::optional<iop::Ior> at_target(const iop::Ior& ior,
                                                  const AccessRules& rules) const;
  /// @}

 private:
  struct Found {
    Target target;
    iop::ObjectKey object_key;
    std::vector<iop::TaggedComponent> components;  // that describe the server, and no address
  };

  [[nodiscard]] std::vector<transport::ProfileTarget> claim(const iop::Ior& ior) const;
  [[nodiscard]] bool leads_here(std::span<const transport::ProfileTarget> profiles) const noexcept;
  [[nodiscard]] std::optional<Found> choose(
      std::span<const transport::ProfileTarget> profiles) const;
  [[nodiscard]] static Found found_in(const transport::ProfileTarget& profile,
                                      const transport::Endpoint& endpoint);
  /// The bridge's key of an object. std::nullopt: the bridge does not know the target.
  [[nodiscard]] std::optional<iop::ObjectKey> known_key(const Found& found) const;
  [[nodiscard]] std::expected<iop::Ior, IoError> rewrite(const iop::Ior& ior, std::uint64_t seed);
  [[nodiscard]] std::optional<std::uint64_t> number_of(const Target& target, std::uint64_t seed);
  [[nodiscard]] iop::Ior make(const std::string& type_id, const Found& found,
                              OctetSpan object_key) const;

  const transport::ProtocolRegistry& protocols_;
  const std::uint64_t learned_seed_;  // random: see hash
  std::vector<ListenAddress> addresses_;
  std::optional<Target> main_;

  mutable std::shared_mutex mutex_;  // guards the members below
  std::map<std::uint64_t, Target> targets_;
  std::size_t learned_ = 0;
};

}  // namespace perigee::bridge
