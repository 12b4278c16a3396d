// Writes the bodies of interfaces, valuetypes and other types: CORBA 3.0, 3.8 and 3.9.
#include "remote/idl_members.h"

#include <perigee/base/printable.h>

#include <algorithm>

namespace perigee::tool {

namespace {

using cdr::TypeNode;
using Kind = cdr::TypeKind;

void append(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : ", ") + item;
}

const char* word_of(CORBA::ParameterMode mode) {
  return mode == CORBA::ParameterMode::PARAM_IN    ? "in "
         : mode == CORBA::ParameterMode::PARAM_OUT ? "out "
                                                   : "inout ";
}

}  // namespace

std::string IdlMembers::introducer(const TypeNode& node) {
  switch (node.kind) {
    case Kind::tk_local_interface:
      return "local interface";
    case Kind::tk_abstract_interface:
      return "abstract interface";
    case Kind::tk_value:
      return node.scale == CORBA::VM_ABSTRACT ? "abstract valuetype" : "valuetype";
    case Kind::tk_struct:
      return "struct";
    case Kind::tk_union:
      return "union";
    default:
      return "interface";
  }
}

std::string IdlMembers::type_of(const CORBA::object_reference<CORBA::TypeCode>& type) {
  const auto found = typedefs_.find(type->_node());
  return found == typedefs_.end() ? types_.type(*type->_node()) : "::" + found->second;
}

void IdlMembers::name_template(const TypeNode& type, IdlOutput& output) {
  const bool needs_name =
      type.kind == Kind::tk_sequence || type.kind == Kind::tk_array || type.kind == Kind::tk_fixed;
  if (!needs_name || typedefs_.contains(&type)) return;
  std::string name;
  do name = "Unnamed_" + std::to_string(++unnamed_count_);
  while (description_.has_name("::" + name));
  output.enter({}, output.prefix());
  output.line("typedef " + types_.declarator(type, name) + ';');
  typedefs_.emplace(&type, std::move(name));
}

// Bases without a description have no text; their operations are written in the derived interface.
std::vector<std::string> IdlMembers::described_bases(const Described& described) const {
  std::vector<std::string> bases;
  if (!described.members) return bases;
  for (const auto* const ids : {&described.members->bases, &described.members->supported})
    for (const std::string& id : *ids) {
      const Described* const base = description_.find(id);
      if (base != nullptr && base->members && base != &described) bases.push_back(id);
    }
  return bases;
}

std::set<std::string> IdlMembers::ancestors(const Described& described) const {
  std::set<std::string> found;
  std::vector<const Described*> open{&described};
  while (!open.empty()) {
    const Described* const next = open.back();
    open.pop_back();
    for (const std::string& id : described_bases(*next))
      if (found.insert(id).second) open.push_back(description_.find(id));
    if (next->node->kind == Kind::tk_value && next->node->content != nullptr)
      if (const Described* const base = description_.find(next->node->content->id);
          base != nullptr && found.insert(base->id).second)
        open.push_back(base);
  }
  return found;
}

std::vector<std::string> IdlMembers::inherited(const Described& described) const {
  std::vector<std::string> ids = described_bases(described);
  const TypeNode* const base = described.node->content;
  if (described.node->kind == Kind::tk_value && base != nullptr && description_.find(base->id))
    ids.emplace_back(base->id);
  return ids;
}

std::string IdlMembers::heritage(const Described& described) const {
  std::string bases;
  std::string supported;
  const TypeNode& node = *described.node;
  if (node.kind == Kind::tk_value && node.content != nullptr && description_.find(node.content->id))
    bases = (node.scale == CORBA::VM_TRUNCATABLE ? "truncatable " : "") +
            scoped(std::string(node.content->id));
  for (const std::string& id : described_bases(described)) {
    const bool is_supported =
        node.kind == Kind::tk_value && is_interface(*description_.find(id)->node);
    append(is_supported ? supported : bases, scoped(id));
  }
  return (bases.empty() ? "" : " : " + bases) + (supported.empty() ? "" : " supports " + supported);
}

void IdlMembers::for_each_type(const Described& described,
                               const std::function<void(const TypeNode&)>& use) const {
  if (!described.members) return;
  const auto use_exceptions = [&](const CORBA::ExcDescriptionSeq& exceptions) {
    for (const auto& each : exceptions) use(*each.type()->_node());
  };
  for (const auto& operation : described.members->operations) {
    use(*operation.result()->_node());
    for (const auto& parameter : operation.parameters()) use(*parameter.type()->_node());
    use_exceptions(operation.exceptions());
  }
  for (const auto& attribute : described.members->attributes) {
    use(*attribute.type()->_node());
    use_exceptions(attribute.get_exceptions());
    use_exceptions(attribute.put_exceptions());
  }
  for (const DescribedConstant& constant : described.members->constants)
    use(*constant.type->_node());
  for (const auto& initializer : described.members->initializers) {
    for (const auto& parameter : initializer.members()) use(*parameter.type()->_node());
    use_exceptions(initializer.exceptions());
  }
}

void IdlMembers::write_members(const TypeNode& node, IdlOutput& output) {
  for (const cdr::TypeMember& member : node.members)
    output.line(types_.declarator(*member.type, member.name) + ';');
}

