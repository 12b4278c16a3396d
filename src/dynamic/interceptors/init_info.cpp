// Collects the interceptors of an ORB that is being made.
#include "dynamic/interceptors/init_info.h"

#include "dynamic/interceptors/minor_codes.h"
#include <perigee/orb/exceptions.h>
#include <perigee/orb/orb.h>

#include <algorithm>

namespace perigee::interceptors {

using CORBA::COMPLETED_NO;
using CORBA::object_reference;

namespace {

// Several interceptors may have the empty name (CORBA 3.0, 21.7.2.8).
template <typename T>
void add(std::vector<object_reference<T>>& list, const object_reference<T>& interceptor) {
  if (!interceptor) throw CORBA::BAD_PARAM(0, COMPLETED_NO, "a nil interceptor");
  const std::string name = interceptor->name();
  const auto has_name = [&name](const object_reference<T>& other) { return other->name() == name; };
  if (!name.empty() && std::ranges::any_of(list, has_name))
    throw PortableInterceptor::ORBInitInfo::DuplicateName(name);
  list.push_back(interceptor);
}

}  // namespace

OrbInterceptors& InitInfo::owner() const {
  if (owner_ == nullptr)
    throw CORBA::OBJECT_NOT_EXIST(0, COMPLETED_NO, "the ORB has been made: ORBInitInfo has ended");
  return *owner_;
}

std::vector<std::string> InitInfo::arguments() {
  (void)owner();
  return arguments_;
}

std::string InitInfo::orb_id() { return core().settings().orb_id; }

object_reference<IOP::CodecFactory> InitInfo::codec_factory() {
  return IDL::traits<IOP::CodecFactory>::narrow(core().resolve_initial_reference("CodecFactory"));
}

void InitInfo::register_initial_reference(const ObjectId& id,
                                          const object_reference<CORBA::Object>& object) {
  try {
    core().register_initial_reference(id, object);
  } catch (const CORBA::InvalidName&) {
    throw InvalidName();
  }
}

object_reference<CORBA::Object> InitInfo::resolve_initial_references(const ObjectId& id) {
  (void)owner();
  if (!in_post_init_)
    throw CORBA::BAD_INV_ORDER(minor_invalid_point, COMPLETED_NO,
                               "initial references can be resolved in post_init");
  try {
    return core().resolve_initial_reference(id);
  } catch (const CORBA::InvalidName&) {
    throw InvalidName();
  }
}

void InitInfo::add_client_request_interceptor(
    const object_reference<PortableInterceptor::ClientRequestInterceptor>& interceptor) {
  (void)owner();
  add(lists_.client, interceptor);
}

void InitInfo::add_server_request_interceptor(
    const object_reference<PortableInterceptor::ServerRequestInterceptor>& interceptor) {
  (void)owner();
  add(lists_.server, interceptor);
}

void InitInfo::add_ior_interceptor(
    const object_reference<PortableInterceptor::IORInterceptor>& interceptor) {
  (void)owner();
  add(lists_.ior, interceptor);
}

PortableInterceptor::SlotId InitInfo::allocate_slot_id() {
  (void)owner();
  return slots_++;
}

void InitInfo::register_policy_factory(
    CORBA::PolicyType type, const object_reference<PortableInterceptor::PolicyFactory>& factory) {
  if (!factory) throw CORBA::BAD_PARAM(0, COMPLETED_NO, "a nil policy factory");
  if (!owner().add_policy_factory(type, factory))
    throw CORBA::BAD_INV_ORDER(minor_factory_twice, COMPLETED_NO,
                               "a factory of the policy type is registered");
}

}  // namespace perigee::interceptors
