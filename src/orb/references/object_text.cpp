// Text of object references.
#include "orb/references/reference.h"
#include <perigee/orb/text.h>

#include <string>
#include <string_view>

namespace perigee::text {

std::string reference_text(const CORBA::Object* object) {
  if (object == nullptr) return "nil";
  if (!object->_reference()) return "local object";
  std::string type_id = object->_reference()->base()->ior.type_id;
  return type_id.empty() ? "object" : type_id;
}

// "IDL:omg.org/CORBA/Object:1.0": a first part with a dot is a prefix, not a module.
std::string name_of_interface(std::string_view repository_id) {
  constexpr std::string_view format = "IDL:";
  if (repository_id.starts_with(format)) repository_id.remove_prefix(format.size());
  repository_id = repository_id.substr(0, repository_id.find(':'));
  const std::string_view first = repository_id.substr(0, repository_id.find('/'));
  if (first.contains('.')) repository_id.remove_prefix(first.size() + 1);
  std::string name;
  for (const char character : repository_id) {
    if (character == '/')
      name += "::";
    else
      name += character;
  }
  return name;
}

}  // namespace perigee::text
