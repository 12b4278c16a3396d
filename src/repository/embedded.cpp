// A repository that no client may change, with definitions that the program brings.
#include <perigee/repository/embedded.h>

namespace perigee::repository {

EmbeddedServer::EmbeddedServer(const CORBA::object_reference<CORBA::ORB>& orb,
                               const std::vector<Embedded>& descriptions)
    : server_(orb, {.limits = {}, .writers = Writers::none}) {
  server_.load(descriptions);
  try {
    orb->register_initial_reference("InterfaceRepository", server_.reference());
  } catch (const CORBA::ORB::InvalidName&) {
    return;  // -ORBInitRef has named another repository
  }
}

}  // namespace perigee::repository
