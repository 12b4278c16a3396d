// Container: searches, and the creation of definitions.
#include "repository/base_servants.h"
#include "repository/description.h"

#include <algorithm>

namespace perigee::repository {

namespace {

constexpr std::uint32_t minor_not_abstract = 11;
constexpr std::uint32_t minor_several_concrete = 12;

bool is_value(Kind kind) { return kind == Kind::dk_Value; }
bool is_abstract_interface(Kind kind) { return kind == Kind::dk_AbstractInterface; }
bool is_not_local(Kind kind) { return is_interface(kind) && kind != Kind::dk_LocalInterface; }

}  // namespace

template <typename Sequence>
std::vector<Definition*> interface_bases(const Access& access, Kind kind,
                                         const Sequence& references) {
  switch (kind) {
    case Kind::dk_AbstractInterface:
      return definitions_of(access, references, is_abstract_interface, minor_not_abstract,
                            "an abstract interface has a base that is not abstract");
    case Kind::dk_LocalInterface:
      return definitions_of(access, references, is_interface, 0, "a base is not an interface");
    default:
      return definitions_of(access, references, is_not_local, 0,
                            "a base is local, or is not an interface");
  }
}
template std::vector<Definition*> interface_bases(const Access&, Kind,
                                                  const CORBA::InterfaceDefSeq&);

void set_supported(const Access& access, Definition& value,
                   const CORBA::InterfaceDefSeq& interfaces) {
  value.supported =
      definitions_of(access, interfaces, is_interface, 0, "a supported type is not an interface");
  const auto concrete = std::ranges::count_if(
      value.supported, [](const Definition* one) { return !is_abstract_interface(one->kind); });
  if (concrete > 1)
    raise_bad_param(minor_several_concrete, "a valuetype supports several concrete interfaces");
}

void set_base_value(const Access& access, Definition& value, const Ref<CORBA::ValueDef>& base) {
  value.base_value = base ? &access.shared().definition(base) : nullptr;
  if (value.base_value != nullptr && !is_value(value.base_value->kind))
    raise_bad_param(0, "the base is not a valuetype");
}

void set_abstract_bases(const Access& access, Definition& value, const CORBA::ValueDefSeq& bases) {
  value.bases = definitions_of(access, bases, is_value, 0, "a base is not a valuetype");
  if (!std::ranges::all_of(value.bases, &Definition::is_abstract))
    raise_bad_param(0, "a base in the list of abstract bases is not abstract");
}

Ref<CORBA::Contained> ContainerServant::lookup(const std::string& search_name) {
  const Access access = reading();
  return access.shared().reference<CORBA::Contained>(access.store().lookup(*access, search_name));
}

CORBA::ContainedSeq ContainerServant::contents(Kind limit_type, bool exclude_inherited) {
  const Access access = reading();
  return references<CORBA::Contained>(
      access, access.store().contents(*access, limit_type, !exclude_inherited));
}

CORBA::ContainedSeq ContainerServant::lookup_name(const std::string& search_name,
                                                  std::int32_t levels_to_search, Kind limit_type,
                                                  bool exclude_inherited) {
  const Access access = reading();
  return references<CORBA::Contained>(
      access, access.store().lookup_name(*access, search_name, levels_to_search, limit_type,
                                         !exclude_inherited));
}

CORBA::Container::DescriptionSeq ContainerServant::describe_contents(
    Kind limit_type, bool exclude_inherited, std::int32_t max_returned_objs) {
  const Access access = reading();
  std::vector<Definition*> found = access.store().contents(*access, limit_type, !exclude_inherited);
  if (max_returned_objs >= 0 && found.size() > static_cast<std::size_t>(max_returned_objs))
    found.resize(static_cast<std::size_t>(max_returned_objs));
  CORBA::Container::DescriptionSeq result;
  for (Definition* one : found)
    result.emplace_back(access.shared().reference<CORBA::Contained>(one), one->kind,
                        possible_description(access, *one));
  return result;
}

Ref<CORBA::ModuleDef> ContainerServant::create_module(const std::string& id,
                                                      const std::string& name,
                                                      const std::string& version) {
  return create<CORBA::ModuleDef>(Kind::dk_Module, {id, name, version},
                                  [](const Access&, Definition&) {});
}

Ref<CORBA::ConstantDef> ContainerServant::create_constant(const std::string& id,
                                                          const std::string& name,
                                                          const std::string& version,
                                                          Ref<CORBA::IDLType> type,
                                                          const CORBA::Any& value) {
  return create<CORBA::ConstantDef>(Kind::dk_Constant, {id, name, version},
                                    [&](const Access& access, Definition& made) {
                                      made.type = &type_of(access, type);
                                      set_value(access, made, value);
                                    });
}

Ref<CORBA::StructDef> ContainerServant::create_struct(const std::string& id,
                                                      const std::string& name,
                                                      const std::string& version,
                                                      const CORBA::StructMemberSeq& members) {
  return create<CORBA::StructDef>(
      Kind::dk_Struct, {id, name, version},
      [&](const Access& access, Definition& made) { made.parts = parts_of(access, members); });
}

Ref<CORBA::UnionDef> ContainerServant::create_union(const std::string& id, const std::string& name,
                                                    const std::string& version,
                                                    Ref<CORBA::IDLType> discriminator_type,
                                                    const CORBA::UnionMemberSeq& members) {
  return create<CORBA::UnionDef>(Kind::dk_Union, {id, name, version},
                                 [&](const Access& access, Definition& made) {
                                   made.type = &type_of(access, discriminator_type);
                                   made.parts = parts_of(access, members);
                                 });
}

Ref<CORBA::EnumDef> ContainerServant::create_enum(const std::string& id, const std::string& name,
                                                  const std::string& version,
                                                  const CORBA::EnumMemberSeq& members) {
  return create<CORBA::EnumDef>(Kind::dk_Enum, {id, name, version},
                                [&](const Access&, Definition& made) { made.names = members; });
}

Ref<CORBA::AliasDef> ContainerServant::create_alias(const std::string& id, const std::string& name,
                                                    const std::string& version,
                                                    Ref<CORBA::IDLType> original_type) {
  return create<CORBA::AliasDef>(
      Kind::dk_Alias, {id, name, version},
      [&](const Access& access, Definition& made) { made.type = &type_of(access, original_type); });
}

Ref<CORBA::InterfaceDef> ContainerServant::create_interface(
    const std::string& id, const std::string& name, const std::string& version,
    const CORBA::InterfaceDefSeq& base_interfaces) {
  return create<CORBA::InterfaceDef>(
      Kind::dk_Interface, {id, name, version}, [&](const Access& access, Definition& made) {
        made.bases = interface_bases(access, Kind::dk_Interface, base_interfaces);
      });
}

Ref<CORBA::ValueDef> ContainerServant::create_value(
    const std::string& id, const std::string& name, const std::string& version, bool is_custom,
    bool is_abstract, Ref<CORBA::ValueDef> base_value, bool is_truncatable,
    const CORBA::ValueDefSeq& abstract_base_values,
    const CORBA::InterfaceDefSeq& supported_interfaces, const CORBA::InitializerSeq& initializers) {
  return create<CORBA::ValueDef>(Kind::dk_Value, {id, name, version},
                                 [&](const Access& access, Definition& made) {
                                   made.is_custom = is_custom;
                                   made.is_abstract = is_abstract;
                                   made.is_truncatable = is_truncatable;
                                   set_base_value(access, made, base_value);
                                   set_abstract_bases(access, made, abstract_base_values);
                                   set_supported(access, made, supported_interfaces);
                                   made.creators = creators_of(access, initializers);
                                 });
}

Ref<CORBA::ValueBoxDef> ContainerServant::create_value_box(const std::string& id,
                                                           const std::string& name,
                                                           const std::string& version,
                                                           Ref<CORBA::IDLType> original_type_def) {
  return create<CORBA::ValueBoxDef>(Kind::dk_ValueBox, {id, name, version},
                                    [&](const Access& access, Definition& made) {
                                      made.type = &type_of(access, original_type_def);
                                    });
}

Ref<CORBA::ExceptionDef> ContainerServant::create_exception(const std::string& id,
                                                            const std::string& name,
                                                            const std::string& version,
                                                            const CORBA::StructMemberSeq& members) {
  return create<CORBA::ExceptionDef>(
      Kind::dk_Exception, {id, name, version},
      [&](const Access& access, Definition& made) { made.parts = parts_of(access, members); });
}

Ref<CORBA::NativeDef> ContainerServant::create_native(const std::string& id,
                                                      const std::string& name,
                                                      const std::string& version) {
  return create<CORBA::NativeDef>(Kind::dk_Native, {id, name, version},
                                  [](const Access&, Definition&) {});
}

Ref<CORBA::AbstractInterfaceDef> ContainerServant::create_abstract_interface(
    const std::string& id, const std::string& name, const std::string& version,
    const CORBA::AbstractInterfaceDefSeq& base_interfaces) {
  return create<CORBA::AbstractInterfaceDef>(
      Kind::dk_AbstractInterface, {id, name, version}, [&](const Access& access, Definition& made) {
        made.bases = interface_bases(access, Kind::dk_AbstractInterface, base_interfaces);
      });
}

Ref<CORBA::LocalInterfaceDef> ContainerServant::create_local_interface(
    const std::string& id, const std::string& name, const std::string& version,
    const CORBA::InterfaceDefSeq& base_interfaces) {
  return create<CORBA::LocalInterfaceDef>(
      Kind::dk_LocalInterface, {id, name, version}, [&](const Access& access, Definition& made) {
        made.bases = interface_bases(access, Kind::dk_LocalInterface, base_interfaces);
      });
}

Ref<CORBA::ExtValueDef> ContainerServant::create_ext_value(
    const std::string& id, const std::string& name, const std::string& version, bool is_custom,
    bool is_abstract, Ref<CORBA::ValueDef> base_value, bool is_truncatable,
    const CORBA::ValueDefSeq& abstract_base_values,
    const CORBA::InterfaceDefSeq& supported_interfaces,
    const CORBA::ExtInitializerSeq& initializers) {
  return create<CORBA::ExtValueDef>(Kind::dk_Value, {id, name, version},
                                    [&](const Access& access, Definition& made) {
                                      made.is_custom = is_custom;
                                      made.is_abstract = is_abstract;
                                      made.is_truncatable = is_truncatable;
                                      set_base_value(access, made, base_value);
                                      set_abstract_bases(access, made, abstract_base_values);
                                      set_supported(access, made, supported_interfaces);
                                      made.creators = creators_of(access, initializers);
                                    });
}

}  // namespace perigee::repository
