// The format: the number of definitions, then for each of them its kind, container, name and
// repository id, then the details of each. The details of unions and constants come last, because a
// reader needs complete types for labels and values. Numbers have seven bits in each octet, the
// lowest first. Texts have their length in front. Types refer to definitions by their positions.
#include "idlc/backends/cpp11/embedded.h"

#include <array>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

namespace perigee::idlc::cpp11 {

namespace {

/// CORBA::DefinitionKind and CORBA::PrimitiveKind: CORBA 3.0, 10.5.1 and 10.5.7.
enum DefinitionKind : std::uint8_t {
  attribute_kind = 2,
  constant_kind = 3,
  exception_kind = 4,
  interface_kind = 5,
  module_kind = 6,
  operation_kind = 7,
  alias_kind = 9,
  struct_kind = 10,
  union_kind = 11,
  enum_kind = 12,
  value_kind = 20,
  value_box_kind = 21,
  value_member_kind = 22,
  native_kind = 23,
  abstract_interface_kind = 24,
  local_interface_kind = 25,
};

/// How a type is written.
enum TypeTag : std::uint8_t {
  primitive_tag,
  defined_tag,
  string_tag,
  wstring_tag,
  sequence_tag,
  array_tag,
  fixed_tag,
};

/// How the value of a constant or a label is written.
enum ValueTag : std::uint8_t { default_tag, integer_tag, real_tag, text_tag, enumerator_tag };

/// The number of the primitive type, or 0.
std::uint64_t primitive_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::void_type:
      return 1;
    case TypeKind::int16:
      return 2;
    case TypeKind::int32:
      return 3;
    case TypeKind::uint16:
      return 4;
    case TypeKind::uint32:
      return 5;
    case TypeKind::float32:
      return 6;
    case TypeKind::float64:
      return 7;
    case TypeKind::boolean:
      return 8;
    case TypeKind::char8:
      return 9;
    case TypeKind::octet:
    case TypeKind::uint8:
      return 10;
    case TypeKind::any:
      return 11;
    case TypeKind::type_code:
      return 12;
    case TypeKind::string:
      return type.bound == 0 ? 14 : 0;
    case TypeKind::object:
      return 15;
    case TypeKind::int64:
      return 16;
    case TypeKind::uint64:
      return 17;
    case TypeKind::float128:
      return 18;
    case TypeKind::wchar:
      return 19;
    case TypeKind::wstring:
      return type.bound == 0 ? 20 : 0;
    case TypeKind::value_base:
      return 21;
    default:
      return 0;
  }
}

DefinitionKind kind_of(const Declaration& declaration) {
  switch (declaration.kind) {
    case DeclarationKind::module:
      return module_kind;
    case DeclarationKind::interface: {
      const auto& interface = *as<Interface>(&declaration);
      return interface.is_local      ? local_interface_kind
             : interface.is_abstract ? abstract_interface_kind
                                     : interface_kind;
    }
    case DeclarationKind::operation:
      return operation_kind;
    case DeclarationKind::attribute:
      return attribute_kind;
    case DeclarationKind::exception:
      return exception_kind;
    case DeclarationKind::structure:
      return struct_kind;
    case DeclarationKind::union_type:
      return union_kind;
    case DeclarationKind::enumeration:
      return enum_kind;
    case DeclarationKind::type_definition:
      return alias_kind;
    case DeclarationKind::constant:
      return constant_kind;
    case DeclarationKind::native:
      return native_kind;
    case DeclarationKind::value_type:
      return value_kind;
    case DeclarationKind::value_box:
      return value_box_kind;
    default:
      throw NotDescribed(declaration.location,
                         "an Interface Repository cannot describe this type of IDL 4; leave out "
                         "--repository, or the type");
  }
}

/// Whether the format can describe the value of the constant. Other constants are left out.
bool is_describable(const Constant& constant) {
  const TypeKind kind = unaliased(*constant.type).kind;
  return kind != TypeKind::fixed && kind != TypeKind::wstring && kind != TypeKind::float128;
}

const Declaration& defined(const Declaration& declaration) {
  const auto* const forward = as<Forward>(&declaration);
  return forward == nullptr || forward->declared == nullptr ? declaration : *forward->declared;
}

