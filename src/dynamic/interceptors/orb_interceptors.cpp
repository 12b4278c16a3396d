// Starts and ends the interceptors of an ORB.
#include "dynamic/interceptors/orb_interceptors.h"

#include "orb/policies/client_policies.h"
#include <perigee/base/log.h>
#include <perigee/orb/protocol_policies.h>
#include <perigee/orb/tagged_component_policy.h>
#include <perigee/poa/poa.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::interceptors {

namespace {

// The types of the POA's own policies are 16 to 22 (CORBA 3.0, 11.4).
bool is_known_to_orb(CORBA::PolicyType type) noexcept {
  const bool is_of_adapter = type >= PortableServer::THREAD_POLICY_ID &&
                             type <= PortableServer::REQUEST_PROCESSING_POLICY_ID;
  return is_of_adapter || type == RTCORBA::SERVER_PROTOCOL_POLICY_TYPE ||
         type == TAGGED_COMPONENT_POLICY_TYPE || orb::is_client_policy(type);
}

template <typename Interceptor, typename Interceptors>
bool contains(const Interceptors& interceptors, const Interceptor& other) noexcept {
  return std::ranges::any_of(interceptors, [&other](const auto& interceptor) {
    return dynamic_cast<const void*>(&*interceptor) == dynamic_cast<const void*>(&*other);
  });
}

// Destroys the interceptors, except those in the lists of `before`, which are destroyed already.
template <typename Interceptors, typename... Before>
void destroy_all(const Interceptors& interceptors, const Before&... before) noexcept {
  for (const auto& interceptor : interceptors) {
    if ((contains(before, interceptor) || ...)) continue;
    try {
      interceptor->destroy();
    } catch (const std::exception& exception) {
      log::write(log::Level::warning, "interceptors", exception.what());
    } catch (...) {
      log::write(log::Level::warning, "interceptors",
                 "the function destroy of an interceptor has thrown an unknown exception");
    }
  }
}

}  // namespace

std::uint32_t next_request_number() noexcept {
  static constinit std::atomic<std::uint32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Sets the hooks of calls and of upcalls only if interceptors of their kind exist, so that other
// calls keep their speed.
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
  destroy_all(ended->server, ended->client);
  destroy_all(ended->ior, ended->client, ended->server);
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
  if (is_known_to_orb(type) || core_.has_policy_factory(type)) return false;
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
