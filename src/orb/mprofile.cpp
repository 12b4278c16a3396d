// Profiles are resolved at the first call; forwards are remembered.
#include "orb/mprofile.h"

#include "orb/orb_core.h"

#include <algorithm>
#include <utility>

namespace perigee::orb {

MProfile::MProfile(OrbCore& core, iop::Ior ior,
                   std::shared_ptr<const ProtocolPreference> preference)
    : core_(core), preference_(std::move(preference)), unresolved_(std::move(ior)) {}

const Binding& MProfile::resolve() const {
  const std::lock_guard lock(mutex_);
  if (const Binding* done = current_.load()) return *done;
  // A copy: should memory run out on the way, the next call begins anew.
  bindings_.push_back(make_binding(core_, unresolved_, Binding::Kind::base, preference_.get()));
  unresolved_ = iop::Ior{};
  const Binding* binding = bindings_.back().get();
  base_.store(binding, std::memory_order_release);
  current_.store(binding, std::memory_order_release);
  return *binding;
}

const Binding* MProfile::adopt(std::unique_ptr<Binding>& forward, Permanence permanence) {
  const bool permanent = permanence == Permanence::permanent;
  if (forward->targets.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  if (permanent) forward->kind = Binding::Kind::base;
  const auto known = std::ranges::find_if(bindings_, [&](const auto& binding) {
    return binding->kind == forward->kind && binding->ior == forward->ior;
  });
  const Binding* adopted = nullptr;
  if (known != bindings_.end()) {
    adopted = known->get();
  } else if (bindings_.size() <= core_.settings().forwards_remembered_max) {
    adopted = bindings_.emplace_back(std::move(forward)).get();
  } else {
    return nullptr;
  }
  if (permanent) base_.store(adopted, std::memory_order_release);
  current_.store(adopted, std::memory_order_release);
  return adopted;
}

void MProfile::forget(const Binding& forward) noexcept {
  const Binding* expected = &forward;
  current_.compare_exchange_strong(expected, base_.load());
}

const Binding* MProfile::renew_base() {
  const std::lock_guard lock(mutex_);
  const Binding* const old = base_.load();
  if (!old->targets.empty()) return old;
  if (old->protocols_known == core_.protocols().schemes().size()) return nullptr;
  auto renewed = make_binding(core_, old->ior, Binding::Kind::base, preference_.get());
  if (renewed->targets.empty()) return nullptr;
  const Binding* const binding = bindings_.emplace_back(std::move(renewed)).get();
  base_.store(binding, std::memory_order_release);
  const Binding* expected = old;
  current_.compare_exchange_strong(expected, binding);
  return binding;
}

}  // namespace perigee::orb
