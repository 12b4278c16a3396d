// Text of object references.
#include "orb/references/reference.h"
#include <perigee/orb/text.h>

namespace perigee::text {

std::string reference_text(const CORBA::Object* object) {
  if (object == nullptr) return "nil";
  if (!object->_reference()) return "local object";
  std::string type_id = object->_reference()->base()->ior.type_id;
  return type_id.empty() ? "object" : type_id;
}

}  // namespace perigee::text
