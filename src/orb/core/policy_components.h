// The components that a TaggedComponentPolicy adds to the references of an adapter.
#pragma once

#include "orb/core/orb_core.h"
#include <perigee/base/export.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/tagged_component_policy.h>

#include <vector>

namespace perigee::orb {

/// Immutable.
class PERIGEE_INTERNAL_API PolicyComponents final : public IorCompletion {
 public:
  explicit PolicyComponents(const TaggedComponentPolicy& policy);
  ~PolicyComponents() override;
  void complete(iop::Ior& ior) const override;

 private:
  std::vector<iop::TaggedComponent> components_;
};

/// Runs two completions. Keeps only pointers to them; null: no completion.
class BothCompletions final : public IorCompletion {
 public:
  BothCompletions(const IorCompletion* first, const IorCompletion* second) noexcept
      : first_(first), second_(second) {}
  void complete(iop::Ior& ior) const override {
    if (first_ != nullptr) first_->complete(ior);
    if (second_ != nullptr) second_->complete(ior);
  }

 private:
  const IorCompletion* const first_;
  const IorCompletion* const second_;
};

}  // namespace perigee::orb
