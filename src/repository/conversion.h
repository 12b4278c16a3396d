// Converts between definitions and the types of the IDL: members, parameters, descriptions.
#pragma once

#include "repository/shared.h"

#include <string>
#include <vector>

namespace perigee::repository {

/// @name From the arguments of requests. Raise BAD_PARAM for objects of other repositories, for
/// objects of a wrong kind and for names that are not IDL, and NO_RESOURCES for long lists.
/// @{
[[nodiscard]] Definition& type_of(const Access& access,
                                  const CORBA::object_reference<CORBA::IDLType>& type);
/// Raises BAD_PARAM if the value is not of the type of the constant.
void set_value(const Access& access, Definition& constant, const CORBA::Any& value);
[[nodiscard]] std::vector<Part> parts_of(const Access& access,
                                         const CORBA::StructMemberSeq& members);
[[nodiscard]] std::vector<Part> parts_of(const Access& access,
                                         const CORBA::UnionMemberSeq& members);
[[nodiscard]] std::vector<Part> parts_of(const Access& access,
                                         const CORBA::ParDescriptionSeq& parameters);
[[nodiscard]] std::vector<Definition*> exceptions_of(const Access& access,
                                                     const CORBA::ExceptionDefSeq& exceptions);
/// Finds the exceptions by their repository ids.
[[nodiscard]] std::vector<Definition*> exceptions_of(const Access& access,
                                                     const CORBA::ExcDescriptionSeq& exceptions);
[[nodiscard]] std::vector<Creator> creators_of(const Access& access,
                                               const CORBA::InitializerSeq& initializers);
[[nodiscard]] std::vector<Creator> creators_of(const Access& access,
                                               const CORBA::ExtInitializerSeq& initializers);

/// The definitions of the references, each of a kind that `is_right` accepts.
template <typename Sequence>
std::vector<Definition*> definitions_of(const Access& access, const Sequence& references,
                                        bool (*is_right)(Kind), std::uint32_t omg_minor,
                                        const char* text) {
  access.store().check_count(references.size());
  std::vector<Definition*> result;
  for (const auto& reference : references) {
    Definition& found = access.shared().definition(reference);
    if (!is_right(found.kind)) raise_bad_param(omg_minor, text);
    result.push_back(&found);
  }
  return result;
}
/// @}

/// @name For replies.
/// @{
[[nodiscard]] CORBA::StructMemberSeq struct_members(const Access& access,
                                                    const std::vector<Part>& parts);
[[nodiscard]] CORBA::UnionMemberSeq union_members(const Access& access,
                                                  const std::vector<Part>& parts);
[[nodiscard]] CORBA::ParDescriptionSeq parameters(const Access& access,
                                                  const std::vector<Part>& parts);
[[nodiscard]] CORBA::ExcDescriptionSeq exception_descriptions(
    const Access& access, const std::vector<Definition*>& exceptions);
[[nodiscard]] CORBA::InitializerSeq initializers(const Access& access, const Definition& value);
[[nodiscard]] CORBA::ExtInitializerSeq ext_initializers(const Access& access,
                                                        const Definition& value);
[[nodiscard]] std::vector<std::string> ids_of(const std::vector<Definition*>& definitions);
[[nodiscard]] std::string container_id(const Definition& definition);

template <typename T>
std::vector<CORBA::object_reference<T>> references(const Access& access,
                                                   const std::vector<Definition*>& definitions) {
  std::vector<CORBA::object_reference<T>> result;
  for (const Definition* one : definitions) result.push_back(access.shared().reference<T>(one));
  return result;
}
/// @}

}  // namespace perigee::repository
