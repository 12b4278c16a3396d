// Writes the model as text: one line for each node, with its parts indented below it.
#include "idlc/frontend/model.h"

namespace perigee::idlc {
namespace {

using Annotations = std::vector<Annotation>;

class Dump final {
 public:
  std::string run(const Model& model) {
    declarations(model.definitions);
    return std::move(out_);
  }

 private:
  void line(const std::string& text) {
    out_.append(2 * depth_, ' ');
    out_ += text;
    out_ += '\n';
  }

  void declarations(const Declarations& all) {
    for (const Declaration* each : all) declaration(*each);
  }

  void annotations(const Annotations& all) {
    for (const Annotation& annotation : all) {
      std::string text = "@" + annotation.name;
      for (const AnnotationParameter& parameter : annotation.parameters) {
        text += ' ' + (parameter.name.empty() ? "" : parameter.name + '=') + parameter.text;
        if (parameter.value.index() != 0) text += " -> " + to_text(parameter.value);
      }
      line(text);
    }
  }

  /// `kind name "id"`, marked if it is imported, then annotations. `rest` follows the name.
  void head(const Declaration& node, const std::string& prefix, const std::string& rest = "") {
    line(prefix + std::string(to_text(node.kind)) + ' ' + node.name + rest + " \"" +
         node.repository_id + '"' + (node.is_imported ? " imported" : ""));
    ++depth_;
    annotations(node.annotations);
    --depth_;
  }

  void member(const std::string& prefix, const Member& each) {
    line(prefix + to_text(*each.type) + ' ' + each.name);
    ++depth_;
    annotations(each.annotations);
    --depth_;
  }

  void exceptions(const std::string& word, const std::vector<const Exception*>& all) {
    for (const Exception* each : all) line(word + ' ' + each->scoped_name);
  }

  void parameters(const std::vector<Parameter>& all) {
    for (const Parameter& each : all) {
      const std::string direction = each.direction == Direction::in    ? "in "
                                    : each.direction == Direction::out ? "out "
                                                                       : "inout ";
      member(direction, {each.name, each.location, each.type, each.annotations});
    }
  }

  template <typename T>
  static std::string names(const std::string& intro, const std::vector<const T*>& all) {
    std::string out;
    for (const T* each : all) out += (out.empty() ? intro : ", ") + each->scoped_name;
    return out;
  }

  void declaration(const Declaration& node);
  void body(const Declaration& node);
  void interface(const Interface& node);
  void operation(const Operation& node);
  void attribute(const Attribute& node);
  void struct_or_exception(const Declaration& node, const Declarations& nested,
                           const std::vector<Member>& members, const std::string& rest);
  void union_type(const Union& node);
  void enumeration(const Enum& node);
  void value_type(const ValueType& node);
  void factory(const Factory& node);
  void bits(const Declaration& node);