/// The repository id of a definition inside another one: "IDL:Stock/Quoter/get:1.0".
std::string usual_id(const std::string& container, std::string_view name) {
  if (container.empty()) return "IDL:" + std::string(name) + ":1.0";
  const std::size_t colon = container.rfind(':');
  if (!container.starts_with("IDL:") || colon <= 3) return container + '/' + std::string(name);
  return container.substr(0, colon) + '/' + std::string(name) + container.substr(colon);
}

class Octets {
 public:
  void number(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) octets_.push_back(static_cast<std::uint8_t>(value | 0x80));
    octets_.push_back(static_cast<std::uint8_t>(value));
  }
  void text(std::string_view value) {
    number(value.size());
    octets_.insert(octets_.end(), value.begin(), value.end());
  }
  void append(const Octets& other) {
    octets_.insert(octets_.end(), other.octets_.begin(), other.octets_.end());
  }
  std::vector<std::uint8_t> take() { return std::move(octets_); }

 private:
  std::vector<std::uint8_t> octets_;
};

class Embedding {
 public:
  std::vector<std::uint8_t> make(const Model& model) {
    add_all(model.definitions);
    // Details may refer to types of <orb.idl>, which are added then.
    Octets with_values;
    Octets without_values;
    for (std::size_t index = 0; index < entries_.size(); ++index) {
      details_ = {};
      write_details(entries_[index]);
      (has_values(entries_[index]) ? with_values : without_values).append(details_);
    }
    Octets result;
    result.number(entries_.size());
    result.append(heads_);
    result.append(without_values);
    result.append(with_values);
    return result.take();
  }

 private:
  /// A declaration, or a state member of a valuetype.
  struct Entry {
    const Declaration* declaration = nullptr;
    const StateMember* state = nullptr;
  };

  /// Whether the details have labels or the value of a constant.
  static bool has_values(const Entry& entry) {
    return entry.state == nullptr &&
           (as<Union>(entry.declaration) != nullptr || as<Constant>(entry.declaration) != nullptr);
  }

  void add_all(const Declarations& declarations) {
    for (const Declaration* const each : declarations) {
      const SourceFile* const file = each->location.file;
      const bool is_builtin = file != nullptr && file->is_builtin;
      const auto* const constant = as<Constant>(each);
      if (is_builtin || each->kind == DeclarationKind::enumerator ||
          each->kind == DeclarationKind::factory ||
          (constant != nullptr && !is_describable(*constant)))
        continue;
      const Declaration& declaration = defined(*each);
      static_cast<void>(index_of(declaration));
      if (const auto* const module = as<Module>(each)) add_all(module->contents);
    }
  }

  /// The position of the definition, from 1 on. Adds the definition if it has none.
  std::size_t index_of(const Declaration& named) {
    const Declaration& declaration = defined(named);
    if (const auto found = indices_.find(declaration.repository_id);
        found != indices_.end() && is_type_or_scope(declaration))
      return found->second;
    const std::size_t container = declaration.parent == nullptr ? 0 : index_of(*declaration.parent);
    // The container may have added it.
    if (const auto found = indices_.find(declaration.repository_id);
        found != indices_.end() && is_type_or_scope(declaration))
      return found->second;
    const std::size_t index = add({&declaration, nullptr}, kind_of(declaration), container,
                                  declaration.name, declaration.repository_id);
    if (is_type_or_scope(declaration)) indices_.emplace(declaration.repository_id, index);
    add_contents(declaration, index);
    return index;
  }

  /// Details never refer to operations and attributes.
  static bool is_type_or_scope(const Declaration& declaration) {
    return declaration.kind != DeclarationKind::operation &&
           declaration.kind != DeclarationKind::attribute;
  }

  void add_contents(const Declaration& declaration, std::size_t index) {
    if (const auto* const interface = as<Interface>(&declaration)) add_all(interface->contents);
    const auto* const value = as<ValueType>(&declaration);
    if (value == nullptr) return;
    for (const StateMember& member : value->state)
      static_cast<void>(add({value, &member}, value_member_kind, index, member.member.name, ""));
    add_all(value->contents);
  }

