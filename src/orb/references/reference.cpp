// References, and their profiles in the orders that ClientProtocolPolicies prefer.
#include "orb/references/reference.h"

#include "orb/context/orb_context.h"

#include <algorithm>
#include <utility>

namespace perigee::orb {

namespace {

// A program has few policies. A program that makes a new policy for each call pays for a lock and a
// comparison.
constexpr std::size_t preferences_kept_max = 8;
constexpr std::size_t preferences_recent_max = 8;

}  // namespace

Reference::Reference(std::shared_ptr<const OrbContext> context, iop::Ior ior,
                     std::shared_ptr<const PolicyOverrides> overrides)
    : context_(std::move(context)),
      overrides_(std::move(overrides)),
      profiles_(*context_, std::move(ior), nullptr) {}

Reference::~Reference() = default;

// Equal policies of several threads share what calls have learnt.
std::shared_ptr<MProfile> Reference::find_preferred(
    const std::shared_ptr<const ProtocolPreference>& preference) {
  const std::lock_guard lock(mutex_);
  auto profiles = kept_equal(*preference);
  if (profiles == nullptr) profiles = recent_equal(*preference);
  if (profiles == nullptr) profiles = std::make_shared<MProfile>(*context_, ior(), preference);
  if (kept_count_ < preferences_kept_max) {
    keep(preference, profiles);
  } else if (recent_.empty() || recent_.back() != profiles) {
    recent_.push_back(profiles);
    if (recent_.size() > preferences_recent_max) recent_.erase(recent_.begin());
  }
  return profiles;
}

std::shared_ptr<MProfile> Reference::kept_equal(const ProtocolPreference& preference) const {
  for (const Kept* kept = first_kept_.get(); kept != nullptr; kept = kept->next.get())
    if (*kept->preference == preference) return kept->profiles;
  return nullptr;
}

// The profiles that are found become the last used.
std::shared_ptr<MProfile> Reference::recent_equal(const ProtocolPreference& preference) {
  const auto found = std::ranges::find_if(
      recent_, [&](const auto& profiles) { return *profiles->preference() == preference; });
  if (found == recent_.end()) return nullptr;
  std::rotate(found, found + 1, recent_.end());
  return recent_.back();
}

void Reference::keep(std::shared_ptr<const ProtocolPreference> preference,
                     std::shared_ptr<MProfile> profiles) {
  auto kept = std::make_unique<Kept>(std::move(preference), std::move(profiles), nullptr);
  kept->next = std::move(first_kept_);
  first_kept_ = std::move(kept);
  ++kept_count_;
  kept_.store(first_kept_.get(), std::memory_order_release);
}

// Calls use the profiles in `kept_` without a lock, so these profiles stay, and get the new IOR.
void Reference::replace(const iop::Ior& ior) {
  if (base()->ior != ior) {
    auto binding = make_binding(*context_, ior, Binding::Kind::base, nullptr);
    if (binding->targets.empty()) return;
    profiles_.adopt(std::move(binding), Permanence::permanent);
  }
  const std::lock_guard lock(mutex_);
  recent_.clear();
  for (const Kept* kept = first_kept_.get(); kept != nullptr; kept = kept->next.get())
    if (kept->profiles->base()->ior != ior) kept->profiles->replace(ior);
}

}  // namespace perigee::orb
