// Finds declarations of the front end of perigee-idl by their names and repository ids.
#include "call/interfaces.h"

#include "base/nearest_name.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <ranges>
#include <utility>

namespace perigee::tool {

using idlc::as;

namespace {

std::string without_root(std::string_view scoped_name) {
  if (scoped_name.starts_with("::")) scoped_name.remove_prefix(2);
  return std::string(scoped_name);
}

/// All interfaces in whose scope an operation of `interface` may be declared.
std::vector<const idlc::Interface*> scopes_of(const idlc::Interface& interface) {
  std::vector<const idlc::Interface*> scopes{&interface};
  for (const idlc::Interface* const base : idlc::all_bases(interface)) scopes.push_back(base);
  return scopes;
}

std::vector<std::string> names_in(const idlc::Interface& interface) {
  std::vector<std::string> names;
  for (const idlc::Interface* const scope : scopes_of(interface))
    for (const idlc::Declaration* const member : scope->contents)
      if (as<idlc::Operation>(member) != nullptr || as<idlc::Attribute>(member) != nullptr)
        names.push_back(member->name);
  return names;
}

CORBA::Flags flags_of(idlc::Direction direction) {
  if (direction == idlc::Direction::in) return CORBA::ARG_IN;
  return direction == idlc::Direction::out ? CORBA::ARG_OUT : CORBA::ARG_INOUT;
}

struct BasicName {
  std::string_view name;
  idlc::TypeKind kind;
};

constexpr auto basic_names = std::to_array<BasicName>({
    {"boolean", idlc::TypeKind::boolean},
    {"octet", idlc::TypeKind::octet},
    {"char", idlc::TypeKind::char8},
    {"wchar", idlc::TypeKind::wchar},
    {"int8", idlc::TypeKind::int8},
    {"uint8", idlc::TypeKind::uint8},
    {"short", idlc::TypeKind::int16},
    {"int16", idlc::TypeKind::int16},
    {"unsigned short", idlc::TypeKind::uint16},
    {"uint16", idlc::TypeKind::uint16},
    {"long", idlc::TypeKind::int32},
    {"int32", idlc::TypeKind::int32},
    {"unsigned long", idlc::TypeKind::uint32},
    {"uint32", idlc::TypeKind::uint32},
    {"long long", idlc::TypeKind::int64},
    {"int64", idlc::TypeKind::int64},
    {"unsigned long long", idlc::TypeKind::uint64},
    {"uint64", idlc::TypeKind::uint64},
    {"float", idlc::TypeKind::float32},
    {"double", idlc::TypeKind::float64},
    {"long double", idlc::TypeKind::float128},
    {"string", idlc::TypeKind::string},
    {"wstring", idlc::TypeKind::wstring},
    {"any", idlc::TypeKind::any},
    {"Object", idlc::TypeKind::object},
    {"CORBA::Object", idlc::TypeKind::object},
    {"TypeCode", idlc::TypeKind::type_code},
    {"CORBA::TypeCode", idlc::TypeKind::type_code},
});

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// The bound of "string<8>" or "wstring<8>".
std::optional<std::uint32_t> bound_of(std::string_view text, std::string_view type) {
  if (!text.starts_with(type) || !text.ends_with('>')) return std::nullopt;
  text.remove_prefix(type.size());
  if (!text.starts_with('<')) return std::nullopt;
  text = trimmed(text.substr(1, text.size() - 2));
  std::uint32_t bound = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound);
  if (error != std::errc() || end != text.data() + text.size() || bound == 0) return std::nullopt;
  return bound;
}

}  // namespace

Interfaces::Interfaces(const IdlFiles& idl, idlc::FileProvider& files) {
  for (const std::string& file : idl.files) {
    auto read = read_model(file, idl, files);
    if (!read) throw InterfaceError(read.error());
    const std::shared_ptr<const idlc::Model> model(std::move(*read));
    type_codes_.keep(model);
    add(model->definitions);
  }
}

// If two files include the same file, each name in it has two declarations. The first declaration
// counts.
void Interfaces::add(const idlc::Declarations& declarations) {
  for (const idlc::Declaration* const declaration : declarations) add(*declaration);
}

void Interfaces::add(const idlc::Declaration& declaration) {
  if (const auto* const module = as<idlc::Module>(&declaration)) return add(module->contents);
  if (as<idlc::Forward>(&declaration) != nullptr) return;
  const std::string name = without_root(declaration.scoped_name);
  switch (declaration.kind) {
    case idlc::DeclarationKind::interface: {
      const auto& interface = *as<idlc::Interface>(&declaration);
      by_name_.try_emplace(name, &interface);
      by_id_.try_emplace(declaration.repository_id, &interface);
      add(interface.contents);
      break;
    }
    case idlc::DeclarationKind::value_type:
      add(as<idlc::ValueType>(&declaration)->contents);
      break;
    case idlc::DeclarationKind::structure:
      add(as<idlc::Struct>(&declaration)->nested);
      break;
    case idlc::DeclarationKind::union_type:
      add(as<idlc::Union>(&declaration)->nested);
      break;
    case idlc::DeclarationKind::exception:
    case idlc::DeclarationKind::enumeration:
    case idlc::DeclarationKind::type_definition:
    case idlc::DeclarationKind::value_box:
    case idlc::DeclarationKind::bitmask:
    case idlc::DeclarationKind::bitset:
      break;
    default:
      return;
  }
  types_by_name_.try_emplace(name, &declaration);
  types_by_id_.try_emplace(declaration.repository_id, &declaration);
}

