// Dispatches requests to dynamic servants.
#include "dynamic/requests/served_request.h"
#include "orb/references/reference.h"
#include "poa/interface_definition.h"
#include <perigee/dynamic/dynamic_implementation.h>
#include <perigee/orb/marshalling.h>
#include <perigee/poa/skeleton.h>

#include <memory>
#include <utility>

namespace PortableServer {
inline namespace perigee_v1 {

using perigee::dynamic::ServedRequest;

DynamicImplementation::~DynamicImplementation() = default;

std::string_view DynamicImplementation::_primary_interface() const noexcept { return {}; }

namespace {

// The adapter asks the servant for the interface when it makes the reference.
std::string interface_of_upcall(DynamicImplementation& servant) {
  return servant._this()->_reference()->ior().type_id;
}

void reply_repository_id(DynamicImplementation& servant, perigee::orb::ServerRequest& request) {
  request.end_of_arguments();
  const std::string id = interface_of_upcall(servant);
  request.reply([&id](perigee::cdr::Encoder& encoder) { encoder << id; });
}

}  // namespace

bool DynamicImplementation::_is_a(const std::string& repository_id) {
  return repository_id == CORBA::Object::_type_id || repository_id == interface_of_upcall(*this);
}

CORBA::object_reference<CORBA::Object> DynamicImplementation::_get_interface() {
  return perigee::poa::interface_definition(interface_of_upcall(*this));
}

CORBA::object_reference<CORBA::Object> DynamicImplementation::_this() {
  return perigee::skeleton::reference_to_this(*this);
}

void DynamicImplementation::_dispatch(perigee::orb::ServerRequest& request) {
  const std::string_view operation = request.operation();
  if (operation == "_is_a") return perigee::skeleton::is_a(*this, request);
  if (operation == "_non_existent") return perigee::skeleton::non_existent(*this, request);
  if (operation == "_repository_id") return reply_repository_id(*this, request);
  if (operation == "_interface") return perigee::skeleton::interface(*this, request);
  if (operation == "_component") return perigee::skeleton::component(*this, request);
  const CORBA::object_reference<CORBA::ServerRequest> shown(
      perigee::make_counted<CORBA::ServerRequest>(std::make_unique<ServedRequest>(request)));
  try {
    invoke(shown);
  } catch (...) {
    return shown->_state().end_upcall_thrown();
  }
  shown->_state().end_upcall();
}

}  // namespace perigee_v1
}  // namespace PortableServer
