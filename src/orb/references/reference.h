// The contents of an object reference: the IOR, the profiles that lead to the object, and the
// policies of calls through it. Makes no calls.
#pragma once

#include "orb/references/mprofile.h"
#include <perigee/iop/ior.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::orb {

struct OrbContext;
class PolicyOverrides;

/// Any thread. Shared by the stubs that were narrowed from each other.
class Reference final {
 public:
  /// `overrides`: the policies of calls through this reference; null: none of its own.
  Reference(std::shared_ptr<const OrbContext> context, iop::Ior ior,
            std::shared_ptr<const PolicyOverrides> overrides = nullptr);
  ~Reference();
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  [[nodiscard]] const OrbContext& context() const noexcept { return *context_; }
  [[nodiscard]] const std::shared_ptr<const OrbContext>& shared_context() const noexcept {
    return context_;
  }
  [[nodiscard]] const PolicyOverrides* overrides() const noexcept { return overrides_.get(); }
  /// Calls `use` with the IOR that is exported and compared: as given, or as replaced by
  /// LOCATION_FORWARD_PERM. The IOR need not be ready for calls. `use` must not use this object.
  template <typename Use>
  auto use_ior(Use use) const {
    return profiles_.use_ior(std::move(use));
  }
  /// A copy of this IOR.
  [[nodiscard]] iop::Ior ior() const {
    return use_ior([](const iop::Ior& ior) { return ior; });
  }
  [[nodiscard]] BindingRef base() const { return profiles_.base(); }

  /// The profiles in the order of a call's preference; null: there is no preference. The reference
  /// owns the result. If there are many preferences, the caller owns it, too, since the reference
  /// forgets the oldest of them. The first few preferences need no lock.
  [[nodiscard]] std::shared_ptr<MProfile> profiles(
      const std::shared_ptr<const ProtocolPreference>& preference) {
    if (preference == nullptr) return not_owned(profiles_);
    for (const Kept* kept = kept_.load(std::memory_order_acquire); kept != nullptr;
         kept = kept->next.get())
      if (kept->preference == preference) return not_owned(*kept->profiles);
    return find_preferred(preference);
  }
  /// A LOCATION_FORWARD_PERM that one call gets applies to the calls of all preferences, unless the
  /// new IOR has no usable target.
  void replace(const iop::Ior& ior);

 private:
  /// The profiles for one preference. Immutable. Keeps the preference, since `profiles` compares
  /// addresses of preferences.
  struct Kept {
    std::shared_ptr<const ProtocolPreference> preference;
    std::shared_ptr<MProfile> profiles;  // shared with those of equal preferences
    std::unique_ptr<const Kept> next;
  };

  static std::shared_ptr<MProfile> not_owned(MProfile& profiles) noexcept {
    return {std::shared_ptr<void>(), &profiles};
  }
  [[nodiscard]] std::shared_ptr<MProfile> find_preferred(
      const std::shared_ptr<const ProtocolPreference>& preference);
  // Expect mutex_ to be held.
  [[nodiscard]] std::shared_ptr<MProfile> kept_equal(const ProtocolPreference& preference) const;
  [[nodiscard]] std::shared_ptr<MProfile> recent_equal(const ProtocolPreference& preference);
  void keep(std::shared_ptr<const ProtocolPreference> preference,
            std::shared_ptr<MProfile> profiles);

  const std::shared_ptr<const OrbContext>
      context_;  // shared: an ORB lives as long as its references
  const std::shared_ptr<const PolicyOverrides> overrides_;  // shared: immutable
  MProfile profiles_;                                       // without preference
  std::atomic<const Kept*> kept_{nullptr};                  // grows only
  std::mutex mutex_;  // guards the members below, and changes to `kept_`
  std::unique_ptr<const Kept> first_kept_;
  std::size_t kept_count_ = 0;
  std::vector<std::shared_ptr<MProfile>> recent_;  // of further preferences; ordered by last use
};

}  // namespace perigee::orb
