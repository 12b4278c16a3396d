// What is behind an object reference: the IOR, the targets that its profiles lead to, and where the
// object was forwarded to. Makes no calls.
#pragma once

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
class PolicyOverrides;

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
  mutable std::atomic<std::uint32_t> preferred{0};  ///< the target that answered last: tried first
  /// How servers want to be told the target.
  mutable std::atomic<messaging::AddressingMode> addressing{messaging::AddressingMode::key};
};

std::unique_ptr<Binding> make_binding(OrbCore& core, iop::Ior ior, Binding::Kind kind);

/// Any thread. Shared by the stubs that were narrowed from each other.
///
/// Bindings are kept as long as the reference, so a call may use one without counting; equal
/// forwards are one binding, and the number of those remembered is limited.
class Reference final {
 public:
  /// `overrides`: the policies of calls through this reference; null: none of its own.
  Reference(std::shared_ptr<OrbCore> core, iop::Ior ior,
            std::shared_ptr<const PolicyOverrides> overrides = nullptr);
  ~Reference();
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  [[nodiscard]] OrbCore& core() const noexcept { return *core_; }
  [[nodiscard]] const PolicyOverrides* overrides() const noexcept { return overrides_.get(); }
  /// As given, or as replaced by LOCATION_FORWARD_PERM: what is exported and compared.
  [[nodiscard]] const iop::Ior& ior() const { return base().ior; }

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

  enum class Permanence : std::uint8_t { temporary, permanent };
  /// Makes `forward` the current binding (and the base, if permanent) and returns it as remembered.
  /// If too many are remembered already returns nullptr, and `forward` stays the caller's.
  const Binding* adopt(std::unique_ptr<Binding>& forward, Permanence permanence);
  /// The forward has failed: back to the base, unless another thread has found a newer one.
  void forget(const Binding& forward) noexcept;

 private:
  const Binding& resolve() const;

  const std::shared_ptr<OrbCore> core_;  // shared: an ORB lives as long as its references
  const std::shared_ptr<const PolicyOverrides> overrides_;  // shared: immutable
  mutable std::atomic<const Binding*> current_{nullptr};
  mutable std::atomic<const Binding*> base_{nullptr};
  mutable std::mutex mutex_;  // guards what follows
  mutable iop::Ior unresolved_;
  mutable std::vector<std::unique_ptr<Binding>> bindings_;
};

}  // namespace perigee::orb