  std::size_t add(Entry entry, DefinitionKind kind, std::size_t container, std::string_view name,
                  std::string_view id) {
    entries_.push_back(entry);
    heads_.number(kind);
    heads_.number(container);
    heads_.text(name);
    const std::string usual = usual_id(container == 0 ? "" : ids_[container - 1], name);
    heads_.text(id == usual ? "" : id);
    ids_.emplace_back(id.empty() ? usual : std::string(id));
    return entries_.size();
  }

  /// Takes a copy of the entry, because writing a type may add entries.
  void write_details(Entry entry) {
    if (entry.state != nullptr) {
      write_type(*entry.state->member.type, entry.state->member.location);
      return details_.number(entry.state->access == Access::public_state ? 1 : 0);
    }
    const Declaration& declaration = *entry.declaration;
    if (const auto* const structure = as<Struct>(&declaration))
      write_members(all_members(*structure));
    else if (const auto* const exception = as<Exception>(&declaration))
      write_members(exception->members);
    else if (const auto* const choice = as<Union>(&declaration))
      write_union(*choice);
    else if (const auto* const enumeration = as<Enum>(&declaration))
      write_enum(*enumeration);
    else if (const auto* const alias = as<Typedef>(&declaration))
      write_type(*alias->type, declaration.location);
    else if (const auto* const box = as<ValueBox>(&declaration))
      write_type(*box->type, declaration.location);
    else if (const auto* const constant = as<Constant>(&declaration))
      write_constant(*constant);
    else if (const auto* const interface = as<Interface>(&declaration))
      write_interface(*interface);
    else if (const auto* const value = as<ValueType>(&declaration))
      write_value_type(*value);
    else if (const auto* const attribute = as<Attribute>(&declaration))
      write_attribute(*attribute);
    else if (const auto* const operation = as<Operation>(&declaration))
      write_operation(*operation);
  }

  static std::vector<Member> all_members(const Struct& structure) {
    std::vector<Member> members;
    if (structure.base != nullptr) members = all_members(*structure.base);
    members.insert(members.end(), structure.members.begin(), structure.members.end());
    return members;
  }

  void write_members(const std::vector<Member>& members) {
    details_.number(members.size());
    for (const Member& member : members) {
      details_.text(member.name);
      write_type(*member.type, member.location);
    }
  }

  void write_union(const Union& choice) {
    write_type(*choice.discriminator, choice.location);
    std::size_t count = 0;
    for (const UnionBranch& branch : choice.branches)
      count += branch.labels.size() + (branch.is_default ? 1 : 0);
    details_.number(count);
    for (const UnionBranch& branch : choice.branches) {
      for (const Value& label : branch.labels) write_branch(branch.member, &label);
      if (branch.is_default) write_branch(branch.member, nullptr);
    }
  }

  void write_branch(const Member& member, const Value* label) {
    details_.text(member.name);
    write_type(*member.type, member.location);
    if (label == nullptr)
      details_.number(default_tag);
    else
      write_value(*label, member.location);
  }

  void write_enum(const Enum& enumeration) {
    details_.number(enumeration.enumerators.size());
    for (const Enumerator* const each : enumeration.enumerators) details_.text(each->name);
  }

  void write_constant(const Constant& constant) {
    write_type(*constant.type, constant.location);
    write_value(constant.value, constant.location);
  }

  template <typename T>
  void write_references(const std::vector<const T*>& declarations) {
    details_.number(declarations.size());
    for (const T* const each : declarations) details_.number(index_of(*each));
  }

  void write_interface(const Interface& interface) {
    details_.number(interface.is_defined ? 1 : 0);
    write_references(interface.bases);
  }

  void write_value_type(const ValueType& value) {
    details_.number(value.is_defined ? 1 : 0);
    details_.number((value.is_abstract ? 1u : 0u) | (value.is_custom ? 2u : 0u) |
                    (value.is_truncatable ? 4u : 0u));
    std::vector<const ValueType*> abstract_bases;
    std::size_t base = 0;
    for (const ValueType* const each : value.bases)
      if (each->is_abstract)
        abstract_bases.push_back(each);
      else
        base = index_of(*each);
    details_.number(base);
    write_references(abstract_bases);
    write_references(value.supports);
    std::vector<const Factory*> factories;
    for (const Declaration* const each : value.contents)
      if (const auto* const factory = as<Factory>(each)) factories.push_back(factory);
    details_.number(factories.size());
    for (const Factory* const factory : factories) {
      details_.text(factory->name);
      write_parameters(factory->parameters);
      write_references(factory->raises);
    }
  }

