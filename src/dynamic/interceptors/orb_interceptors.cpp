// Starts and ends the interceptors of an ORB.
#include "dynamic/interceptors/orb_interceptors.h"

#include "dynamic/interceptors/adapter_components.h"
#include "dynamic/interceptors/client_flow.h"
#include "dynamic/interceptors/minor_codes.h"
#include "dynamic/interceptors/server_flow.h"
#include "poa/adapter.h"
#include <perigee/base/log.h>
#include <perigee/poa/poa.h>

#include <exception>
#include <string>
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

[[noreturn]] void raise_unknown_policy(CORBA::PolicyType type) {
  throw CORBA::INV_POLICY(minor_no_policy_factory, CORBA::COMPLETED_NO,
                          "no policy factory is registered for the type " + std::to_string(type));
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
}

void OrbInterceptors::destroy() noexcept {
  ListsRef ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(lists_, nullptr);
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

std::shared_ptr<const orb::IorCompletion> OrbInterceptors::make_components(
    const CORBA::PolicyList& policies) {
  const ListsRef lists_now = lists();
  return lists_now ? AdapterComponents::make(*this, *lists_now, policies) : nullptr;
}

CORBA::object_reference<CORBA::Policy> OrbInterceptors::adapter_policy(
    const CORBA::object_reference<PortableServer::POA>& adapter, CORBA::PolicyType type) const {
  if (!adapter) raise_invalid_point();
  const auto& components = static_cast<const poa::Adapter&>(*adapter).policies().components;
  if (!components) raise_unknown_policy(type);  // of an adapter without hooks
  return known_policy(static_cast<const AdapterComponents&>(*components), type);
}

// The types of the POA's own policies are 16 to 22 (CORBA 3.0, 11.4).
CORBA::object_reference<CORBA::Policy> OrbInterceptors::known_policy(
    const AdapterComponents& components, CORBA::PolicyType type) const {
  const bool is_of_adapter = type >= PortableServer::THREAD_POLICY_ID &&
                             type <= PortableServer::REQUEST_PROCESSING_POLICY_ID;
  auto found = components.policy(type);
  if (!found && !is_of_adapter && !core_.is_policy_of_application(type)) raise_unknown_policy(type);
  return found;
}

std::unique_ptr<orb::CallInterception> OrbInterceptors::begin(
    const counted_ptr<orb::Reference>& target, const stub::Operation& operation) {
  ListsRef lists_now = lists();
  if (!lists_now || lists_now->client.empty()) return nullptr;
  return std::make_unique<ClientFlow>(*this, std::move(lists_now), target, operation);
}

std::unique_ptr<poa::InterceptedUpcall> OrbInterceptors::begin(orb::ServerRequest& request) {
  ListsRef lists_now = lists();
  if (!lists_now || lists_now->server.empty()) return nullptr;
  return std::make_unique<ServerFlow>(*this, std::move(lists_now), request);
}

}  // namespace perigee::interceptors
