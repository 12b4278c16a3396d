// Object ids as text, and the destructors of the interfaces.
#include "poa/minor_codes.h"
#include <perigee/poa/peer_current.h>
#include <perigee/poa/poa.h>

#include <algorithm>

namespace PortableServer {
inline namespace perigee_v1 {

ObjectId string_to_ObjectId(std::string_view text) { return {text.begin(), text.end()}; }

std::string ObjectId_to_string(const ObjectId& id) {
  if (std::ranges::find(id, 0) != id.end())
    throw CORBA::BAD_PARAM(perigee::poa::minor_nul_in_id, CORBA::COMPLETED_NO,
                           "the object id is not a string");
  return {id.begin(), id.end()};
}

POA::~POA() = default;
POAManager::~POAManager() = default;
POAManagerFactory::~POAManagerFactory() = default;
Current::~Current() = default;

}  // namespace perigee_v1
}  // namespace PortableServer

namespace perigee {
PeerCurrent::~PeerCurrent() = default;
}  // namespace perigee
