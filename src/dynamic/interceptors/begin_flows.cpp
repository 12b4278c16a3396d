// Begins the flows of requests, and of new adapters. These functions of OrbInterceptors have a file
// of their own, because the flows use its other functions.
#include "dynamic/interceptors/adapter_components.h"
#include "dynamic/interceptors/client_flow.h"
#include "dynamic/interceptors/minor_codes.h"
#include "dynamic/interceptors/orb_interceptors.h"
#include "dynamic/interceptors/points.h"
#include "dynamic/interceptors/server_flow.h"
#include "orb/invocation/policy_contexts.h"
#include "poa/adapter.h"
#include <perigee/orb/exceptions.h>
#include <perigee/poa/poa.h>

#include <string>
#include <utility>

namespace perigee::interceptors {

namespace {

[[noreturn]] void raise_unknown_policy(CORBA::PolicyType type) {
  throw CORBA::INV_POLICY(minor_no_policy_factory, CORBA::COMPLETED_NO,
                          "no policy factory is registered for the type " + std::to_string(type));
}

}  // namespace

std::unique_ptr<orb::CallInterception> OrbInterceptors::begin(
    const counted_ptr<orb::Reference>& target, const stub::Operation& operation) {
  ListsRef lists_now = lists();
  if (!lists_now || lists_now->client.empty())
    return orb::policy_context_hooks().begin(target, operation);
  return std::make_unique<ClientFlow>(*this, std::move(lists_now), target, operation);
}

std::unique_ptr<poa::InterceptedUpcall> OrbInterceptors::begin(orb::ServerRequest& request) {
  ListsRef lists_now = lists();
  if (!lists_now || lists_now->server.empty()) return nullptr;
  return std::make_unique<ServerFlow>(*this, std::move(lists_now), request);
}

std::shared_ptr<const orb::IorCompletion> OrbInterceptors::make_components(
    const CORBA::PolicyList& policies, const poa::Manager& manager) {
  const ListsRef lists_now = lists();
  return lists_now ? AdapterComponents::make(*this, *lists_now, policies, manager) : nullptr;
}

CORBA::object_reference<CORBA::Policy> OrbInterceptors::adapter_policy(
    const CORBA::object_reference<PortableServer::POA>& adapter, CORBA::PolicyType type) const {
  if (!adapter) raise_invalid_point();
  const auto& components = static_cast<const poa::Adapter&>(*adapter).policies().components;
  if (!components) raise_unknown_policy(type);  // the adapter has no hooks
  return known_policy(static_cast<const AdapterComponents&>(*components), type);
}

// The types of the POA's own policies are 16 to 22 (CORBA 3.0, 11.4).
CORBA::object_reference<CORBA::Policy> OrbInterceptors::known_policy(
    const AdapterComponents& components, CORBA::PolicyType type) const {
  const bool is_of_adapter = type >= PortableServer::THREAD_POLICY_ID &&
                             type <= PortableServer::REQUEST_PROCESSING_POLICY_ID;
  auto found = components.policy(type);
  if (!found && !is_of_adapter && !takes_policy(type)) raise_unknown_policy(type);
  return found;
}

}  // namespace perigee::interceptors
