// The functions of the ORB that adapters use. Adapters may outlive the ORB, so these functions
// check whether it still exists.
#include "poa/adapter_host.h"

#include "orb/context/server.h"
#include "poa/minor_codes.h"
#include <perigee/base/io_error.h>

#include <random>
#include <utility>

namespace perigee::poa {

using CORBA::COMPLETED_NO;

namespace {

std::uint64_t random_nonce() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

}  // namespace

AdapterHost::AdapterHost(std::weak_ptr<orb::OrbCore> core, const AdapterLimits& limits)
    : core_(std::move(core)),
      context_identity_(&core_.lock()->context()),
      limits_(limits),
      nonce_(random_nonce()),
      objects_(limits.objects_max),
      adapters_(limits.adapters_max) {}

std::shared_ptr<orb::OrbCore> AdapterHost::core() const {
  if (auto core = core_.lock()) return core;
  throw CORBA::OBJECT_NOT_EXIST(minor_no_adapter, COMPLETED_NO, "the ORB has been destroyed");
}

bool AdapterHost::may_wait() const noexcept {
  const auto core = core_if_alive();
  return core ? core->may_wait_for_requests() && !core->calls_wait_for_us()
              : !orb::UpcallScope::inside(*context_identity_);
}

void AdapterHost::check_may_wait() const {
  if (!may_wait())
    throw CORBA::BAD_INV_ORDER(minor_would_deadlock, COMPLETED_NO,
                               "this thread cannot wait for requests in progress: it serves one of "
                               "them, or may have to send their replies");
}

void AdapterHost::begin_accepting() {
  const std::shared_ptr<orb::OrbCore> core = core_.lock();
  if (!core || core->server() == nullptr || core->stopping()) return;
  if (const auto begun = core->server()->begin_accepting(); !begun && !core->stopping())
    throw CORBA::INITIALIZE(0, COMPLETED_NO, to_string(begun.error()));
}

void AdapterHost::resume_held_requests() noexcept {
  const std::shared_ptr<orb::OrbCore> core = core_.lock();
  if (core) core->resume_held();
}

}  // namespace perigee::poa
