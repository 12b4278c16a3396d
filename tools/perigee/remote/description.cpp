// Reads definitions from an Interface Repository. Follows each repository id once, so cycles end.
#include "remote/description.h"

#include <perigee/base/printable.h>
#include <perigee/orb/exceptions.h>
#include <perigee/repository/InterfaceRepositoryA.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace perigee::tool {

namespace {

using cdr::TypeNode;
using Kind = cdr::TypeKind;

bool is_letter(char octet) {
  return (octet >= 'a' && octet <= 'z') || (octet >= 'A' && octet <= 'Z');
}

bool is_digit(char octet) { return octet >= '0' && octet <= '9'; }

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char octet) {
    return octet >= 'A' && octet <= 'Z' ? static_cast<char>(octet - 'A' + 'a') : octet;
  });
  return text;
}

/// "::Bank::Account" of "IDL:Bank/Account:1.0". A prefix that is not an identifier is left out.
/// Empty if the id does not end with the name.
std::string name_in(std::string_view id, std::string_view name) {
  const std::size_t end = id.rfind(':');
  if (!id.starts_with("IDL:") || end <= 4) return {};
  std::string_view path = id.substr(4, end - 4);
  std::string scoped;
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view part = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!is_identifier(part)) break;
    if (scoped.empty() && part != name) return {};
    scoped.insert(0, "::" + std::string(part));
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  return scoped;
}

bool is_scoped_name(const std::string& name) {
  const auto parts = parts_of(name);
  return name.starts_with("::") && !parts.empty() && std::ranges::all_of(parts, is_identifier);
}

CORBA::ExtAttrDescriptionSeq extended(const CORBA::AttrDescriptionSeq& attributes) {
  CORBA::ExtAttrDescriptionSeq result;
  for (const auto& each : attributes)
    result.emplace_back(each.name(), each.id(), each.defined_in(), each.version(), each.type(),
                        each.mode(), CORBA::ExcDescriptionSeq(), CORBA::ExcDescriptionSeq());
  return result;
}

/// The kinds whose TypeCodes have a repository id.
bool is_named(Kind kind) {
  switch (kind) {
    case Kind::tk_objref:
    case Kind::tk_local_interface:
    case Kind::tk_abstract_interface:
    case Kind::tk_struct:
    case Kind::tk_union:
    case Kind::tk_enum:
    case Kind::tk_alias:
    case Kind::tk_except:
    case Kind::tk_value:
    case Kind::tk_value_box:
    case Kind::tk_native:
      return true;
    default:
      return false;
  }
}

/// The types that each IDL file knows.
bool is_predefined(const TypeNode& node) {
  return (node.kind == Kind::tk_objref && (node.id.empty() || node.id == cdr::object_node.id)) ||
         (node.kind == Kind::tk_value && node.id == cdr::value_base_node.id) ||
         (node.kind == Kind::tk_abstract_interface && node.id == cdr::abstract_base_node.id);
}

bool is_value(const TypeNode& node) { return node.kind == Kind::tk_value; }

}  // namespace

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, [](char octet) {
    return is_letter(octet) || is_digit(octet) || octet == '_';
  });
}

bool is_interface(const TypeNode& node) {
  return node.kind == Kind::tk_objref || node.kind == Kind::tk_local_interface ||
         node.kind == Kind::tk_abstract_interface;
}

std::vector<std::string> parts_of(std::string_view scoped_name) {
  std::vector<std::string> parts;
  if (scoped_name.starts_with("::")) scoped_name.remove_prefix(2);
  while (true) {
    const std::size_t end = scoped_name.find("::");
    parts.emplace_back(scoped_name.substr(0, end));
    if (end == std::string_view::npos) return parts;
    scoped_name.remove_prefix(end + 2);
  }
}

Description::Description(const InterfaceSource& source, Contents contents,
                         const DescriptionLimits& limits)
    : source_(source), contents_(contents), limits_(limits) {
  main_id_ = add_interface(source_.interface);
  describe_pending();
}

const Described* Description::find(std::string_view id) const {
  const auto found = definitions_.find(id);
  return found == definitions_.end() ? nullptr : &found->second;
}

void Description::check_time() const {
  if (limits_.time_max.count() != 0 && std::chrono::steady_clock::now() - start_ > limits_.time_max)
    throw DescriptionError("reading the Interface Repository took longer than " +
                           std::to_string(limits_.time_max.count()) +
                           " ms; raise the limit with --timeout, or give the IDL with --idl");
}

void Description::throw_too_many() const {
  throw DescriptionError(
      "the interface uses more than " + std::to_string(limits_.definitions_max) +
      " definitions of the Interface Repository; give the IDL with --idl instead");
}

