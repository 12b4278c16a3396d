// The base of all skeletons, and `_this`.
#include "poa/adapter.h"
#include "poa/default_root.h"
#include "poa/minor_codes.h"
#include "poa/upcall.h"
#include <perigee/poa/peer_current.h>
#include <perigee/poa/poa.h>
#include <perigee/poa/servant.h>
#include <perigee/poa/skeleton.h>

#include <algorithm>

namespace PortableServer {
inline namespace perigee_v1 {

Servant::~Servant() = default;

CORBA::object_reference<POA> Servant::_default_POA() {
  return CORBA::object_reference<POA>(perigee::poa::default_root());
}

bool Servant::_is_a(const std::string& repository_id) {
  return repository_id == _primary_interface() || repository_id == CORBA::Object::_type_id;
}

bool Servant::_non_existent() { return false; }

ObjectId string_to_ObjectId(std::string_view text) { return {text.begin(), text.end()}; }

std::string ObjectId_to_string(const ObjectId& id) {
  if (std::ranges::find(id, 0) != id.end())
    throw CORBA::BAD_PARAM(perigee::poa::minor_nul_in_id, CORBA::COMPLETED_NO,
                           "the object id is not a string");
  return {id.begin(), id.end()};
}

POA::~POA() = default;
POAManager::~POAManager() = default;
Current::~Current() = default;

}  // namespace perigee_v1
}  // namespace PortableServer

namespace perigee {
PeerCurrent::~PeerCurrent() = default;
}  // namespace perigee

namespace perigee::skeleton {

CORBA::object_reference<CORBA::Object> reference_to_this(PortableServer::Servant& servant) {
  const poa::Upcall* upcall = poa::Upcall::current();
  if (upcall != nullptr && upcall->object().servant.get() == &servant)
    return upcall->object().adapter->reference_to(upcall->object());
  const auto reference = servant._self();
  if (!reference)
    throw CORBA::OBJ_ADAPTER(0, CORBA::COMPLETED_NO,
                             "_this() of a servant that CORBA::make_reference has not made");
  return servant._default_POA()->servant_to_reference(reference);
}

}  // namespace perigee::skeleton
