// The data that client interceptors may read and change at each point.
#include "base/octet_vector.h"
#include "dynamic/interceptors/client_flow.h"
#include "dynamic/interceptors/slots.h"
#include "orb/context/orb_context.h"
#include <perigee/iop/components.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace perigee::interceptors {

namespace {

namespace point = client_point;
using CORBA::COMPLETED_NO;

// Only profiles of IIOP have components. The profiles of other protocols lead to the same object,
// so their components are those of the first IIOP profile.
std::vector<iop::TaggedComponent> components_of(const orb::InterceptedTry& last,
                                                const iop::IorLimits& limits) {
  const auto& profiles = last.binding->ior.profiles;
  const iop::TaggedProfile* profile = &profiles.at(last.profile_index);
  if (profile->tag != iop::tag_internet_iop) {
    const auto found = std::ranges::find(profiles, iop::tag_internet_iop, &iop::TaggedProfile::tag);
    if (found == profiles.end()) return {};
    profile = &*found;
  }
  auto decoded = iop::decode_iiop_profile(*profile, limits);
  return decoded ? std::move(decoded->components) : std::vector<iop::TaggedComponent>();
}

}  // namespace

ClientFlow& ClientInfo::at(Points points) const {
  if (flow_ == nullptr || (flow_->point_ & points) == 0) raise_invalid_point();
  return *flow_;
}

const orb::InterceptedTry& ClientInfo::last_try(Points points) const {
  const ClientFlow& flow = at(points);
  if (flow.try_ == nullptr) raise_invalid_point();
  return *flow.try_;
}

std::uint32_t ClientInfo::request_id() { return at(point::all).id_; }

std::string ClientInfo::operation() { return std::string(at(point::all).operation_.name); }

Dynamic::ParameterList ClientInfo::arguments() {
  (void)at(point::send_request | point::receive_reply);
  raise_not_available();
}
Dynamic::ExceptionList ClientInfo::exceptions() {
  (void)at(point::all_but_poll);
  raise_not_available();
}
Dynamic::ContextList ClientInfo::contexts() {
  (void)at(point::all_but_poll);
  raise_not_available();
}
Dynamic::RequestContext ClientInfo::operation_context() {
  (void)at(point::all_but_poll);
  raise_not_available();
}
CORBA::Any ClientInfo::result() {
  (void)at(point::receive_reply);
  raise_not_available();
}

bool ClientInfo::response_expected() {
  return last_try(point::all).response == messaging::ResponseFlags::with_target;
}

Messaging::SyncScope ClientInfo::sync_scope() {
  switch (last_try(point::all_but_poll).response) {
    case messaging::ResponseFlags::none:
      return Messaging::SYNC_WITH_TRANSPORT;
    case messaging::ResponseFlags::with_server:
      return Messaging::SYNC_WITH_SERVER;
    case messaging::ResponseFlags::with_target:
      break;
  }
  return Messaging::SYNC_WITH_TARGET;
}

PortableInterceptor::ReplyStatus ClientInfo::reply_status() {
  return at(point::ends).outcome_.status;
}

CORBA::object_reference<CORBA::Object> ClientInfo::forward_reference() {
  const FlowOutcome& outcome = at(point::receive_other).outcome_;
  if (outcome.status != PortableInterceptor::LOCATION_FORWARD) raise_invalid_point();
  return outcome.forward;
}

CORBA::Any ClientInfo::get_slot(PortableInterceptor::SlotId id) {
  const ClientFlow& flow = at(point::all);
  flow.owner_.check_slot(id);
  return Slots::get(flow.slots_, flow.owner_.identity(), id);
}

IOP::ServiceContext ClientInfo::get_request_service_context(IOP::ServiceId id) {
  return at(point::all_but_poll).request_contexts_.get(id);
}

IOP::ServiceContext ClientInfo::get_reply_service_context(IOP::ServiceId id) {
  return at(point::ends).reply_contexts_.get(id);
}

CORBA::object_reference<CORBA::Object> ClientInfo::target() {
  return CORBA::object_reference<CORBA::Object>(
      make_counted<CORBA::Object>(at(point::all).target_));
}

CORBA::object_reference<CORBA::Object> ClientInfo::effective_target() {
  return at(point::all).owner_.core().make_object(last_try(point::all).binding->ior);
}

IOP::TaggedProfile ClientInfo::effective_profile() {
  const orb::InterceptedTry& last = last_try(point::all);
  const iop::TaggedProfile& profile = last.binding->ior.profiles.at(last.profile_index);
  return {profile.tag, octet_vector(profile.data)};
}

CORBA::Any ClientInfo::received_exception() {
  const ClientFlow& flow = at(point::receive_exception);
  return any_of(flow.outcome_.exception);
}

std::string ClientInfo::received_exception_id() {
  return at(point::receive_exception).outcome_.exception.repository_id;
}

IOP::TaggedComponent ClientInfo::get_effective_component(IOP::ComponentId id) {
  return get_effective_components(id).front();
}

IOP::TaggedComponentSeq ClientInfo::get_effective_components(IOP::ComponentId id) {
  const orb::InterceptedTry& last = last_try(point::all_but_poll);
  const auto& limits = flow_->owner_.core().reference_limits();
  IOP::TaggedComponentSeq found;
  for (const iop::TaggedComponent& component : components_of(last, limits))
    if (component.tag == id) found.emplace_back(component.tag, octet_vector(component.data));
  if (found.empty())
    throw CORBA::BAD_PARAM(minor_no_component, COMPLETED_NO,
                           "the profile has no component with the tag " + std::to_string(id));
  return found;
}

CORBA::object_reference<CORBA::Policy> ClientInfo::get_request_policy(CORBA::PolicyType type) {
  (void)at(point::all_but_poll);
  return target()->_get_client_policy(type);
}

void ClientInfo::add_request_service_context(const IOP::ServiceContext& context, bool replace) {
  at(point::send_request).request_contexts_.add(context, replace);
}

}  // namespace perigee::interceptors
