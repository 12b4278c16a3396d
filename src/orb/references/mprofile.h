// The profiles that lead to an object, in the order in which calls try them: the reference's own
// profiles, and the profiles of location forwards. Makes no calls.
#pragma once

#include "orb/policies/protocol_preference.h"
#include <perigee/base/export.h>
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
struct OrbContext;

/// One place where requests to the object can be sent.
struct Target {
  std::shared_ptr<ClientEndpoint> endpoint;  ///< shared with the table and with other targets
  OctetSpan object_key;                      ///< in the Binding's profiles
  messaging::Version version;                ///< the highest that both sides speak
  bool collocated = false;                   ///< the endpoint belongs to the server of this ORB
  bool compatible = true;                    ///< there are code sets that both sides understand
  std::uint32_t profile_index = 0;           ///< in the IOR
  /// `!collocated && compatible`: calls go to the endpoint. Calls test this member instead of two.
  bool remote = true;
};

/// An IOR that is ready for calls. Immutable, except for the members that calls update.
struct Binding {
  enum class Kind : std::uint8_t { base, forward };

  Kind kind = Kind::base;
  iop::Ior ior;
  std::vector<transport::ProfileTarget> profiles;
  std::vector<Target> targets;                      ///< in the order in which to try them
  std::string other_hosts;                          ///< endpoints that only work on another host
  std::string excluded;                             ///< excluded by ClientProtocolPolicy, as text
  std::uint64_t protocol_changes = 0;               ///< of the registry, before this was made
  mutable std::atomic<std::uint32_t> preferred{0};  ///< the target that answered last: tried first
  /// The addressing mode that servers have asked for.
  mutable std::atomic<messaging::AddressingMode> addressing{messaging::AddressingMode::key};
};

/// Shared by an MProfile and by calls, which may keep it after the MProfile has forgotten it.
using BindingRef = std::shared_ptr<const Binding>;

/// `preference`: the order of protocols; null: the nearest first.
std::shared_ptr<Binding> make_binding(const OrbContext& context, iop::Ior ior, Binding::Kind kind,
                                      const ProtocolPreference* preference);

/// Whether a forward takes the place of the reference.
enum class Permanence : std::uint8_t { temporary, permanent };

/// Any thread.
///
/// The newest forward is the current one. At most `forwards_remembered_max` forwards are
/// remembered. A forward that equals a remembered one uses its binding, with the members that calls
/// have updated. The MProfile keeps the first few bindings for its whole life. Calls use these
/// without a lock, and do not count references to them.
class MProfile final {
 public:
  /// `preference`: the order of protocols for calls that use this MProfile; null: none.
  MProfile(const OrbContext& context, iop::Ior ior,
           std::shared_ptr<const ProtocolPreference> preference);
  MProfile(const MProfile&) = delete;
  MProfile& operator=(const MProfile&) = delete;

  /// The target of calls at present: the forward if there is one.
  [[nodiscard]] BindingRef current() const { return kept_or(kept_current_, current_); }
  /// The binding of the reference without forwards. Calls return to it when a forward fails.
  [[nodiscard]] BindingRef base() const { return kept_or(kept_base_, base_); }
  /// Calls `use` with the IOR of `base`. Does not prepare the IOR for calls: a server that stores
  /// references, or passes them on, needs no endpoints for them. Takes a lock only if the base is
  /// one of many permanent forwards. `use` must not use this object.
  template <typename Use>
  auto use_ior(Use use) const {
    if (const iop::Ior* const ior = kept_ior_.load(std::memory_order_acquire)) return use(*ior);
    const std::lock_guard lock(mutex_);
    return use(base_->ior);
  }
  [[nodiscard]] const ProtocolPreference* preference() const noexcept { return preference_.get(); }
  /// Whether a call with NO_REBIND has been answered.
  [[nodiscard]] bool is_bound() const noexcept { return bound_.load(std::memory_order_relaxed); }
  void note_bound() noexcept { bound_.store(true, std::memory_order_relaxed); }

  /// Makes `forward` the current binding (and the base, if permanent), unless it has no targets.
  /// Returns `forward`, or an equal binding that is remembered.
  BindingRef adopt(std::shared_ptr<Binding> forward, Permanence permanence);
  /// `ior` replaces the base and the forwards, even if it has no usable target.
  void replace(const iop::Ior& ior);
  /// The forward has failed: the base becomes current, unless another thread has found a newer
  /// forward.
  void forget(const Binding& forward) noexcept;
  /// All targets of the base have failed. Resolves the base again if protocols have been added or
  /// removed since. If another thread has already done so, returns its base. nullptr if no protocol
  /// has changed, or if the new base has no targets.
  BindingRef renew_base(const Binding& failed);

 private:
  [[nodiscard]] BindingRef kept_or(const std::atomic<const Binding*>& kept,
                                   const BindingRef& other) const {
    if (const Binding* const binding = kept.load(std::memory_order_acquire))
      return {std::shared_ptr<void>(), binding};
    return resolved(other);
  }
  [[nodiscard]] PERIGEE_INTERNAL_API BindingRef resolved(const BindingRef& which) const;

  // Expect mutex_ to be held.
  [[nodiscard]] BindingRef remember(BindingRef binding);
  void keep(const BindingRef& binding) const;
  void set_current(const BindingRef& binding) const noexcept;
  void set_base(const BindingRef& binding) const noexcept;
  [[nodiscard]] const Binding* if_kept(const BindingRef& binding) const noexcept;

  const OrbContext& context_;
  const std::shared_ptr<const ProtocolPreference> preference_;  // shared: immutable
  const iop::Ior given_;  // never changes: `use_ior` uses it without a lock
  mutable std::atomic<const Binding*> kept_current_{nullptr};  // the current one, if it is kept
  mutable std::atomic<const Binding*> kept_base_{nullptr};
  // The IOR of the base: given_ until there is a binding. Null: the base is not kept.
  mutable std::atomic<const iop::Ior*> kept_ior_{&given_};
  std::atomic<bool> bound_{false};
  mutable std::mutex mutex_;  // guards the members below
  mutable BindingRef current_;
  mutable BindingRef base_;
  mutable std::vector<BindingRef> kept_;  // never removed
  std::vector<BindingRef> remembered_;    // the newest last
  // The registry's count of changes when a renewed base had no targets.
  std::uint64_t changes_in_vain_ = 0;
};

}  // namespace perigee::orb