  void write_parameters(const std::vector<Parameter>& parameters) {
    details_.number(parameters.size());
    for (const Parameter& parameter : parameters) {
      details_.text(parameter.name);
      write_type(*parameter.type, parameter.location);
      details_.number(parameter.direction == Direction::in    ? 0
                      : parameter.direction == Direction::out ? 1
                                                              : 2);
    }
  }

  void write_attribute(const Attribute& attribute) {
    write_type(*attribute.type, attribute.location);
    details_.number(attribute.is_readonly ? 1 : 0);
    write_references(attribute.get_raises);
    write_references(attribute.set_raises);
  }

  void write_operation(const Operation& operation) {
    write_type(*operation.return_type, operation.location);
    details_.number(operation.is_oneway ? 1 : 0);
    write_parameters(operation.parameters);
    write_references(operation.raises);
    details_.number(operation.contexts.size());
    for (const std::string& each : operation.contexts) details_.text(each);
  }

  void write_type(const Type& type, Location location) {
    if (const std::uint64_t primitive = primitive_of(type); primitive != 0) {
      details_.number(primitive_tag);
      return details_.number(primitive);
    }
    if (type.declaration != nullptr) {
      details_.number(defined_tag);
      return details_.number(index_of(*type.declaration));
    }
    write_template(type, location);
  }

  void write_template(const Type& type, Location location) {
    switch (type.kind) {
      case TypeKind::string:
      case TypeKind::wstring:
        details_.number(type.kind == TypeKind::string ? string_tag : wstring_tag);
        return details_.number(type.bound);
      case TypeKind::fixed:
        details_.number(fixed_tag);
        details_.number(type.digits);
        return details_.number(type.scale);
      case TypeKind::sequence:
        details_.number(sequence_tag);
        details_.number(type.bound);
        return write_type(*type.element, location);
      case TypeKind::array:
        for (const std::uint64_t length : type.dimensions) {
          details_.number(array_tag);
          details_.number(length);
        }
        return write_type(*type.element, location);
      default:
        throw NotDescribed(location,
                           "an Interface Repository cannot describe this type of IDL 4 (int8, map, "
                           "optional); leave out --repository, or the type");
    }
  }

  void write_integer(std::uint64_t value) {
    details_.number(integer_tag);
    details_.number(value);
  }

  void write_value(const Value& value, Location location) {
    if (const auto* const truth = std::get_if<bool>(&value)) return write_integer(*truth ? 1 : 0);
    if (const auto* const letter = std::get_if<char>(&value))
      return write_integer(static_cast<unsigned char>(*letter));
    if (const auto* const wide = std::get_if<char32_t>(&value)) return write_integer(*wide);
    if (const auto* const number = std::get_if<std::int64_t>(&value))
      return write_integer(static_cast<std::uint64_t>(*number));
    if (const auto* const number = std::get_if<std::uint64_t>(&value))
      return write_integer(*number);
    if (const auto* const real = std::get_if<long double>(&value)) {
      details_.number(real_tag);
      std::array<char, 64> text{};  // hexadecimal: exact
      const int size = std::snprintf(text.data(), text.size(), "%a", static_cast<double>(*real));
      return details_.text({text.data(), static_cast<std::size_t>(size)});
    }
    if (const auto* const text = std::get_if<std::string>(&value)) {
      details_.number(text_tag);
      return details_.text(*text);
    }
    if (const auto* const enumerator = std::get_if<const Enumerator*>(&value)) {
      details_.number(enumerator_tag);
      return details_.number((*enumerator)->ordinal);
    }
    throw NotDescribed(location, "an Interface Repository cannot describe this value");
  }

  std::vector<Entry> entries_;
  std::vector<std::string> ids_;                // of the entries
  std::map<std::string, std::size_t> indices_;  // by repository id
  Octets heads_;
  Octets details_;  // of the present entry
};

}  // namespace

std::vector<std::uint8_t> embedded_octets(const Model& model) { return Embedding().make(model); }

}  // namespace perigee::idlc::cpp11
