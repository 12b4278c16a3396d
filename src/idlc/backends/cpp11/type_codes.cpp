// TypeCodes as generated constants. All kinds of types have TypeCodes, even types that have no C++
// type yet, because a TypeCode needs only the model.
#include "idlc/backends/cpp11/type_codes.h"

#include "idlc/backends/cpp11/enums.h"
#include "idlc/backends/cpp11/names.h"

#include <cstdint>
#include <utility>

namespace perigee::idlc::cpp11 {

namespace {

std::string basic_node(std::string_view kind) {
  return "::perigee::cdr::basic_node<::perigee::cdr::TypeKind::tk_" + std::string(kind) + ">";
}

/// The kind of a basic type without its "tk_"; empty for other types.
std::string_view basic_kind(TypeKind kind) {
  switch (kind) {
    case TypeKind::void_type:
      return "void";
    case TypeKind::boolean:
      return "boolean";
    case TypeKind::octet:
    case TypeKind::uint8:
      return "octet";
    case TypeKind::char8:
      return "char";
    case TypeKind::wchar:
      return "wchar";
    case TypeKind::int8:
      return "int8";
    case TypeKind::int16:
      return "short";
    case TypeKind::uint16:
      return "ushort";
    case TypeKind::int32:
      return "long";
    case TypeKind::uint32:
      return "ulong";
    case TypeKind::int64:
      return "longlong";
    case TypeKind::uint64:
      return "ulonglong";
    case TypeKind::float32:
      return "float";
    case TypeKind::float64:
      return "double";
    case TypeKind::float128:
      return "longdouble";
    case TypeKind::any:
      return "any";
    case TypeKind::type_code:
      return "TypeCode";
    default:
      return "";
  }
}

std::string node_of(const Type& type);

std::string bound_of(const Type& type) {
  return type.bound == 0 ? "" : ", " + std::to_string(type.bound);
}

std::string string_of(std::string_view name, const Type& type) {
  return "::perigee::cdr::" + std::string(name) + "<" +
         (type.bound == 0 ? "" : std::to_string(type.bound)) + ">";
}

/// Arrays of arrays: the first dimension is the outermost.
std::string array_of(const Type& type) {
  std::string node = node_of(*type.element);
  for (auto length = type.dimensions.rbegin(); length != type.dimensions.rend(); ++length)
    node = "::perigee::cdr::array_node<" + node + ", " + std::to_string(*length) + ">";
  return node;
}

/// The library has nodes for the enums and boxed values of the built-in orb.idl, but none for its
/// typedefs, which are resolved.
std::string named_node(const Type& type) {
  const Declaration& declaration = *type.declaration;
  const SourceFile* file = declaration.location.file;
  if (file == nullptr || !file->is_builtin)
    return "::" + node_namespace(declaration) + "::" + node_name(declaration);
  if (declaration.kind == DeclarationKind::enumeration ||
      declaration.kind == DeclarationKind::value_box)
    return "::perigee::any::" + node_name(declaration);
  if (const auto* alias = as<Typedef>(&declaration)) return node_of(*alias->type);
  const auto* interface = as<Interface>(&declaration);
  return interface != nullptr && interface->is_abstract ? "::perigee::cdr::abstract_base_node"
                                                        : "::perigee::cdr::object_node";
}

/// An expression for the type's node.
std::string node_of(const Type& type) {
  if (const std::string_view basic = basic_kind(type.kind); !basic.empty())
    return basic_node(basic);
  switch (type.kind) {
    case TypeKind::object:
      return "::perigee::cdr::object_node";
    case TypeKind::value_base:
      return "::perigee::cdr::value_base_node";
    case TypeKind::string:
      return string_of("string_node", type);
    case TypeKind::wstring:
      return string_of("wstring_node", type);
    case TypeKind::sequence:
      return "::perigee::cdr::sequence_node<" + node_of(*type.element) + bound_of(type) + ">";
    case TypeKind::optional:  // as on the wire
      return "::perigee::cdr::sequence_node<" + node_of(*type.element) + ", 1>";
    case TypeKind::array:
      return array_of(type);
    case TypeKind::map:
      return "::perigee::cdr::map_node<" + node_of(*type.key) + ", " + node_of(*type.element) +
             bound_of(type) + ">";
    case TypeKind::fixed:
      return "::perigee::cdr::fixed_node<" + std::to_string(type.digits) + ", " +
             std::to_string(type.scale) + ">";
    default:
      return named_node(type);
  }
}

/// A label in the form of TypeMember: the number of the enumerator or character, or the integer's
/// bits.
std::string label_text(const Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "1" : "0";
  if (const auto* character = std::get_if<char>(&value))
    return std::to_string(static_cast<unsigned char>(*character));
  if (const auto* wide = std::get_if<char32_t>(&value))
    return std::to_string(static_cast<std::uint32_t>(*wide));
  if (const auto* enumerator = std::get_if<const Enumerator*>(&value)) {
    const auto* enumeration = as<Enum>((*enumerator)->enumeration);
    return travels_by_value(*enumeration) ? std::to_string((*enumerator)->value)
                                          : std::to_string((*enumerator)->ordinal);
  }
  std::int64_t number = 0;
  if (const auto* natural = std::get_if<std::uint64_t>(&value))
    number = static_cast<std::int64_t>(*natural);
  else if (const auto* integer = std::get_if<std::int64_t>(&value))
    number = *integer;
  if (number == INT64_MIN) return "-9223372036854775807 - 1";  // C++ has no such literal
  return std::to_string(number);
}

/// The text of a node except its kind, id and name.
struct NodeText {
  std::string number;   ///< an initialiser: ".bound = 3"
  std::string content;  ///< the node of its contents
  std::vector<std::string> members;
};

std::string row(const std::string& name, const Type& type, const std::string& label = "") {
  return "{" + string_literal(name) + ", &" + node_of(type) + (label.empty() ? "" : ", " + label) +
         "}";
}

void add_members(NodeText& text, const std::vector<Member>& members) {
  for (const Member& member : members) text.members.push_back(row(member.name, *member.type));
}

/// On the wire a struct with a base is one struct, which begins with the base's members.
void add_struct(NodeText& text, const Struct& structure) {
  if (structure.base != nullptr) add_struct(text, *structure.base);
  add_members(text, structure.members);
}

/// A member with several labels has one row for each label. CORBA 3.0, 4.11.1.
void add_union(NodeText& text, const Union& declared) {
  text.content = node_of(*declared.discriminator);
  for (const UnionBranch& branch : declared.branches) {
    const Member& member = branch.member;
    for (const Value& label : branch.labels)
      text.members.push_back(row(member.name, *member.type, label_text(label)));
    if (!branch.is_default) continue;
    text.number = ".default_index = " + std::to_string(text.members.size());
    text.members.push_back(row(member.name, *member.type));
  }
}

std::string modifier(const ValueType& declared) {
  if (declared.is_custom) return "1";
  if (declared.is_abstract) return "2";
  return declared.is_truncatable ? "3" : "0";
}

void add_value(NodeText& text, const ValueType& declared) {
  text.number = ".scale = " + modifier(declared);
  for (const ValueType* base : declared.bases)
    if (!base->is_abstract) text.content = "::" + node_namespace(*base) + "::" + node_name(*base);
  for (const StateMember& state : declared.state)
    text.members.push_back(row(state.member.name, *state.member.type,
                               state.access == Access::public_state ? "1" : "0"));
}

void add_bitmask(NodeText& text, const Bitmask& declared) {
  text.number = ".bound = " + std::to_string(declared.bit_bound);
  for (const BitFlag& flag : declared.flags)
    text.members.push_back("{" + string_literal(flag.name) + ", nullptr, " +
                           std::to_string(flag.position) + "}");
}

std::uint32_t add_fields(NodeText& text, const Bitset& declared) {
  std::uint32_t bits = declared.base != nullptr ? add_fields(text, *declared.base) : 0;
  for (const BitField& field : declared.fields) {
    bits += field.size;
    text.members.push_back("{" + string_literal(field.name) + ", nullptr, " +
                           std::to_string(field.size) + "}");
  }
  return bits;
}

void add_bitset(NodeText& text, const Bitset& declared) {
  text.number = ".bound = " + std::to_string(add_fields(text, declared));
}

void add_enum(NodeText& text, const Enum& declared) {
  const bool has_values = travels_by_value(declared);
  if (has_values) text.number = ".bound = " + std::to_string(bit_bound(declared));
  for (const Enumerator* enumerator : declared.enumerators)
    text.members.push_back("{" + string_literal(enumerator->name) +
                           (has_values ? ", nullptr, " + std::to_string(enumerator->value) : "") +
                           "}");
}

NodeText node_text(const Declaration& declaration) {
  NodeText text;
  if (const auto* structure = as<Struct>(&declaration)) add_struct(text, *structure);
  if (const auto* exception = as<Exception>(&declaration)) add_members(text, exception->members);
  if (const auto* declared = as<Union>(&declaration)) add_union(text, *declared);
  if (const auto* enumeration = as<Enum>(&declaration)) add_enum(text, *enumeration);
  if (const auto* alias = as<Typedef>(&declaration)) text.content = node_of(*alias->type);
  if (const auto* box = as<ValueBox>(&declaration)) text.content = node_of(*box->type);
  if (const auto* value = as<ValueType>(&declaration)) add_value(text, *value);
  if (const auto* bitmask = as<Bitmask>(&declaration)) add_bitmask(text, *bitmask);
  if (const auto* bitset = as<Bitset>(&declaration)) add_bitset(text, *bitset);
  return text;
}

std::string_view kind_of(const Declaration& declaration) {
  if (const auto* enumeration = as<Enum>(&declaration))
    return travels_by_value(*enumeration) ? "valued_enum" : "enum";
  if (const auto* interface = as<Interface>(&declaration)) {
    if (interface->is_local) return "local_interface";
    return interface->is_abstract ? "abstract_interface" : "objref";
  }
  switch (declaration.kind) {
    case DeclarationKind::structure:
      return "struct";
    case DeclarationKind::union_type:
      return "union";
    case DeclarationKind::exception:
      return "except";
    case DeclarationKind::type_definition:
      return "alias";
    case DeclarationKind::native:
      return "native";
    case DeclarationKind::value_type:
      return "value";
    case DeclarationKind::value_box:
      return "value_box";
    case DeclarationKind::bitmask:
      return "bitmask";
    case DeclarationKind::bitset:
      return "bitset";
    default:
      return "";
  }
}

}  // namespace

bool has_type_code(const Declaration& declaration) { return !kind_of(declaration).empty(); }

std::string node_namespace(const Declaration& declaration) {
  return "perigee::types" +
         (declaration.parent != nullptr ? qualified_name(*declaration.parent) : "");
}

std::string node_name(const Declaration& declaration) {
  const auto* interface = as<Interface>(&declaration);
  const bool is_elsewhere = interface != nullptr && !interface->is_defined;
  return (is_elsewhere ? "_forward_" : "_type_") + declaration.name;
}

void define_node(Writer& writer, const Declaration& declaration) {
  const NodeText text = node_text(declaration);
  const std::string members = "_members_" + declaration.name;
  writer.separate();
  if (!text.members.empty()) {
    writer.write("static constexpr ::perigee::cdr::TypeMember " + members + "[] = {");
    for (const std::string& member : text.members) writer.write("    " + member + ",");
    writer.write("};");
  }
  const std::string name = node_name(declaration);
  const bool is_own = name.starts_with("_type_");
  writer.write((is_own ? "constinit const" : "[[maybe_unused]] static constexpr") +
               std::string(" ::perigee::cdr::TypeNode ") + name + "{");
  const auto write_field = [&writer](const std::string& field) {
    writer.write("    " + field + ",");
  };
  write_field(".kind = ::perigee::cdr::TypeKind::tk_" + std::string(kind_of(declaration)));
  if (!text.number.empty()) write_field(text.number);
  write_field(".id = " + string_literal(declaration.repository_id));
  write_field(".name = " + string_literal(declaration.name));
  if (!text.content.empty()) write_field(".content = &" + text.content);
  if (!text.members.empty()) write_field(".members = " + members);
  writer.write("};");
}

}  // namespace perigee::idlc::cpp11
