// Charging the octets that wait to be sent.
#include "engine/connection/outgoing_counts.h"

namespace perigee::engine {

// The thread that changes `charged_` also charges the difference to the budget, or releases it.
void QueuedOctets::charge_present() noexcept {
  std::uint64_t charged = charged_.load();
  for (;;) {
    const std::uint64_t wanted = cost_of(octets_.load());
    if (wanted == charged) return;
    if (!charged_.compare_exchange_weak(charged, wanted)) continue;
    if (wanted > charged)
      budget_->charge(Use::unsent, wanted - charged);
    else
      budget_->release(Use::unsent, charged - wanted);
    charged = wanted;
  }
}

}  // namespace perigee::engine
