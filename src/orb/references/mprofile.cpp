// Profiles are resolved at the first call; forwards are remembered.
#include "orb/references/mprofile.h"

#include "orb/context/orb_context.h"

#include <algorithm>
#include <utility>

namespace perigee::orb {

namespace {

// Servers rarely move an object between more places than this. If a server always forwards to new
// places, each call takes a lock.
constexpr std::size_t kept_max = 8;

}  // namespace

MProfile::MProfile(const OrbContext& context, iop::Ior ior,
                   std::shared_ptr<const ProtocolPreference> preference)
    : context_(context), preference_(std::move(preference)), given_(std::move(ior)) {}

BindingRef MProfile::resolved(const BindingRef& which) const {
  const std::lock_guard lock(mutex_);
  if (which == nullptr) {
    const BindingRef binding =
        make_binding(context_, given_, Binding::Kind::base, preference_.get());
    keep(binding);
    set_base(binding);
    set_current(binding);
  }
  return which;
}

const Binding* MProfile::if_kept(const BindingRef& binding) const noexcept {
  return std::ranges::find(kept_, binding) != kept_.end() ? binding.get() : nullptr;
}

void MProfile::set_current(const BindingRef& binding) const noexcept {
  current_ = binding;
  kept_current_.store(if_kept(binding), std::memory_order_release);
}

void MProfile::set_base(const BindingRef& binding) const noexcept {
  base_ = binding;
  const Binding* const kept = if_kept(binding);
  kept_base_.store(kept, std::memory_order_release);
  kept_ior_.store(kept != nullptr ? &kept->ior : nullptr, std::memory_order_release);
}

void MProfile::keep(const BindingRef& binding) const {
  const std::size_t forwards_max =
      std::min<std::size_t>(kept_max, context_.settings.forwards_remembered_max);
  if (kept_.size() <= forwards_max) kept_.push_back(binding);
}

// Returns the equal binding, if one is remembered. The result becomes the newest.
BindingRef MProfile::remember(BindingRef binding) {
  const auto is_equal = [&](const BindingRef& other) {
    return other->kind == binding->kind && other->ior == binding->ior;
  };
  if (const auto known = std::ranges::find_if(kept_, is_equal); known != kept_.end()) return *known;
  if (const auto known = std::ranges::find_if(remembered_, is_equal); known != remembered_.end()) {
    std::rotate(known, known + 1, remembered_.end());
    return remembered_.back();
  }
  keep(binding);
  if (if_kept(binding) != nullptr) return binding;
  remembered_.push_back(binding);
  if (remembered_.size() > context_.settings.forwards_remembered_max)
    remembered_.erase(remembered_.begin());
  return binding;
}

BindingRef MProfile::adopt(std::shared_ptr<Binding> forward, Permanence permanence) {
  if (forward->targets.empty()) return forward;
  const bool permanent = permanence == Permanence::permanent;
  if (permanent) forward->kind = Binding::Kind::base;
  const std::lock_guard lock(mutex_);
  const BindingRef adopted = remember(std::move(forward));
  if (permanent) set_base(adopted);
  set_current(adopted);
  return adopted;
}

void MProfile::replace(const iop::Ior& ior) {
  const BindingRef made = make_binding(context_, ior, Binding::Kind::base, preference_.get());
  const std::lock_guard lock(mutex_);
  const BindingRef base = remember(made);
  set_base(base);
  set_current(base);
}

void MProfile::forget(const Binding& forward) noexcept {
  const std::lock_guard lock(mutex_);
  if (current_.get() == &forward) set_current(base_);
}

BindingRef MProfile::renew_base(const Binding& failed) {
  const std::lock_guard lock(mutex_);
  if (base_.get() != &failed) return base_;
  const std::uint64_t changes = context_.protocols.changes();
  if (std::max(changes_in_vain_, failed.protocol_changes) == changes) return nullptr;
  BindingRef renewed = make_binding(context_, failed.ior, Binding::Kind::base, preference_.get());
  if (renewed->targets.empty()) {
    changes_in_vain_ = changes;
    return nullptr;
  }
  keep(renewed);
  const bool is_current = current_ == base_;
  set_base(renewed);
  if (is_current) set_current(renewed);
  return renewed;
}

}  // namespace perigee::orb
