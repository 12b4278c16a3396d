// The base classes of servant managers and adapter activators.
#include <perigee/poa/servant_managers.h>

namespace PortableServer {
inline namespace perigee_v1 {

ServantManager::~ServantManager() = default;
ServantActivator::~ServantActivator() = default;
ServantLocator::~ServantLocator() = default;
AdapterActivator::~AdapterActivator() = default;

bool ServantManager::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id;
}
bool ServantActivator::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || ServantManager::_implements(repository_id);
}
bool ServantLocator::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || ServantManager::_implements(repository_id);
}
bool AdapterActivator::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id;
}

}  // namespace perigee_v1
}  // namespace PortableServer
