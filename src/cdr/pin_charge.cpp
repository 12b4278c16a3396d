// A charge to the budget of decoded values that outlives the upcall.
#include <perigee/cdr/pinned.h>

namespace perigee::cdr {

PinCharge::PinCharge(Environment* environment) noexcept {
  if (environment == nullptr) return;
  if (DecodedBudget* const budget = environment->decoded_budget()) budget_ = budget->share();
}

PinCharge::~PinCharge() {
  if (charged_ != 0) budget_->release(charged_);
}

bool PinCharge::try_charge(std::uint64_t octets) noexcept {
  if (budget_ == nullptr) return true;
  if (!budget_->try_charge(octets)) return false;
  charged_ = octets;
  return true;
}

}  // namespace perigee::cdr
