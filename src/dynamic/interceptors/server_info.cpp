// The data that server interceptors may read and change at each point.
#include "dynamic/interceptors/server_flow.h"
#include "dynamic/interceptors/slots.h"
#include "poa/adapter.h"
#include <perigee/poa/poa.h>
#include <perigee/poa/servant_interfaces.h>

#include <string>

namespace perigee::interceptors {

namespace {

namespace point = server_point;

}  // namespace

ServerFlow& ServerInfo::at(Points points) const {
  if (flow_ == nullptr || (flow_->point_ & points) == 0) raise_invalid_point();
  return *flow_;
}

// At an ending point, the adapter is unknown if the request has not reached its servant.
PortableServer::POA& ServerInfo::adapter(Points points) const {
  const ServerFlow& flow = at(points);
  if (!flow.adapter_) raise_invalid_point();
  return *flow.adapter_;
}

std::uint32_t ServerInfo::request_id() { return at(point::all).id_; }

std::string ServerInfo::operation() { return std::string(at(point::all).request_->operation()); }

Dynamic::ParameterList ServerInfo::arguments() {
  (void)at(point::receive_request | point::send_reply);
  raise_not_available();
}
Dynamic::ExceptionList ServerInfo::exceptions() {
  (void)at(point::all_but_contexts);
  raise_not_available();
}
Dynamic::ContextList ServerInfo::contexts() {
  (void)at(point::all_but_contexts);
  raise_not_available();
}
Dynamic::RequestContext ServerInfo::operation_context() {
  (void)at(point::receive_request | point::send_reply);
  raise_not_available();
}
CORBA::Any ServerInfo::result() {
  (void)at(point::send_reply);
  raise_not_available();
}

bool ServerInfo::response_expected() { return at(point::all).request_->response_expected(); }

Messaging::SyncScope ServerInfo::sync_scope() {
  if (at(point::all).is_with_server_) return Messaging::SYNC_WITH_SERVER;
  return response_expected() ? Messaging::SYNC_WITH_TARGET : Messaging::SYNC_WITH_TRANSPORT;
}

PortableInterceptor::ReplyStatus ServerInfo::reply_status() {
  return at(point::ends).outcome_.status;
}

CORBA::object_reference<CORBA::Object> ServerInfo::forward_reference() {
  const FlowOutcome& outcome = at(point::send_other).outcome_;
  if (outcome.status != PortableInterceptor::LOCATION_FORWARD) raise_invalid_point();
  return outcome.forward;
}

CORBA::Any ServerInfo::get_slot(PortableInterceptor::SlotId id) {
  const ServerFlow& flow = at(point::all);
  flow.owner_.check_slot(id);
  return Slots::get(flow.slots_, flow.owner_.identity(), id);
}

IOP::ServiceContext ServerInfo::get_request_service_context(IOP::ServiceId id) {
  return at(point::all).request_contexts_.get(id);
}

IOP::ServiceContext ServerInfo::get_reply_service_context(IOP::ServiceId id) {
  return at(point::ends).reply_contexts_.get(id);
}

CORBA::Any ServerInfo::sending_exception() {
  const ServerFlow& flow = at(point::send_exception);
  return any_of(flow.outcome_.exception);
}

PortableInterceptor::ObjectId ServerInfo::object_id() {
  (void)adapter(point::all_but_contexts);
  return flow_->object_id_;
}

std::vector<std::uint8_t> ServerInfo::adapter_id() { return adapter(point::all_but_contexts).id(); }

std::string ServerInfo::server_id() {
  return at(point::all_but_contexts).owner_.core().settings().server_id;
}

std::string ServerInfo::orb_id() {
  return at(point::all_but_contexts).owner_.core().settings().orb_id;
}

PortableInterceptor::AdapterName ServerInfo::adapter_name() {
  return static_cast<poa::Adapter&>(adapter(point::all_but_contexts)).full_name();
}

std::string ServerInfo::target_most_derived_interface() {
  const ServerFlow& flow = at(point::receive_request);
  if (auto* const asked = dynamic_cast<poa::ServantInterfaces*>(flow.servant_))
    return asked->_primary_interface(flow.object_id_, flow.adapter_);
  return std::string(flow.servant_->_primary_interface());
}

CORBA::object_reference<CORBA::Policy> ServerInfo::get_server_policy(CORBA::PolicyType type) {
  (void)at(point::all);
  return flow_->owner_.adapter_policy(flow_->adapter_, type);
}

void ServerInfo::set_slot(PortableInterceptor::SlotId id, const CORBA::Any& data) {
  ServerFlow& flow = at(point::receive_contexts | point::receive_request);
  flow.owner_.check_slot(id);
  flow.slots_ = Slots::with(flow.slots_, flow.owner_.identity(), id, data);
}

bool ServerInfo::target_is_a(const std::string& id) {
  return at(point::receive_request).servant_->_is_a(id);
}

void ServerInfo::add_reply_service_context(const IOP::ServiceContext& context, bool replace) {
  at(point::all).reply_contexts_.add(context, replace);
}

}  // namespace perigee::interceptors