const idlc::Interface& Interfaces::interface_of(const std::string& name) const {
  if (const auto found = by_id_.find(name); found != by_id_.end()) return *found->second;
  if (const auto found = by_name_.find(without_root(name)); found != by_name_.end())
    return *found->second;
  if (name.starts_with("IDL:"))
    throw InterfaceError("the IDL has no interface with the repository id " + name +
                         did_you_mean(name, std::views::keys(by_id_)));
  throw InterfaceError("the IDL has no interface " + name +
                       did_you_mean(without_root(name), std::views::keys(by_name_)));
}

OperationTypes Interfaces::operation_of(const idlc::Interface& interface, const std::string& name,
                                        std::size_t argument_count) {
  for (const idlc::Interface* const scope : scopes_of(interface))
    for (const idlc::Declaration* const member : scope->contents) {
      if (const auto* const operation = as<idlc::Operation>(member);
          operation != nullptr && operation->name == name)
        return types_of(*operation);
      const auto* const attribute = as<idlc::Attribute>(member);
      if (attribute == nullptr) continue;
      const bool is_named = attribute->name == name;
      if (name == "_get_" + attribute->name || (is_named && argument_count == 0))
        return reading(*attribute);
      if (name != "_set_" + attribute->name && !is_named) continue;
      if (attribute->is_readonly)
        throw InterfaceError("the attribute " + attribute->name + " of " +
                             without_root(scope->scoped_name) + " is readonly");
      return writing(*attribute);
    }
  throw InterfaceError(without_root(interface.scoped_name) + " has no operation or attribute " +
                       name + did_you_mean(name, names_in(interface)));
}

OperationTypes Interfaces::types_of(const idlc::Operation& operation) {
  OperationTypes types{operation.name,
                       operation.is_oneway,
                       type_codes_.type_code_of(*operation.return_type),
                       {},
                       types_of(operation.raises),
                       operation.contexts};
  for (const idlc::Parameter& parameter : operation.parameters)
    types.parameters.push_back(
        {parameter.name, flags_of(parameter.direction), type_codes_.type_code_of(*parameter.type)});
  return types;
}

OperationTypes Interfaces::reading(const idlc::Attribute& attribute) {
  return {"_get_" + attribute.name,       false, type_codes_.type_code_of(*attribute.type), {},
          types_of(attribute.get_raises), {}};
}

OperationTypes Interfaces::writing(const idlc::Attribute& attribute) {
  return {"_set_" + attribute.name,
          false,
          type_codes_.type_code_of(*basic_node_of(idlc::TypeKind::void_type)),
          {{attribute.name, CORBA::ARG_IN, type_codes_.type_code_of(*attribute.type)}},
          types_of(attribute.set_raises),
          {}};
}

std::vector<TypeCodeRef> Interfaces::types_of(const std::vector<const idlc::Exception*>& raised) {
  std::vector<TypeCodeRef> types;
  for (const idlc::Exception* const each : raised) types.push_back(type_codes_.type_code_of(*each));
  return types;
}

TypeCodeRef Interfaces::type_of(std::string_view text) {
  const std::string_view name = trimmed(text);
  for (const BasicName& basic : basic_names)
    if (basic.name == name) return type_codes_.type_code_of(*basic_node_of(basic.kind));
  if (name.starts_with("sequence<") && name.ends_with('>'))
    return sequence_type_of(name.substr(9, name.size() - 10));
  for (const auto& [type, kind] :
       {std::pair{"string", idlc::TypeKind::string}, std::pair{"wstring", idlc::TypeKind::wstring}})
    if (const auto bound = bound_of(name, type))
      return type_codes_.type_code_of(idlc::Type{.kind = kind, .bound = *bound});
  if (const auto found = types_by_id_.find(std::string(name)); found != types_by_id_.end())
    return type_codes_.type_code_of(*found->second);
  const auto found = types_by_name_.find(without_root(name));
  if (found != types_by_name_.end()) return type_codes_.type_code_of(*found->second);
  throw InterfaceError("the IDL has no type " + std::string(name) +
                       did_you_mean(without_root(name), std::views::keys(types_by_name_)));
}

TypeCodeRef Interfaces::sequence_type_of(std::string_view inner) {
  constexpr std::size_t depth_max = 32;
  std::size_t depth = 1;
  while (inner = trimmed(inner), inner.starts_with("sequence<") && inner.ends_with('>')) {
    inner = inner.substr(9, inner.size() - 10);
    if (++depth > depth_max)
      throw InterfaceError("sequences in the type are nested more than " +
                           std::to_string(depth_max) + " levels deep");
  }
  TypeCodeRef type = type_of(inner);
  for (; depth > 0; --depth) type = type_codes_.sequence_of(type);
  return type;
}

std::string Interfaces::name_of(const CORBA::TypeCode& type) {
  const std::string_view id = type._node()->id;
  if (!id.empty() && type.kind() != CORBA::TCKind::tk_objref) return std::string(id);
  if (type.kind() == CORBA::TCKind::tk_sequence)
    return "sequence<" + name_of(*type.content_type()) + ">";
  if (type.kind() == CORBA::TCKind::tk_objref)
    return id.empty() || id == cdr::object_node.id ? "Object" : std::string(id);
  return type._text();
}

}  // namespace perigee::tool
