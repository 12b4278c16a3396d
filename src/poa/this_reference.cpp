// `_this`, and the default adapter of servants.
#include "poa/adapter.h"
#include "poa/default_root.h"
#include "poa/upcall.h"
#include <perigee/poa/skeleton.h>

namespace PortableServer {
inline namespace perigee_v1 {

CORBA::object_reference<POA> Servant::_default_POA() {
  return CORBA::object_reference<POA>(perigee::poa::default_root());
}

}  // namespace perigee_v1
}  // namespace PortableServer

namespace perigee::skeleton {

CORBA::object_reference<CORBA::Object> reference_to_this(PortableServer::Servant& servant) {
  const poa::Upcall* upcall = poa::Upcall::current();
  if (upcall != nullptr && upcall->object().servant.get() == &servant)
    return upcall->object().adapter->reference_to(upcall->object());
  const auto reference = servant._self();
  if (!reference)
    throw CORBA::OBJ_ADAPTER(0, CORBA::COMPLETED_NO,
                             "_this() needs a servant that CORBA::make_reference has made");
  return servant._default_POA()->servant_to_reference(reference);
}

}  // namespace perigee::skeleton
