// Starts and ends the interceptors of an ORB.
#include "dynamic/interceptors/orb_interceptors.h"

#include <perigee/base/log.h>

#include <exception>
#include <utility>

namespace perigee::interceptors {

namespace {

template <typename Interceptors>
void destroy_all(const Interceptors& interceptors) noexcept {
  for (const auto& interceptor : interceptors) {
    try {
      interceptor->destroy();
    } catch (const std::exception& exception) {
      log::write(log::Level::warning, "interceptors", exception.what());
    } catch (...) {
      log::write(log::Level::warning, "interceptors", "destroy has thrown");
    }
  }
}

}  // namespace

std::uint32_t next_request_number() noexcept {
  static constinit std::atomic<std::uint32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Hooks are set only for interceptors that exist: calls without them keep their speed.
void OrbInterceptors::start(InterceptorLists lists, std::uint32_t slots) {
  const bool has_client = !lists.client.empty();
  const bool has_server = !lists.server.empty();
  slots_.store(slots);
  {
    const std::lock_guard lock(mutex_);
    lists_ = std::make_shared<const InterceptorLists>(std::move(lists));
  }
  started_.store(true);
  if (has_client) core_.set_call_hooks(this);
  if (has_server) poa::set_upcall_hooks(core_, this);
  poa::set_adapter_hooks(core_, this);
  core_.set_application_policies(this);
}

void OrbInterceptors::destroy() noexcept {
  ListsRef ended;
  decltype(policy_factories_) factories;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(lists_, nullptr);
    factories.swap(policy_factories_);
  }
  if (!ended) return;
  destroy_all(ended->client);
  destroy_all(ended->server);
  destroy_all(ended->ior);
}

ListsRef OrbInterceptors::lists() const noexcept {
  const std::lock_guard lock(mutex_);
  return lists_;
}

void OrbInterceptors::check_slot(PortableInterceptor::SlotId id) const {
  if (id >= slots_.load()) throw PortableInterceptor::InvalidSlot();
}

bool OrbInterceptors::takes_policy(CORBA::PolicyType type) const {
  const std::lock_guard lock(mutex_);
  return policy_factories_.contains(type);
}

bool OrbInterceptors::add_policy_factory(
    CORBA::PolicyType type,
    const CORBA::object_reference<PortableInterceptor::PolicyFactory>& factory) {
  if (core_.has_policy_factory(type)) return false;
  const std::lock_guard lock(mutex_);
  return policy_factories_.try_emplace(type, factory).second;
}

CORBA::object_reference<CORBA::Policy> OrbInterceptors::make(CORBA::PolicyType type,
                                                             const CORBA::Any& value) const {
  CORBA::object_reference<PortableInterceptor::PolicyFactory> factory;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = policy_factories_.find(type); known != policy_factories_.end())
      factory = known->second;
  }
  return factory ? factory->create_policy(type, value) : nullptr;
}

}  // namespace perigee::interceptors
