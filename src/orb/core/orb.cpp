// CORBA::ORB: the standard interface of the core.
#include "orb/context/orb_metrics.h"
#include "orb/core/orb_core.h"
#include "orb/references/reference.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/deadline.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/orb.h>
#include <perigee/orb/policy.h>
#include <perigee/orb/value.h>

#include <chrono>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

using perigee::orb::Completion;

namespace {

[[noreturn]] void raise_shut_down() {
  throw BAD_INV_ORDER(perigee::orb::minor_shut_down, COMPLETED_NO, "the ORB was shut down");
}

[[noreturn]] void raise_no_factory(const std::string& text) {
  throw BAD_PARAM(perigee::orb::minor_value_factory, COMPLETED_NO, text);
}
std::string no_factory_text(const std::string& id) {
  return "no value factory is registered for '" + id + "'";
}

perigee::Deadline deadline_after(const perigee::orb::OrbCore& core, double seconds) {
  return perigee::Deadline::after(std::chrono::duration<double>(seconds),
                                  core.context().clock.now());
}

}  // namespace

InvalidName::~InvalidName() = default;
const char* InvalidName::_rep_id() const noexcept {
  return "IDL:omg.org/CORBA/ORB/InvalidName:1.0";
}
const char* InvalidName::_name() const noexcept { return "InvalidName"; }
void InvalidName::_raise() const { throw *this; }
void InvalidName::_encode(perigee::cdr::Encoder&) const {}  // it has no members

void InvalidName::_describe(std::string& text) const {
  text += _rep_id();
  if (!text_.empty()) text += ": " + text_;
}

ORB::ORB(std::shared_ptr<perigee::orb::OrbCore> core) noexcept : core_(std::move(core)) {}
ORB::~ORB() = default;

std::string ORB::id() const { return core_->settings().orb_id; }

object_reference<Object> ORB::string_to_object(const std::string& text) {
  if (core_->stopped()) raise_shut_down();
  return core_->string_to_object(text);
}

std::string ORB::object_to_string(const object_reference<Object>& object) {
  if (core_->stopped()) raise_shut_down();
  if (!object) return perigee::iop::to_ior_string({});
  if (!object->_reference())
    throw MARSHAL(perigee::orb::minor_local_object, COMPLETED_NO, "a local object has no IOR");
  return object->_reference()->use_ior(perigee::iop::to_ior_string);
}

object_reference<Object> ORB::resolve_initial_references(const std::string& name) {
  return core_->resolve_initial_reference(name);
}

void ORB::register_initial_reference(const std::string& name,
                                     const object_reference<Object>& object) {
  core_->register_initial_reference(name, object);
}

object_reference<Object> ORB::unregister_initial_reference(const std::string& name) {
  return core_->unregister_initial_reference(name);
}

bool ORB::get_service_information(ServiceType /*type*/, ServiceInformation& /*information*/) const {
  if (core_->stopped()) raise_shut_down();
  return false;
}

std::vector<std::string> ORB::list_initial_services() { return core_->initial_reference_names(); }

object_reference<Policy> ORB::create_policy(PolicyType type, const Any& value) {
  return core_->create_policy(type, value);
}

object_reference<Context> ORB::get_default_context() { return core_->default_context(); }

ValueFactory ORB::register_value_factory(const std::string& id, const ValueFactory& factory) {
  if (id.empty() || !factory)
    raise_no_factory("a value factory needs a repository id, and must not be nil");
  return core_->value_factories().add(id, factory);
}

void ORB::unregister_value_factory(const std::string& id) {
  if (!core_->value_factories().remove(id)) raise_no_factory(no_factory_text(id));
}

ValueFactory ORB::lookup_value_factory(const std::string& id) {
  ValueFactory factory = core_->value_factories().find(id);
  if (!factory) raise_no_factory(no_factory_text(id));
  return factory;
}

void ORB::run() { core_->run(); }
void ORB::_run_for(double seconds) { core_->run(deadline_after(*core_, seconds)); }
void ORB::perform_work() { core_->perform_work(); }
void ORB::_perform_work_for(double seconds) {
  core_->perform_work(deadline_after(*core_, seconds));
}
bool ORB::work_pending() { return core_->work_pending(); }
perigee::orb::MetricsSnapshot ORB::_metrics() const { return core_->metrics_snapshot(); }

int ORB::_work_handle() const noexcept {
  return core_->server() != nullptr ? core_->server()->work_handle() : -1;
}

void ORB::shutdown(bool wait_for_completion) {
  core_->shutdown(wait_for_completion ? Completion::wait : Completion::do_not_wait);
}

void ORB::destroy() { core_->destroy(); }

}  // namespace perigee_v1
}  // namespace CORBA
