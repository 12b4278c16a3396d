// Calls the IOR interceptors for a new POA, and writes their components into its references.
#include "dynamic/interceptors/adapter_components.h"

#include "dynamic/interceptors/adapter_states.h"
#include "dynamic/interceptors/contexts.h"
#include "dynamic/interceptors/minor_codes.h"
#include "orb/references/ior_components.h"
#include "poa/manager.h"
#include <perigee/base/log.h>
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace perigee::interceptors {

namespace {

using PortableInterceptor::IORInterceptor;

}  // namespace

std::shared_ptr<const AdapterComponents> AdapterComponents::make(const OrbInterceptors& owner,
                                                                 const InterceptorLists& lists,
                                                                 CORBA::PolicyList policies,
                                                                 const poa::Manager& manager) {
  const std::shared_ptr<AdapterComponents> made(new AdapterComponents(std::move(policies)));
  const auto info = make_counted<AdapterInfo>(owner, *made, manager);
  struct End {
    AdapterInfo& info;
    ~End() { info.end(); }
  } const end{*info};
  const IORInterceptor::Info seen(info);
  for (const auto& interceptor : lists.ior) {
    try {
      interceptor->establish_components(seen);
    } catch (...) {
      log_thrown("establish_components");
    }
  }
  info->complete();
  try {
    for (const auto& interceptor : lists.ior) interceptor->components_established(seen);
  } catch (const std::exception& exception) {
    throw CORBA::OBJ_ADAPTER(minor_ior_interceptor, CORBA::COMPLETED_NO, exception.what());
  } catch (...) {
    throw CORBA::OBJ_ADAPTER(minor_ior_interceptor, CORBA::COMPLETED_NO,
                             "components_established has thrown");
  }
  return made;
}

void AdapterComponents::complete(iop::Ior& ior) const { orb::add_components(ior, components_); }

CORBA::object_reference<CORBA::Policy> AdapterComponents::policy(CORBA::PolicyType type) const {
  for (const auto& policy : policies_)
    if (policy && policy->policy_type() == type) return policy;
  return nullptr;
}

AdapterComponents& AdapterInfo::components() const {
  if (components_ == nullptr)
    throw CORBA::BAD_INV_ORDER(minor_invalid_point, CORBA::COMPLETED_NO,
                               "the POA has been made: IORInfo has ended");
  return *components_;
}

CORBA::object_reference<CORBA::Policy> AdapterInfo::get_effective_policy(CORBA::PolicyType type) {
  return owner_.known_policy(components(), type);
}

PortableInterceptor::AdapterManagerId AdapterInfo::manager_id() {
  (void)components();
  return manager_.number();
}

PortableInterceptor::AdapterState AdapterInfo::state() {
  (void)components();
  return state_of(manager_.state());
}

void AdapterInfo::add_ior_component(const IOP::TaggedComponent& component) {
  AdapterComponents& list = components();
  if (is_complete_)
    throw CORBA::BAD_INV_ORDER(minor_invalid_point, CORBA::COMPLETED_NO,
                               "add_ior_component: only establish_components may add components");
  const OctetSpan data = octets_of(component.component_data());
  list.add({component.tag(), Octets(data.begin(), data.end())});
}

void AdapterInfo::add_ior_component_to_profile(const IOP::TaggedComponent& component,
                                               IOP::ProfileId profile_id) {
  if (profile_id != IOP::TAG_INTERNET_IOP)
    throw CORBA::BAD_PARAM(minor_no_profile, CORBA::COMPLETED_NO,
                           "the ORB adds components to profiles of IIOP only");
  add_ior_component(component);
}

}  // namespace perigee::interceptors
