// Calls with a ServiceContextPolicy take the way of intercepted calls, so usual calls have no test
// for it. Without client interceptors, the object of this file takes the place of their flow.
#include "orb/invocation/policy_contexts.h"

#include "orb/context/orb_context.h"
#include "orb/policies/client_policies.h"
#include "orb/references/reference.h"

#include <memory>
#include <utility>
#include <vector>

namespace perigee::orb {

namespace {

using PolicyRef = CORBA::object_reference<ServiceContextPolicy>;

class ContextCall final : public CallInterception {
 public:
  explicit ContextCall(PolicyRef policy) : policy_(std::move(policy)) {
    own_.reserve(policy_->contexts().size());
    for (const IOP::ServiceContext& context : policy_->contexts())
      own_.push_back({context.context_id(), std::as_bytes(std::span(context.context_data()))});
  }

  Next send(const InterceptedTry& /*next*/) noexcept override { return Next::go_on; }
  void try_failed() noexcept override {}
  Next retry(const InterceptedTry& /*last*/) noexcept override { return Next::go_on; }
  Next forwarded(const InterceptedTry& /*last*/, const iop::Ior& /*target*/) noexcept override {
    return Next::go_on;
  }
  Next ended(const InterceptedEnd& /*end*/) noexcept override { return Next::go_on; }

  [[nodiscard]] std::span<const iop::ServiceContext> request_contexts(
      std::span<const iop::ServiceContext> others) override {
    // Without an allocation: a collocated request cannot report that memory has run out here.
    if (others.empty()) return own_;
    joined_.assign(others.begin(), others.end());
    joined_.insert(joined_.end(), own_.begin(), own_.end());
    return joined_;
  }
  void keep_reply_contexts(std::span<const iop::ServiceContext> /*contexts*/) noexcept override {}

  [[nodiscard]] std::exception_ptr thrown() const noexcept override { return nullptr; }
  [[nodiscard]] iop::Ior take_forward() noexcept override { return {}; }

 private:
  const PolicyRef policy_;
  std::vector<iop::ServiceContext> own_;  // with the data of policy_
  std::vector<iop::ServiceContext> joined_;
};

class ContextHooks final : public CallHooks {
 public:
  [[nodiscard]] std::unique_ptr<CallInterception> begin(
      const counted_ptr<Reference>& target, const stub::Operation& /*operation*/) override {
    PolicyRef policy = contexts_of(*target);
    return policy ? std::make_unique<ContextCall>(std::move(policy)) : nullptr;
  }
};

}  // namespace

CORBA::object_reference<ServiceContextPolicy> contexts_of(const Reference& reference) {
  ClientPolicies& policies = reference.context().policies;
  if (!policies.uses_contexts()) return nullptr;
  const PolicyOverrides* const own = reference.overrides();
  if (own != nullptr && own->contexts()) return own->contexts();
  return policies.effective_contexts();
}

CallHooks& policy_context_hooks() noexcept {
  static constinit ContextHooks hooks;  // has no state
  return hooks;
}

}  // namespace perigee::orb
