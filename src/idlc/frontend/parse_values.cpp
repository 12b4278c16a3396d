// Parses valuetypes and boxed values. CORBA 3.0, 3.9.
#include "idlc/frontend/checks.h"
#include "idlc/frontend/forward.h"
#include "idlc/frontend/grammar.h"

#include <algorithm>

namespace perigee::idlc {
namespace {

struct Head {
  bool is_custom = false;
  bool is_abstract = false;
  Identifier identifier;
};

Declaration* parse_value_box(Context& context, const Head& head, Annotations annotations) {
  if (head.is_custom || head.is_abstract) {
    context.error(head.identifier.location, "a boxed value can be neither custom nor abstract");
  }
  const Location location = context.tokens.peek().location;
  const Type* type = parse_member_type(context, "the type that is boxed");
  if (type == nullptr) return nullptr;
  check_member(context, *type, location);
  ValueBox& box = declare<ValueBox>(context, head.identifier, std::move(annotations));
  box.type = type;
  return &box;
}

void add_value_base(Context& context, ValueType& value, const ScopedName& name) {
  Declaration* declaration = context.scopes.resolve(name);
  if (declaration == nullptr) return;
  const auto* base = as<ValueType>(declaration);
  if (base == nullptr) return report_other_kind(context, name, *declaration, "a valuetype");
  if (base == &value) {
    context.error(name.location(), "'" + base->name + "' cannot be a base of itself");
  } else if (!base->is_defined) {
    report_undefined_base(context, name, *base);
  } else if (!base->is_abstract && (value.is_abstract || !value.bases.empty())) {
    context.error(name.location(), value.is_abstract
                                       ? "an abstract valuetype can have abstract bases only"
                                       : "only the first base of a valuetype may be concrete");
  } else if (std::ranges::find(value.bases, base) != value.bases.end()) {
    context.error(name.location(), "'" + name.text() + "' is named twice among the bases");
  } else if (value.bases.size() >= context.options.limits.base_count_max) {
    context.diagnostics.fatal(name.location(), "'" + value.name + "' has too many bases");
  } else {
    value.bases.push_back(base);
  }
}

void add_supported(Context& context, ValueType& value, const ScopedName& name) {
  Declaration* declaration = context.scopes.resolve(name);
  if (declaration == nullptr) return;
  const auto* interface = as<Interface>(declaration);
  if (interface == nullptr) return report_other_kind(context, name, *declaration, "an interface");
  if (!interface->is_defined) return report_undefined_base(context, name, *interface);
  const bool has_concrete = std::ranges::any_of(
      value.supports, [](const Interface* known) { return !known->is_abstract; });
  if (!interface->is_abstract && has_concrete) {
    context.error(name.location(),
                  "a valuetype supports at most one interface that is not abstract");
    return;
  }
  value.supports.push_back(interface);
}

using AddBase = void (*)(Context&, ValueType&, const ScopedName&);

bool parse_names(Context& context, ValueType& value, AddBase add) {
  do {
    const ScopedName name = parse_scoped_name(context, "the name of a base");
    if (name.is_empty()) return false;
    add(context, value, name);
  } while (context.tokens.accept(","));
  return true;
}

void parse_factory(Context& context, const ValueType& value, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  tokens.next();
  const auto identifier = parse_identifier(context, "the name of the factory");
  if (!identifier) return tokens.recover();
  if (value.is_abstract) {
    context.error(identifier->location,
                  "the abstract valuetype '" + value.name + "' cannot have a factory");
  }
  auto& factory = declare<Factory>(context, *identifier, std::move(annotations));
  parse_parameters(context, factory.parameters);
  for (const Parameter& parameter : factory.parameters) {
    if (parameter.direction != Direction::in) {
      context.error(parameter.location, "a factory can have parameters of direction 'in' only");
    }
  }
  if (tokens.accept_keyword("raises")) factory.raises = parse_exception_list(context);
  finish_declaration(context, &factory, "the factory");
}

void parse_state(Context& context, ValueType& value, Annotations annotations) {
  const Token word = context.tokens.next();
  if (value.is_abstract) {
    context.error(word.location, "the abstract valuetype '" + value.name + "' cannot have state");
  }
  std::vector<Member> members;
  parse_members(context, members);
  const Access access = word.text == "public" ? Access::public_state : Access::private_state;
  for (Member& member : members) {
    member.annotations.insert(member.annotations.begin(), annotations.begin(), annotations.end());
    value.state.push_back({access, std::move(member)});
  }
  if (!members.empty()) {
    const std::size_t first = value.state.size() - members.size();
    warn_of_ignored(context, value.state[first].member.annotations, "default");
  }
}

void parse_element(Context& context, ValueType& value) {
  TokenStream& tokens = context.tokens;
  Annotations annotations = parse_annotations(context);
  if (tokens.at_keyword("public") || tokens.at_keyword("private")) {
    return parse_state(context, value, std::move(annotations));
  }
  if (tokens.at_word("factory") && tokens.peek(1).kind == TokenKind::identifier &&
      tokens.peek(2).is("(")) {
    return parse_factory(context, value, std::move(annotations));
  }
  bool handled = false;
  parse_common_definition(context, annotations, handled);
  if (!handled) parse_operation_or_attribute(context, std::move(annotations));
}

/// Parses `: truncatable Base, … supports I, …`. Looks up the names in the scope around the
/// valuetype.
void parse_inheritance(Context& context, ValueType& value) {
  TokenStream& tokens = context.tokens;
  bool is_good = true;
  if (tokens.accept(":")) {
    const Location word = tokens.peek().location;
    value.is_truncatable = tokens.accept_keyword("truncatable");
    if (value.is_truncatable && (value.is_custom || value.is_abstract)) {
      context.error(word, std::string(value.is_custom ? "a custom" : "an abstract") +
                              " valuetype cannot be truncatable");
    }
    is_good = parse_names(context, value, add_value_base);
  }
  if (is_good && tokens.accept_keyword("supports"))
    is_good = parse_names(context, value, add_supported);
  while (!is_good && !tokens.at_end() && !tokens.at("{") && !tokens.at(";")) tokens.next();
}

Declaration* define_value(Context& context, const Head& head, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  auto& value = define_node<ValueType>(context, head.identifier, std::move(annotations));
  value.is_custom = head.is_custom;
  value.is_abstract = head.is_abstract;
  parse_inheritance(context, value);
  const Inside inside(context, value, value.contents);
  Scope& scope = context.scopes.current();
  for (const ValueType* base : value.bases) {
    if (const Scope* base_scope = context.scopes.scope_of(base)) scope.add_base(*base_scope);
  }
  for (const Interface* base : value.supports) {
    if (const Scope* base_scope = context.scopes.scope_of(base)) scope.add_base(*base_scope);
  }
  if (!tokens.expect("{", "after the name of the valuetype")) return nullptr;
  while (!tokens.at_end() && !tokens.at("}")) parse_element(context, value);
  tokens.expect("}", "at the end of valuetype '" + value.name + "'");
  value.is_defined = true;
  return &value;
}

bool is_word(const Token& token, std::string_view word) {
  return token.kind == TokenKind::keyword && token.text == word;
}

}  // namespace

bool at_value_type(const Context& context) {
  const Token& first = context.tokens.peek();
  const bool is_modifier = is_word(first, "custom") || is_word(first, "abstract");
  return is_word(first, "valuetype") ||
         (is_modifier && is_word(context.tokens.peek(1), "valuetype"));
}

Declaration* parse_value_type(Context& context, Annotations annotations) {
  const Nesting nesting(context);
  TokenStream& tokens = context.tokens;
  Head head;
  head.is_custom = tokens.accept_keyword("custom");
  head.is_abstract = tokens.accept_keyword("abstract");
  tokens.next();
  const auto identifier = parse_identifier(context, "the name of the valuetype");
  Declaration* declared = nullptr;
  if (nesting.is_ok() && identifier) {
    head.identifier = *identifier;
    if (tokens.at(";")) {
      declared = declare_forward<ValueType>(
          context, head.identifier, std::move(annotations),
          [&](ValueType& value) { value.is_abstract = head.is_abstract; });
    } else if (tokens.at("{") || tokens.at(":") || tokens.at_keyword("supports")) {
      declared = define_value(context, head, std::move(annotations));
    } else {
      declared = parse_value_box(context, head, std::move(annotations));
    }
  }
  if (declared == nullptr) {
    tokens.recover();
  } else {
    finish_declaration(context, declared, "the valuetype");
  }
  return declared;
}

}  // namespace perigee::idlc