void Description::count(const MemberSize& size) {
  size_.members += size.members;
  size_.octets += size.octets;
  if (size_.members > limits_.members_max)
    throw DescriptionError("the definitions of the Interface Repository have more than " +
                           std::to_string(limits_.members_max) +
                           " members; give the IDL with --idl instead");
  if (size_.octets > limits_.octets_max)
    throw DescriptionError("the definitions of the Interface Repository have more than " +
                           std::to_string(limits_.octets_max) +
                           " octets of names, types and values; give the IDL with --idl instead");
}

Description::Ref Description::look_up(const std::string& id) {
  if (source_.repository == nullptr) return nullptr;
  check_time();
  return source_.repository->lookup_id(id);
}

std::string Description::add_interface(
    const CORBA::object_reference<CORBA::InterfaceDef>& interface) {
  check_time();
  DescribedMembers members;
  std::string id;
  TypeCodeRef type;
  if (auto extension = IDL::traits<CORBA::InterfaceAttrExtension>::narrow(interface)) {
    auto described = extension->describe_ext_interface();
    id = described.id(), type = described.type();
    members.operations = std::move(described.operations());
    members.attributes = std::move(described.attributes());
    members.bases = std::move(described.base_interfaces());
  } else {
    auto described = interface->describe_interface();
    id = described.id(), type = described.type();
    members.operations = std::move(described.operations());
    members.attributes = extended(described.attributes());
    members.bases = std::move(described.base_interfaces());
  }
  if (type == nullptr || !is_interface(*type->_node()) || type->_node()->id != id)
    throw DescriptionError("the Interface Repository describes " + printable(id) +
                           " by a TypeCode of another type");
  owned_.push_back(type);
  count(size_of(members));
  if (contents_ == Contents::of_all)
    read_contents(*interface, members);
  else
    members.bases.clear();  // the operations include the inherited ones
  const auto known = definitions_.find(id);
  Described& described = known != definitions_.end() ? known->second : declare(*type->_node());
  described.members = std::move(members);
  add_types_of(*described.members);
  return id;
}

// Does not call describe_contents, because that of JacORB fails.
void Description::read_contents(CORBA::Container& container, DescribedMembers& members) {
  using CORBA::DefinitionKind;
  for (const auto kind :
       {DefinitionKind::dk_Constant, DefinitionKind::dk_Typedef, DefinitionKind::dk_Exception}) {
    check_time();
    const auto contents = container.contents(kind, true);
    if (contents.size() > limits_.definitions_max) throw_too_many();
    for (const auto& each : contents) {
      if (each == nullptr) continue;
      count({.members = 1});
      check_time();
      const CORBA::Any described = each->describe().value();
      CORBA::ConstantDescription constant;
      CORBA::TypeDescription type;
      CORBA::ExceptionDescription exception;
      if (kind == DefinitionKind::dk_Constant && (described >>= constant))
        add_constant({constant.name(), constant.type(), constant.value()}, members);
      else if (kind == DefinitionKind::dk_Typedef && (described >>= type))
        add(type.type());
      else if (kind == DefinitionKind::dk_Exception && (described >>= exception))
        add(exception.type());
    }
  }
}

void Description::add_constant(DescribedConstant constant, DescribedMembers& members) {
  const auto type = constant.value.type();
  if (type == nullptr || constant.type == nullptr || !type->equivalent(constant.type))
    throw DescriptionError("the Interface Repository has the constant \"" +
                           printable(constant.name) + "\" with a value of another type");
  count(size_of(constant));
  members.constants.push_back(std::move(constant));
}

void Description::read_value(const std::string& id) {
  const Ref found = look_up(id);
  const auto value = IDL::traits<CORBA::ValueDef>::narrow(found);
  if (value == nullptr) return;  // the TypeCode has the state members
  DescribedMembers members;
  if (auto extended_value = IDL::traits<CORBA::ExtValueDef>::narrow(value)) {
    auto described = extended_value->describe_ext_value();
    members.operations = std::move(described.operations());
    members.attributes = std::move(described.attributes());
    members.initializers = std::move(described.initializers());
    members.bases = std::move(described.abstract_base_values());
    members.supported = std::move(described.supported_interfaces());
  } else {
    auto described = value->describe_value();
    members.operations = std::move(described.operations());
    members.attributes = extended(described.attributes());
    for (const auto& each : described.initializers())
      members.initializers.emplace_back(each.members(), CORBA::ExcDescriptionSeq(), each.name());
    members.bases = std::move(described.abstract_base_values());
    members.supported = std::move(described.supported_interfaces());
  }
  count(size_of(members));
  read_contents(*value, members);
  Described& described = definitions_.at(id);
  described.members = std::move(members);
  add_types_of(*described.members);
}

