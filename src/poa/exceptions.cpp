// The exceptions of the PortableServer module. Only local objects raise them. If such an exception
// other than ForwardRequest leaves a servant, the client gets UNKNOWN.
#include "orb/values/local_exception.h"
#include <perigee/cdr/encoder.h>
#include <perigee/poa/poa.h>

namespace PortableServer {
inline namespace perigee_v1 {

#define PERIGEE_DEFINE_POA_EXCEPTION(NAME) \
  PERIGEE_DEFINE_LOCAL_EXCEPTION(POA::NAME, NAME, "IDL:omg.org/PortableServer/POA/" #NAME ":1.0")

PERIGEE_DEFINE_POA_EXCEPTION(AdapterAlreadyExists)
PERIGEE_DEFINE_POA_EXCEPTION(AdapterNonExistent)
PERIGEE_DEFINE_POA_EXCEPTION(NoServant)
PERIGEE_DEFINE_POA_EXCEPTION(ObjectAlreadyActive)
PERIGEE_DEFINE_POA_EXCEPTION(ObjectNotActive)
PERIGEE_DEFINE_POA_EXCEPTION(ServantAlreadyActive)
PERIGEE_DEFINE_POA_EXCEPTION(ServantNotActive)
PERIGEE_DEFINE_POA_EXCEPTION(WrongAdapter)
PERIGEE_DEFINE_POA_EXCEPTION(WrongPolicy)
PERIGEE_DEFINE_LOCAL_EXCEPTION(POAManager::AdapterInactive, AdapterInactive,
                               "IDL:omg.org/PortableServer/POAManager/AdapterInactive:1.0")
PERIGEE_DEFINE_LOCAL_EXCEPTION(
    POAManagerFactory::ManagerAlreadyExists, ManagerAlreadyExists,
    "IDL:omg.org/PortableServer/POAManagerFactory/ManagerAlreadyExists:1.0")
PERIGEE_DEFINE_LOCAL_EXCEPTION(Current::NoContext, NoContext,
                               "IDL:omg.org/PortableServer/Current/NoContext:1.0")
// The dispatcher turns ForwardRequest into a LOCATION_FORWARD reply, so it is never encoded.
PERIGEE_DEFINE_LOCAL_EXCEPTION(ForwardRequest, ForwardRequest,
                               "IDL:omg.org/PortableServer/ForwardRequest:1.0")

POA::InvalidPolicy::~InvalidPolicy() = default;
const char* POA::InvalidPolicy::_rep_id() const noexcept {
  return "IDL:omg.org/PortableServer/POA/InvalidPolicy:1.0";
}
const char* POA::InvalidPolicy::_name() const noexcept { return "InvalidPolicy"; }
const char* POA::InvalidPolicy::what() const noexcept {
  return reason_.empty() ? _rep_id() : reason_.c_str();
}
void POA::InvalidPolicy::_raise() const { throw *this; }
void POA::InvalidPolicy::_encode(perigee::cdr::Encoder& encoder) const { encoder.write(index_); }

}  // namespace perigee_v1
}  // namespace PortableServer
