// References resolve their IOR at the first call, and remember forwards.
#include "orb/reference.h"

#include "orb/orb_core.h"

#include <algorithm>
#include <utility>

namespace perigee::orb {

Reference::Reference(std::shared_ptr<OrbCore> core, iop::Ior ior,
                     std::shared_ptr<const PolicyOverrides> overrides)
    : core_(std::move(core)), overrides_(std::move(overrides)), unresolved_(std::move(ior)) {}

Reference::~Reference() = default;

const Binding& Reference::resolve() const {
  const std::lock_guard lock(mutex_);
  if (const Binding* done = current_.load()) return *done;
  // A copy: should memory run out on the way, the next call begins anew.
  bindings_.push_back(make_binding(*core_, unresolved_, Binding::Kind::base));
  unresolved_ = iop::Ior{};
  const Binding* binding = bindings_.back().get();
  base_.store(binding, std::memory_order_release);
  current_.store(binding, std::memory_order_release);
  return *binding;
}

const Binding* Reference::adopt(std::unique_ptr<Binding>& forward, Permanence permanence) {
  const std::lock_guard lock(mutex_);
  const bool permanent = permanence == Permanence::permanent;
  if (permanent) forward->kind = Binding::Kind::base;
  const auto known = std::ranges::find_if(bindings_, [&](const auto& binding) {
    return binding->kind == forward->kind && binding->ior == forward->ior;
  });
  const Binding* adopted = nullptr;
  if (known != bindings_.end()) {
    adopted = known->get();
  } else if (bindings_.size() <= core_->settings().forwards_remembered_max) {
    adopted = bindings_.emplace_back(std::move(forward)).get();
  } else {
    return nullptr;
  }
  if (permanent) base_.store(adopted, std::memory_order_release);
  current_.store(adopted, std::memory_order_release);
  return adopted;
}

void Reference::forget(const Binding& forward) noexcept {
  const Binding* expected = &forward;
  current_.compare_exchange_strong(expected, base_.load());
}

}  // namespace perigee::orb