  std::string out_;
  std::size_t depth_ = 0;
};

void Dump::interface(const Interface& node) {
  head(node,
       node.is_local      ? "local "
       : node.is_abstract ? "abstract "
                          : "",
       names(" : ", node.bases));
  ++depth_;
  declarations(node.contents);
  --depth_;
}

void Dump::operation(const Operation& node) {
  head(node, node.is_oneway ? "oneway " : "", " -> " + to_text(*node.return_type));
  ++depth_;
  parameters(node.parameters);
  exceptions("raises", node.raises);
  for (const std::string& name : node.contexts) line("context " + to_text(Value{name}));
  --depth_;
}

void Dump::attribute(const Attribute& node) {
  head(node, node.is_readonly ? "readonly " : "", " : " + to_text(*node.type));
  ++depth_;
  exceptions("getraises", node.get_raises);
  exceptions("setraises", node.set_raises);
  --depth_;
}

void Dump::struct_or_exception(const Declaration& node, const Declarations& nested,
                               const std::vector<Member>& members, const std::string& rest) {
  head(node, "", rest);
  ++depth_;
  declarations(nested);
  for (const Member& each : members) member("member ", each);
  --depth_;
}

void Dump::union_type(const Union& node) {
  head(node, "", " switch " + to_text(*node.discriminator));
  ++depth_;
  declarations(node.nested);
  for (const UnionBranch& branch : node.branches) {
    std::string labels;
    for (const Value& label : branch.labels) labels += "case " + to_text(label) + ": ";
    if (branch.is_default) labels += "default: ";
    member(labels, branch.member);
  }
  if (node.has_implicit_default) line("implicit default");
  --depth_;
}

void Dump::enumeration(const Enum& node) {
  head(node, "");
  ++depth_;
  for (const Enumerator* each : node.enumerators) {
    line(each->name + ' ' + std::to_string(each->ordinal) +
         (each->value != each->ordinal ? " value " + std::to_string(each->value) : ""));
    ++depth_;
    annotations(each->annotations);
    --depth_;
  }
  --depth_;
}

void Dump::value_type(const ValueType& node) {
  std::string bases = names(node.is_truncatable ? " : truncatable " : " : ", node.bases);
  head(node,
       node.is_custom     ? "custom "
       : node.is_abstract ? "abstract "
                          : "",
       bases + names(" supports ", node.supports));
  ++depth_;
  declarations(node.contents);
  for (const StateMember& state : node.state) {
    member(state.access == Access::public_state ? "public " : "private ", state.member);
  }
  --depth_;
}

void Dump::factory(const Factory& node) {
  head(node, "");
  ++depth_;
  parameters(node.parameters);
  exceptions("raises", node.raises);
  --depth_;
}

void Dump::bits(const Declaration& node) {
  if (const auto* mask = as<Bitmask>(&node)) {
    head(node, "", " " + std::to_string(mask->bit_bound));
    ++depth_;
    for (const BitFlag& flag : mask->flags) line(flag.name + ' ' + std::to_string(flag.position));
    --depth_;
  } else if (const auto* set = as<Bitset>(&node)) {
    head(node, "", set->base == nullptr ? "" : " : " + set->base->scoped_name);
    ++depth_;
    for (const BitField& field : set->fields) {
      line("bitfield " + std::to_string(field.size) + ' ' + to_text(*field.type) +
           (field.name.empty() ? "" : ' ' + field.name));
    }
    --depth_;
  }
}

void Dump::declaration(const Declaration& node) {
  if (const auto* module = as<Module>(&node)) {
    head(node, "", module->first_opening == module ? "" : " (again)");
    ++depth_;
    declarations(module->contents);
    --depth_;
  } else if (const auto* forward = as<Forward>(&node)) {
    head(node, "", " of " + std::string(to_text(forward->declared->kind)));
  } else if (const auto* constant = as<Constant>(&node)) {
    head(node, "",
         " : " + to_text(*constant->type) + " = " + to_text(constant->value, *constant->type));
  } else if (const auto* alias = as<Typedef>(&node)) {
    head(node, "", " : " + to_text(*alias->type));
  } else if (const auto* box = as<ValueBox>(&node)) {
    head(node, "", " : " + to_text(*box->type));
  } else {
    body(node);
  }
}

void Dump::body(const Declaration& node) {
  if (const auto* interface_node = as<Interface>(&node)) return interface(*interface_node);
  if (const auto* operation_node = as<Operation>(&node)) return operation(*operation_node);
  if (const auto* attribute_node = as<Attribute>(&node)) return attribute(*attribute_node);
  if (const auto* structure = as<Struct>(&node)) {
    const std::string base = structure->base == nullptr ? "" : " : " + structure->base->scoped_name;
    return struct_or_exception(node, structure->nested, structure->members, base);
  }
  if (const auto* exception = as<Exception>(&node)) {
    return struct_or_exception(node, exception->nested, exception->members, "");
  }
  if (const auto* union_node = as<Union>(&node)) return union_type(*union_node);
  if (const auto* enum_node = as<Enum>(&node)) return enumeration(*enum_node);
  if (const auto* value = as<ValueType>(&node)) return value_type(*value);
  if (const auto* factory_node = as<Factory>(&node)) return factory(*factory_node);
  if (node.kind == DeclarationKind::native) return head(node, "");
  bits(node);
}

}  // namespace

std::string dump_model(const Model& model) { return Dump().run(model); }

}  // namespace perigee::idlc
