// What is behind an object reference: the IOR, the profiles that lead to the object, and the
// policies of calls through it. Makes no calls.
#pragma once

#include "orb/mprofile.h"
#include <perigee/iop/ior.h>

#include <memory>
#include <mutex>
#include <vector>

namespace perigee::orb {

class OrbCore;
class PolicyOverrides;

/// Any thread. Shared by the stubs that were narrowed from each other.
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
  [[nodiscard]] const Binding& base() const { return profiles_.base(); }

  /// The profiles in the order that the policy of a call wants; null: none does. Owned by the
  /// reference and the caller: those of policies that are long gone are forgotten.
  [[nodiscard]] std::shared_ptr<MProfile> profiles(
      const std::shared_ptr<const ProtocolPreference>& preference) {
    if (preference == nullptr) return {std::shared_ptr<void>(), &profiles_};
    return preferred_profiles(preference);
  }
  /// What LOCATION_FORWARD_PERM says to a call with a preference holds for those without, too.
  void replace(const iop::Ior& ior);

 private:
  [[nodiscard]] std::shared_ptr<MProfile> preferred_profiles(
      const std::shared_ptr<const ProtocolPreference>& preference);

  const std::shared_ptr<OrbCore> core_;  // shared: an ORB lives as long as its references
  const std::shared_ptr<const PolicyOverrides> overrides_;  // shared: immutable
  MProfile profiles_;                                       // without preference
  std::mutex mutex_;                                        // guards what follows
  std::vector<std::shared_ptr<MProfile>> preferred_;        // the newest last
};

}  // namespace perigee::orb
