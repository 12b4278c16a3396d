// CORBA::Object: the operations that ask the object itself, by ordinary calls.
#include "orb/references/reference.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/marshalling.h>
#include <perigee/orb/object.h>
#include <perigee/orb/policy.h>
#include <perigee/orb/stub.h>

namespace CORBA {
inline namespace perigee_v1 {

namespace {

using perigee::stub::Operation;

constexpr Operation is_a_operation{"_is_a", Operation::Kind::twoway, {}};
constexpr Operation non_existent_operation{"_non_existent", Operation::Kind::twoway, {}};
constexpr Operation component_operation{"_component", Operation::Kind::twoway, {}};
constexpr Operation interface_operation{"_interface", Operation::Kind::twoway, {}};
constexpr Operation repository_id_operation{"_repository_id", Operation::Kind::twoway, {}};

}  // namespace

bool Object::_is_a(const std::string& repository_id) const {
  if (repository_id == _type_id || _implements(repository_id)) return true;
  if (!reference_) return false;
  if (reference_->base()->ior.type_id == repository_id) return true;
  bool result = false;
  perigee::stub::invoke(
      *this, is_a_operation,
      [&](perigee::cdr::Encoder& encoder) { encoder.write_string(repository_id); },
      [&](perigee::cdr::Decoder& decoder) { result = decoder.read_boolean(); });
  return result;
}

bool Object::_non_existent() const {
  if (!reference_) return false;
  bool result = false;
  try {
    perigee::stub::invoke(*this, non_existent_operation, nullptr,
                          [&](perigee::cdr::Decoder& decoder) { result = decoder.read_boolean(); });
  } catch (const OBJECT_NOT_EXIST&) {  // the reply of most servers for an unknown object
    return true;
  }
  return result;
}

bool Object::_validate_connection(PolicyList& inconsistent_policies) const {
  if (!_reference())
    throw NO_IMPLEMENT(perigee::orb::minor_not_of_local_objects, COMPLETED_NO,
                       "a local object has no policies");
  inconsistent_policies.clear();
  bool gone = false;
  perigee::stub::invoke(*this, non_existent_operation, nullptr,
                        [&](perigee::cdr::Decoder& decoder) { gone = decoder.read_boolean(); });
  if (gone) throw OBJECT_NOT_EXIST(0, COMPLETED_NO, "the server says that there is no such object");
  return true;
}

// CORBA 3.0, 4.3: the result is nil unless the object is a component or a facet of one. Servers
// without components may not know the operation.
object_reference<Object> Object::_get_component() const {
  if (!reference_) return nullptr;
  object_reference<Object> component;
  try {
    perigee::stub::invoke(*this, component_operation, nullptr,
                          [&](perigee::cdr::Decoder& decoder) { decoder >> component; });
  } catch (const BAD_OPERATION&) {
    return nullptr;
  }
  return component;
}

object_reference<Object> Object::_interface_definition() const {
  if (!reference_)
    throw NO_IMPLEMENT(perigee::orb::minor_not_of_local_objects, COMPLETED_NO,
                       "a local object has no definition in a repository");
  object_reference<Object> definition;
  perigee::stub::invoke(*this, interface_operation, nullptr,
                        [&](perigee::cdr::Decoder& decoder) { decoder >> definition; });
  return definition;
}

std::string Object::_interface_repository_id() const {
  std::string id = reference_ ? reference_->base()->ior.type_id : std::string();
  return id.empty() ? std::string(_type_id) : id;
}

std::string Object::_repository_id() const {
  if (!reference_) return std::string(_type_id);
  std::string result;
  perigee::stub::invoke(*this, repository_id_operation, nullptr,
                        [&](perigee::cdr::Decoder& decoder) { decoder.read_string(result); });
  return result;
}

}  // namespace perigee_v1
}  // namespace CORBA
