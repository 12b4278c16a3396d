// The profiles that lead to an object, in the order of one client: the reference's own, and those
// of the places where servers have forwarded it to. Makes no calls.
#pragma once

#include "orb/protocol_preference.h"
#include <perigee/iop/ior.h>
#include <perigee/messaging/message.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace perigee::orb {

class ClientEndpoint;
class OrbCore;

/// One place where requests to the object can be sent.
struct Target {
  std::shared_ptr<ClientEndpoint> endpoint;  ///< shared with the table and with other targets
  OctetSpan object_key;                      ///< in the Binding's profiles
  messaging::Version version;                ///< the highest that both sides speak
  bool collocated = false;                   ///< the endpoint is our own server's
  bool compatible = true;                    ///< there are code sets that both sides understand
  std::uint32_t profile_index = 0;           ///< in the IOR
};

/// An IOR made ready for calls. Immutable but for what calls have learnt.
struct Binding {
  enum class Kind : std::uint8_t { base, forward };

  Kind kind = Kind::base;
  iop::Ior ior;
  std::vector<transport::ProfileTarget> profiles;
  std::vector<Target> targets;                      ///< in the order in which to try them
  std::string other_hosts;                          ///< endpoints that lead nowhere here, as text
  std::string excluded;                             ///< those that ClientProtocolPolicy leaves out
  std::size_t protocols_known = 0;                  ///< schemes, when it was made
  mutable std::atomic<std::uint32_t> preferred{0};  ///< the target that answered last: tried first
  /// How servers want to be told the target.
  mutable std::atomic<messaging::AddressingMode> addressing{messaging::AddressingMode::key};
};

/// `preference`: of protocols; null: the nearest first.
std::unique_ptr<Binding> make_binding(OrbCore& core, iop::Ior ior, Binding::Kind kind,
                                      const ProtocolPreference* preference);

/// Whether a forward takes the place of the reference.
enum class Permanence : std::uint8_t { temporary, permanent };

/// Any thread.
///
/// Bindings are kept as long as the MProfile, so a call may use one without counting; equal
/// forwards are one binding, and the number of those remembered is limited.
class MProfile final {
 public:
  /// `preference`: of those who use it; null: none.
  MProfile(OrbCore& core, iop::Ior ior, std::shared_ptr<const ProtocolPreference> preference);
  MProfile(const MProfile&) = delete;
  MProfile& operator=(const MProfile&) = delete;

  /// Where calls go now: the forward if there is one.
  [[nodiscard]] const Binding& current() const {
    const Binding* binding = current_.load(std::memory_order_acquire);
    return binding != nullptr ? *binding : resolve();
  }
  /// What the reference says without forwards: where to return when a forward fails.
  [[nodiscard]] const Binding& base() const {
    const Binding* binding = base_.load(std::memory_order_acquire);
    return binding != nullptr ? *binding : resolve();
  }
  [[nodiscard]] const ProtocolPreference* preference() const noexcept { return preference_.get(); }

  /// Makes `forward` the current binding (and the base, if permanent) and returns it as remembered.
  /// If it leads nowhere, or too many are remembered already, returns nullptr, and `forward` stays
  /// the caller's.
  const Binding* adopt(std::unique_ptr<Binding>& forward, Permanence permanence);
  /// The forward has failed: back to the base, unless another thread has found a newer one.
  void forget(const Binding& forward) noexcept;
  /// A base that led nowhere, made anew since protocols have come; nullptr if none have, or if it
  /// still leads nowhere.
  const Binding* renew_base();

 private:
  const Binding& resolve() const;

  OrbCore& core_;
  const std::shared_ptr<const ProtocolPreference> preference_;  // shared: immutable
  mutable std::atomic<const Binding*> current_{nullptr};
  mutable std::atomic<const Binding*> base_{nullptr};
  mutable std::mutex mutex_;  // guards what follows
  mutable iop::Ior unresolved_;
  mutable std::vector<std::unique_ptr<Binding>> bindings_;
};

}  // namespace perigee::orb
