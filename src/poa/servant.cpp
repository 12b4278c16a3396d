// The base of all skeletons.
#include <perigee/poa/servant.h>

namespace PortableServer {
inline namespace perigee_v1 {

Servant::~Servant() = default;

bool Servant::_is_a(const std::string& repository_id) {
  return repository_id == _primary_interface() || repository_id == CORBA::Object::_type_id;
}

bool Servant::_non_existent() { return false; }

}  // namespace perigee_v1
}  // namespace PortableServer
