// References resolve their IOR at the first call, and remember forwards.
#include "orb/reference.h"

#include "orb/client/endpoint_table.h"
#include "orb/orb_core.h"
#include <perigee/iop/components.h>

#include <algorithm>
#include <utility>

namespace perigee::orb {

namespace {

// The highest that both sides speak, in its shorter form if both want that.
messaging::Version agreed_version(const OrbCore& core, const transport::ProfileTarget& profile) {
  const messaging::Protocol& protocol = core.messaging();
  const messaging::Version ours = std::min(core.settings().version_max, protocol.version_max());
  const messaging::Version version =
      std::min(messaging::Version{profile.major, profile.minor}, ours);
  if (!core.settings().giop_lite) return version;
  const auto* lite = iop::find_component(profile.components, iop::tag_giop_lite);
  const bool understood = lite != nullptr && iop::decode_giop_lite(lite->data);
  return understood ? protocol.short_form(version) : version;
}

}  // namespace

// References come from peers: each target costs memory, and time to find it dead.
std::unique_ptr<Binding> make_binding(OrbCore& core, iop::Ior ior, Binding::Kind kind) {
  auto binding = std::make_unique<Binding>();
  binding->kind = kind;
  binding->ior = std::move(ior);
  const std::size_t targets_max = core.settings().targets_max;
  std::vector<std::uint32_t> profile_indices;
  for (std::size_t index = 0; index < binding->ior.profiles.size(); ++index) {
    if (binding->profiles.size() >= targets_max) break;
    auto target = core.protocols().claim(binding->ior.profiles[index]);
    if (!target) continue;
    binding->profiles.push_back(std::move(*target));
    profile_indices.push_back(static_cast<std::uint32_t>(index));
  }
  for (std::size_t index = 0; index < binding->profiles.size(); ++index) {
    const transport::ProfileTarget& profile = binding->profiles[index];
    const messaging::Version version = agreed_version(core, profile);
    const auto choice = choose_code_sets(core.settings().code_sets, version, profile.components);
    for (const auto& [endpoint, distance] : profile.endpoints) {
      if (binding->targets.size() >= targets_max) break;
      binding->targets.push_back({core.endpoints().find(endpoint, choice.value_or(CodeSetChoice{})),
                                  profile.object_key, version,
                                  core.server() != nullptr && core.server()->publishes(endpoint),
                                  choice.has_value(), profile_indices[index]});
    }
  }
  return binding;
}

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