void IdlMembers::write_union(const TypeNode& node, const std::string& name, IdlOutput& output) {
  output.begin("union " + escaped(name) + " switch (" + types_.type(*node.content) + ") {");
  for (std::size_t index = 0; index < node.members.size(); ++index) {
    const cdr::TypeMember& member = node.members[index];
    const bool is_default = node.default_index == static_cast<std::int32_t>(index);
    output.line(is_default ? "default:"
                           : "case " + types_.label(*node.content, member.label) + ':');
    // A member with several labels is there once for each of them.
    const bool continues =
        index + 1 < node.members.size() && node.members[index + 1].name == member.name;
    if (!continues) output.line("  " + types_.declarator(*member.type, member.name) + ';');
  }
  output.end("};");
}

void IdlMembers::write_enum(const TypeNode& node, const std::string& name, IdlOutput& output) {
  std::string names;
  for (const cdr::TypeMember& member : node.members) append(names, escaped_enumerator(member.name));
  output.line("enum " + escaped(name) + " { " + names + " };");
}

void IdlMembers::write_type(const TypeNode& node, const std::string& name, IdlOutput& output) {
  switch (node.kind) {
    case Kind::tk_alias:
      return output.line("typedef " + types_.declarator(*node.content, name) + ';');
    case Kind::tk_enum:
      return write_enum(node, name, output);
    case Kind::tk_union:
      return write_union(node, name, output);
    case Kind::tk_value_box:
      return output.line("valuetype " + escaped(name) + ' ' + types_.type(*node.content) + ';');
    case Kind::tk_native:
      return output.line("native " + escaped(name) + ';');
    default:
      output.begin((node.kind == Kind::tk_except ? "exception " : "struct ") + escaped(name) +
                   " {");
      write_members(node, output);
      output.end("};");
  }
}

void IdlMembers::begin(const Described& described, IdlOutput& output) {
  const bool is_custom =
      described.node->kind == Kind::tk_value && described.node->scale == CORBA::VM_CUSTOM;
  output.begin((is_custom ? "custom " : "") + introducer(*described.node) + ' ' +
               escaped(places_.of(described.id).name) + heritage(described) + " {");
}

void IdlMembers::end(const Described& described, IdlOutput& output) {
  if (described.node->kind == Kind::tk_value) write_state(*described.node, output);
  if (described.members) {
    const auto known = ancestors(described);
    const bool is_value = described.node->kind == Kind::tk_value;
    // Values do not repeat the operations of the interfaces that they support.
    const auto is_own = [&](const std::string& owner) {
      return is_value ? owner == described.id : !known.contains(owner);
    };
    for (const DescribedConstant& each : described.members->constants)
      output.line("const " + type_of(each.type) + ' ' + escaped(each.name) + " = " +
                  types_.value(orb_, each.value) + ';');
    for (const auto& each : described.members->attributes)
      if (is_own(each.defined_in())) output.line(attribute(each));
    for (const auto& each : described.members->initializers) output.line(initializer(each));
    for (const auto& each : described.members->operations)
      if (is_own(each.defined_in())) output.line(operation(each));
  }
  output.end("};");
}

void IdlMembers::write_state(const TypeNode& node, IdlOutput& output) {
  for (const cdr::TypeMember& member : node.members)
    output.line((member.label == CORBA::PUBLIC_MEMBER ? "public " : "private ") +
                types_.declarator(*member.type, member.name) + ';');
}

std::string IdlMembers::raises(const char* word, const CORBA::ExcDescriptionSeq& exceptions) {
  std::string names;
  for (const auto& each : exceptions) append(names, types_.type(*each.type()->_node()));
  return names.empty() ? "" : std::string(" ") + word + " (" + names + ')';
}

std::string IdlMembers::operation(const CORBA::OperationDescription& operation) {
  std::string parameters;
  for (const auto& each : operation.parameters())
    append(parameters, word_of(each.mode()) + type_of(each.type()) + ' ' + escaped(each.name()));
  std::string contexts;
  for (const std::string& each : operation.contexts()) append(contexts, quoted(each));
  return (operation.mode() == CORBA::OperationMode::OP_ONEWAY ? "oneway " : "") +
         type_of(operation.result()) + ' ' + escaped(operation.name()) + '(' + parameters + ')' +
         raises("raises", operation.exceptions()) +
         (contexts.empty() ? "" : " context (" + contexts + ')') + ';';
}

std::string IdlMembers::attribute(const CORBA::ExtAttributeDescription& attribute) {
  const bool is_readonly = attribute.mode() == CORBA::AttributeMode::ATTR_READONLY;
  return (is_readonly ? "readonly attribute " : "attribute ") + type_of(attribute.type()) + ' ' +
         escaped(attribute.name()) +
         raises(is_readonly ? "raises" : "getraises", attribute.get_exceptions()) +
         (is_readonly ? "" : raises("setraises", attribute.put_exceptions())) + ';';
}

std::string IdlMembers::initializer(const CORBA::ExtInitializer& initializer) {
  std::string parameters;
  for (const auto& each : initializer.members())
    append(parameters, "in " + type_of(each.type()) + ' ' + escaped(each.name()));
  return "factory " + escaped(initializer.name()) + '(' + parameters + ')' +
         raises("raises", initializer.exceptions()) + ';';
}

}  // namespace perigee::tool