void Description::add_types_of(const DescribedMembers& members) {
  const auto add_exceptions = [this](const CORBA::ExcDescriptionSeq& exceptions) {
    for (const auto& each : exceptions) add(each.type());
  };
  for (const auto& operation : members.operations) {
    add(operation.result());
    for (const auto& parameter : operation.parameters()) add(parameter.type());
    add_exceptions(operation.exceptions());
  }
  for (const auto& attribute : members.attributes) {
    add(attribute.type());
    add_exceptions(attribute.get_exceptions());
    add_exceptions(attribute.put_exceptions());
  }
  for (const DescribedConstant& constant : members.constants) add(constant.type);
  for (const auto& initializer : members.initializers) {
    for (const auto& parameter : initializer.members()) add(parameter.type());
    add_exceptions(initializer.exceptions());
  }
  for (const auto* const ids : {&members.bases, &members.supported})
    for (const std::string& id : *ids)
      if (const Ref found = look_up(id))
        if (const auto type = IDL::traits<CORBA::IDLType>::narrow(found)) add(type->type());
}

void Description::add(const TypeCodeRef& type) {
  if (type == nullptr) throw DescriptionError("the Interface Repository sent a nil TypeCode");
  count(size_of(type));
  owned_.push_back(type);
  add_node(*type->_node(), 0);
}

void Description::add_node(const TypeNode& node, std::size_t depth) {
  if (depth > limits_.types_depth_max)
    throw DescriptionError("the Interface Repository has types that are nested more than " +
                           std::to_string(limits_.types_depth_max) + " levels deep");
  if (is_predefined(node)) return;
  if (is_named(node.kind)) {
    if (definitions_.contains(node.id)) return;
    declare(node);
    if (contents_ == Contents::of_all && (is_interface(node) || is_value(node)))
      pending_.emplace_back(node.id);
  }
  add_inner(node, depth + 1);
}

void Description::add_inner(const TypeNode& node, std::size_t depth) {
  if (node.content != nullptr) add_node(*node.content, depth);
  if (node.key != nullptr) add_node(*node.key, depth);
  for (const cdr::TypeMember& member : node.members)
    if (member.type != nullptr) add_node(*member.type, depth);
}

Described& Description::declare(const TypeNode& node) {
  for (const std::string_view text : {node.id, node.name})
    if (text.empty() || text.size() > limits_.text_size_max)
      throw DescriptionError("a type of the Interface Repository has a name or a repository id " +
                             std::string(text.empty() ? "without text" : "that is too long"));
  if (order_.size() == limits_.definitions_max) throw_too_many();
  std::string id(node.id);
  order_.push_back(id);
  std::string name = unique(scoped_name_of(node.id, node.name));
  return definitions_.emplace(id, Described{id, std::move(name), &node, {}}).first->second;
}

std::string Description::scoped_name_of(std::string_view id, std::string_view name) {
  std::string scoped;
  if (contents_ == Contents::of_all) scoped = asked_name_of(std::string(id));
  if (scoped.empty()) scoped = name_in(id, name);
  if (!scoped.empty()) return scoped;
  if (!is_identifier(name))
    throw DescriptionError("the Interface Repository has a definition with the name \"" +
                           printable(name) + "\", which is not an identifier of IDL");
  return "::" + std::string(name);
}

/// Empty if the repository does not know the id.
std::string Description::asked_name_of(const std::string& id) {
  const Ref found = look_up(id);
  if (found == nullptr) return {};
  std::string scoped = found->absolute_name();
  if (scoped.size() > limits_.text_size_max || !is_scoped_name(scoped)) return {};
  const bool is_nested = parts_of(scoped).size() > 1;
  const auto outer = is_nested ? found->defined_in() : nullptr;
  if (outer == nullptr) return scoped;
  const auto kind = outer->def_kind();
  const bool has_types = kind == CORBA::DefinitionKind::dk_Interface ||
                         kind == CORBA::DefinitionKind::dk_Value ||
                         kind == CORBA::DefinitionKind::dk_AbstractInterface ||
                         kind == CORBA::DefinitionKind::dk_LocalInterface;
  if (!has_types) return scoped;
  // A type inside an interface: the interface must be in the text, too.
  if (const auto type = IDL::traits<CORBA::IDLType>::narrow(outer)) add(type->type());
  return scoped;
}

std::string Description::unique(const std::string& name) {
  std::string chosen = name;
  for (int number = 2; !names_.insert(lower(chosen)).second; ++number)
    chosen = name + '_' + std::to_string(number);
  return chosen;
}

bool Description::has_name(const std::string& scoped_name) const {
  return names_.contains(lower(scoped_name));
}

void Description::describe_pending() {
  while (!pending_.empty()) {
    const std::string id = pending_.back();
    pending_.pop_back();
    const Described& described = definitions_.at(id);
    if (described.members) continue;
    if (is_value(*described.node)) {
      read_value(id);
      continue;
    }
    const Ref found = look_up(id);
    if (const auto interface = IDL::traits<CORBA::InterfaceDef>::narrow(found))
      add_interface(interface);
  }
}

}  // namespace perigee::tool
