// References, and their profiles in the orders that policies want.
#include "orb/reference.h"

#include "orb/orb_core.h"

#include <algorithm>
#include <utility>

namespace perigee::orb {

namespace {
constexpr std::size_t preferences_remembered_max = 8;
}  // namespace

Reference::Reference(std::shared_ptr<OrbCore> core, iop::Ior ior,
                     std::shared_ptr<const PolicyOverrides> overrides)
    : core_(std::move(core)),
      overrides_(std::move(overrides)),
      profiles_(*core_, std::move(ior), nullptr) {}

Reference::~Reference() = default;

std::shared_ptr<MProfile> Reference::preferred_profiles(
    const std::shared_ptr<const ProtocolPreference>& preference) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(
      preferred_, [&](const auto& profiles) { return *profiles->preference() == *preference; });
  if (known != preferred_.end()) return *known;
  auto made = std::make_shared<MProfile>(*core_, ior(), preference);
  if (preferred_.size() >= preferences_remembered_max) preferred_.erase(preferred_.begin());
  return preferred_.emplace_back(std::move(made));
}

void Reference::replace(const iop::Ior& ior) {
  auto binding = make_binding(*core_, ior, Binding::Kind::base, nullptr);
  (void)profiles_.adopt(binding, Permanence::permanent);
}

}  // namespace perigee::orb
