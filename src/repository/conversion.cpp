// Converts between definitions of the store and the types of the repository's IDL.
#include "repository/conversion.h"

namespace perigee::repository {

namespace {

template <typename Sequence, typename Convert>
std::vector<Part> convert_parts(const Access& access, const Sequence& members, Convert convert) {
  access.store().check_count(members.size());
  std::vector<Part> result;
  for (const auto& member : members) {
    access.store().check_identifier(member.name());
    Part& part = result.emplace_back();
    part.name = member.name();
    part.type = &type_of(access, member.type_def());
    convert(part, member);
  }
  return result;
}

Creator creator_of(const Access& access, const std::string& name,
                   const CORBA::StructMemberSeq& members) {
  access.store().check_identifier(name);
  return {name, parts_of(access, members), {}};
}

}  // namespace

Definition& type_of(const Access& access, const CORBA::object_reference<CORBA::IDLType>& type) {
  Definition& found = access.shared().definition(type);
  if (!is_type(found.kind)) raise_bad_param(0, "the definition is not a type");
  return found;
}

void set_value(const Access& access, Definition& constant, const CORBA::Any& value) {
  if (!type_code(access.store(), *constant.type)->equivalent(value.type()))
    raise_bad_param(0, "the value does not have the type of the constant");
  constant.value = value;
}

std::vector<Part> parts_of(const Access& access, const CORBA::StructMemberSeq& members) {
  return convert_parts(access, members, [](Part&, const CORBA::StructMember&) {});
}

std::vector<Part> parts_of(const Access& access, const CORBA::UnionMemberSeq& members) {
  return convert_parts(access, members, [](Part& part, const CORBA::UnionMember& member) {
    part.label = member.label();
  });
}

std::vector<Part> parts_of(const Access& access, const CORBA::ParDescriptionSeq& parameters) {
  return convert_parts(access, parameters,
                       [](Part& part, const CORBA::ParameterDescription& parameter) {
                         part.mode = parameter.mode();
                       });
}

std::vector<Definition*> exceptions_of(const Access& access,
                                       const CORBA::ExceptionDefSeq& exceptions) {
  return definitions_of(
      access, exceptions, [](Kind kind) { return kind == Kind::dk_Exception; }, 0,
      "the definition is not an exception");
}

std::vector<Definition*> exceptions_of(const Access& access,
                                       const CORBA::ExcDescriptionSeq& exceptions) {
  access.store().check_count(exceptions.size());
  std::vector<Definition*> result;
  for (const CORBA::ExceptionDescription& exception : exceptions) {
    Definition* found = access.store().find_id(exception.id());
    if (found == nullptr || found->kind != Kind::dk_Exception)
      raise_bad_param(0, "the repository has no such exception");
    result.push_back(found);
  }
  return result;
}

std::vector<Creator> creators_of(const Access& access, const CORBA::InitializerSeq& initializers) {
  access.store().check_count(initializers.size());
  std::vector<Creator> result;
  for (const CORBA::Initializer& one : initializers)
    result.push_back(creator_of(access, one.name(), one.members()));
  return result;
}

std::vector<Creator> creators_of(const Access& access,
                                 const CORBA::ExtInitializerSeq& initializers) {
  access.store().check_count(initializers.size());
  std::vector<Creator> result;
  for (const CORBA::ExtInitializer& one : initializers) {
    Creator& creator = result.emplace_back(creator_of(access, one.name(), one.members()));
    creator.exceptions = exceptions_of(access, one.exceptions());
  }
  return result;
}

CORBA::StructMemberSeq struct_members(const Access& access, const std::vector<Part>& parts) {
  CORBA::StructMemberSeq result;
  for (const Part& part : parts)
    result.emplace_back(part.name, type_code(access.store(), *part.type),
                        access.shared().reference<CORBA::IDLType>(part.type));
  return result;
}

CORBA::UnionMemberSeq union_members(const Access& access, const std::vector<Part>& parts) {
  CORBA::UnionMemberSeq result;
  for (const Part& part : parts)
    result.emplace_back(part.name, part.label, type_code(access.store(), *part.type),
                        access.shared().reference<CORBA::IDLType>(part.type));
  return result;
}

CORBA::ParDescriptionSeq parameters(const Access& access, const std::vector<Part>& parts) {
  CORBA::ParDescriptionSeq result;
  for (const Part& part : parts)
    result.emplace_back(part.name, type_code(access.store(), *part.type),
                        access.shared().reference<CORBA::IDLType>(part.type), part.mode);
  return result;
}

CORBA::ExcDescriptionSeq exception_descriptions(const Access& access,
                                                const std::vector<Definition*>& exceptions) {
  CORBA::ExcDescriptionSeq result;
  for (Definition* one : exceptions)
    result.emplace_back(one->name, one->id, container_id(*one), one->version,
                        type_code(access.store(), *one));
  return result;
}

CORBA::InitializerSeq initializers(const Access& access, const Definition& value) {
  CORBA::InitializerSeq result;
  for (const Creator& creator : value.creators)
    result.emplace_back(struct_members(access, creator.parameters), creator.name);
  return result;
}

CORBA::ExtInitializerSeq ext_initializers(const Access& access, const Definition& value) {
  CORBA::ExtInitializerSeq result;
  for (const Creator& creator : value.creators)
    result.emplace_back(struct_members(access, creator.parameters),
                        exception_descriptions(access, creator.exceptions), creator.name);
  return result;
}

std::vector<std::string> ids_of(const std::vector<Definition*>& definitions) {
  std::vector<std::string> result;
  for (const Definition* one : definitions) result.push_back(one->id);
  return result;
}

std::string container_id(const Definition& definition) {
  return definition.container == nullptr ? std::string() : definition.container->id;
}

}  // namespace perigee::repository
