// Interfaces with their operations and attributes. CORBA 3.0, 3.8, 3.13 and 3.14.
#include "idlc/frontend/checks.h"
#include "idlc/frontend/forward.h"
#include "idlc/frontend/grammar.h"
#include "idlc/frontend/literals.h"
#include "idlc/frontend/redeclared_builtins.h"

#include <algorithm>

namespace perigee::idlc {
namespace {

bool is_modified_interface(const Token& word, const Token& next) {
  return word.kind == TokenKind::keyword && (word.text == "local" || word.text == "abstract") &&
         next.kind == TokenKind::keyword && next.text == "interface";
}

struct Head {
  bool is_local = false;
  bool is_abstract = false;
  Identifier identifier;
};

/// All declarations of an interface must have the same words in front of `interface`.
void check_head(Context& context, const Head& head) {
  const auto* declared = declared_node<Interface>(context, head.identifier);
  if (declared == nullptr) return;
  const bool is_same =
      declared->location.file->is_builtin
          ? is_same_head(*declared, head.is_local, head.is_abstract)
          : declared->is_local == head.is_local && declared->is_abstract == head.is_abstract;
  if (is_same) return;
  const auto words = [](bool is_local, bool is_abstract) {
    return is_local ? "'local'" : is_abstract ? "'abstract'" : "neither 'local' nor 'abstract'";
  };
  context
      .error(head.identifier.location, "interface '" + head.identifier.name + "' is " +
                                           words(head.is_local, head.is_abstract) +
                                           " here, but was declared as " +
                                           words(declared->is_local, declared->is_abstract))
      .notes.push_back({declared->location, "it was declared here"});
}

void set_head(Interface& interface, const Head& head) {
  interface.is_local = head.is_local;
  interface.is_abstract = head.is_abstract;
}

Declaration* forward_interface(Context& context, const Head& head, Annotations annotations) {
  check_head(context, head);
  return declare_forward<Interface>(context, head.identifier, std::move(annotations),
                                    [&](Interface& interface) { set_head(interface, head); });
}

void parse_bases(Context& context, Interface& interface) {
  BaseChecks checks(context, interface);
  do {
    const ScopedName name = parse_scoped_name(context, "the name of a base interface");
    if (name.is_empty()) {
      while (!context.tokens.at_end() && !context.tokens.at("{") && !context.tokens.at(";")) {
        context.tokens.next();
      }
      return;
    }
    Declaration* declaration = context.scopes.resolve(name);
    if (declaration == nullptr) continue;
    if (context.templates.contains(declaration)) {
      context.error(name.location(),
                    "'" + name.text() + "' is a template module, not an interface");
      continue;
    }
    // A typedef of an interface also names the interface.
    const Declaration* target = declaration;
    if (const auto* alias = as<Typedef>(declaration)) target = unaliased(*alias->type).declaration;
    const auto* base = as<Interface>(target);
    if (base == nullptr) {
      report_other_kind(context, name, *declaration, "an interface");
      continue;
    }
    if (checks.accepts(name, *base)) interface.bases.push_back(base);
  } while (context.tokens.accept(","));
}

void parse_export(Context& context) {
  Annotations annotations = parse_annotations(context);
  bool handled = false;
  parse_common_definition(context, annotations, handled);
  if (!handled) parse_operation_or_attribute(context, std::move(annotations));
}

Declaration* define_interface(Context& context, const Head& head, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  // A second definition is reported later, unless it repeats a declaration of orb.idl.
  const auto* declared = declared_node<Interface>(context, head.identifier);
  if (declared != nullptr && !declared->is_defined) check_head(context, head);
  auto& interface = define_node<Interface>(context, head.identifier, std::move(annotations));
  set_head(interface, head);
  // The bases are looked up in the scope around the interface.
  if (tokens.accept(":")) parse_bases(context, interface);
  {
    const Inside inside(context, interface, interface.contents);
    for (const Interface* base : interface.bases) {
      if (const Scope* scope = context.scopes.scope_of(base)) {
        context.scopes.current().add_base(*scope);
      }
    }
    if (tokens.expect("{", "after the name of the interface")) {
      while (!tokens.at_end() && !tokens.at("}")) parse_export(context);
      tokens.expect("}", "at the end of interface '" + interface.name + "'");
    } else {
      tokens.recover();
    }
  }
  interface.is_defined = true;
  finish_declaration(context, &interface, "the interface");
  return &interface;
}

}  // namespace

bool at_interface(const Context& context) {
  return context.tokens.at_keyword("interface") ||
         is_modified_interface(context.tokens.peek(), context.tokens.peek(1));
}

Declaration* parse_interface(Context& context, Annotations annotations) {
  const Nesting nesting(context);
  TokenStream& tokens = context.tokens;
  Head head;
  head.is_local = tokens.accept_keyword("local");
  head.is_abstract = tokens.accept_keyword("abstract");
  tokens.next();
  const auto identifier = parse_identifier(context, "the name of the interface");
  if (!nesting.is_ok() || !identifier) {
    tokens.recover();
    return nullptr;
  }
  head.identifier = *identifier;
  if (tokens.at(":") || tokens.at("{"))
    return define_interface(context, head, std::move(annotations));
  if (!tokens.at(";")) {
    tokens.report_unexpected("'{', ':' or ';' after the name of the interface");
    tokens.recover();
    return nullptr;
  }
  Declaration* forward = forward_interface(context, head, std::move(annotations));
  finish_declaration(context, forward, "the interface");
  return forward;
}

std::vector<const Exception*> parse_exception_list(Context& context) {
  TokenStream& tokens = context.tokens;
  std::vector<const Exception*> result;
  if (!tokens.expect("(", "in front of the exceptions")) return result;
  do {
    const ScopedName name = parse_scoped_name(context, "the name of an exception");
    if (name.is_empty()) break;
    Declaration* declaration = context.scopes.resolve(name);
    if (declaration == nullptr) continue;
    const auto* exception = as<Exception>(declaration);
    if (exception == nullptr) {
      report_other_kind(context, name, *declaration, "an exception");
    } else if (std::ranges::find(result, exception) != result.end()) {
      context.error(name.location(), "the exception '" + name.text() + "' is named twice");
    } else {
      result.push_back(exception);
    }
  } while (tokens.accept(","));
  tokens.expect(")", "after the exceptions");
  return result;
}

namespace {

/// A type for a parameter, result or attribute. The grammar of IDL allows only basic types and
/// named types.
const Type* parse_named_type(Context& context, std::string_view what, std::string_view used_as) {
  const Location location = context.tokens.peek().location;
  const Type* type = parse_type(context, what);
  if (type != nullptr) check_complete(context, *type, location);
  const bool is_anonymous =
      type != nullptr && (type->kind == TypeKind::sequence || type->kind == TypeKind::map ||
                          (type->kind == TypeKind::fixed && type->digits != 0));
  if (is_anonymous) {
    context.diagnostics
        .warning(Warning::anonymous_parameters, location,
                 "other compilers refuse '" + to_text(*type) + "' as the type of " +
                     std::string(used_as))
        .hint = "give it a name: typedef " + to_text(*type) + " Name;";
  }
  return type;
}

/// False after an error.
bool parse_parameter(Context& context, std::vector<Parameter>& parameters) {
  TokenStream& tokens = context.tokens;
  Parameter parameter;
  parameter.annotations = parse_annotations(context);
  if (tokens.accept_keyword("in")) {
    parameter.direction = Direction::in;
  } else if (tokens.accept_keyword("out")) {
    parameter.direction = Direction::out;
  } else if (tokens.accept_keyword("inout")) {
    parameter.direction = Direction::inout;
  } else {
    tokens.report_unexpected("'in', 'out' or 'inout' in front of a parameter");
    return false;
  }
  parameter.type = parse_named_type(context, "the type of a parameter", "a parameter");
  if (parameter.type == nullptr) return false;
  const auto identifier = parse_identifier(context, "the name of a parameter");
  if (!identifier) return false;
  context.scopes.declare(*identifier, nullptr, "parameter");
  parameter.name = identifier->name;
  parameter.location = identifier->location;
  parameters.push_back(std::move(parameter));
  return true;
}

/// Skips the rest of a parameter, so that the next parameter is checked, too.
void skip_parameter(TokenStream& tokens) {
  std::size_t depth = 0;
  while (!tokens.at_end() && !tokens.at(";") && !tokens.at("{") && !tokens.at("}")) {
    if (depth == 0 && (tokens.at(",") || tokens.at(")"))) return;
    if (tokens.at("<") || tokens.at("(")) ++depth;
    if ((tokens.at(">") || tokens.at(")")) && depth > 0) --depth;
    tokens.next();
  }
}

/// CORBA 3.0, 3.13.5: a letter, then letters, digits, '.' and '_', and optionally a '*' at the end.
bool is_property_pattern(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !is_letter(text.front())) return false;
  if (text.ends_with('*')) text.remove_suffix(1);
  return std::ranges::all_of(
      text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '_'; });
}

void parse_context_name(Context& context, Operation& operation) {
  const Token token = context.tokens.next();
  const std::string name = narrow_text(token, context.diagnostics).value_or("");
  if (!is_property_pattern(name))
    context.error(token.location, "'" + name + "' is not the name of a context's property").hint =
        "a letter, then letters, digits, '.' and '_', and perhaps a '*' at the end";
  operation.contexts.push_back(name);
}

void parse_context_names(Context& context, Operation& operation) {
  TokenStream& tokens = context.tokens;
  if (!tokens.expect("(", "after 'context'")) return;
  do {
    if (tokens.peek().kind != TokenKind::string) {
      tokens.report_unexpected("a string in 'context'");
      return;
    }
    parse_context_name(context, operation);
  } while (tokens.accept(","));
  tokens.expect(")", "after the names of the context");
}

void parse_operation(Context& context, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  const Location keyword = tokens.peek().location;
  const bool is_oneway = tokens.accept_keyword("oneway");
  const Type* type =
      tokens.accept_keyword("void")
          ? context.types.basic(TypeKind::void_type)
          : parse_named_type(context, "an operation, an attribute or a definition", "a result");
  const auto identifier =
      type == nullptr ? std::nullopt : parse_identifier(context, "the name of the operation");
  if (!identifier || !tokens.at("(")) {
    if (identifier) tokens.report_unexpected("'(' after the name of the operation");
    return tokens.recover();
  }
  auto& operation = declare<Operation>(context, *identifier, std::move(annotations));
  operation.is_oneway = is_oneway;
  operation.return_type = type;
  parse_parameters(context, operation.parameters);
  if (tokens.accept_keyword("raises")) operation.raises = parse_exception_list(context);
  if (tokens.accept_keyword("context")) parse_context_names(context, operation);
  check_local(context, operation);
  if (is_oneway) check_oneway(context, operation, keyword);
  finish_declaration(context, &operation, "the operation");
}

/// `raises (…)` of a readonly attribute, `getraises (…)` and `setraises (…)` of other attributes.
void parse_attribute_raises(Context& context, Attribute& attribute) {
  TokenStream& tokens = context.tokens;
  if (attribute.is_readonly) {
    if (tokens.accept_keyword("raises")) attribute.get_raises = parse_exception_list(context);
    return;
  }
  if (tokens.accept_word("getraises")) attribute.get_raises = parse_exception_list(context);
  if (tokens.accept_word("setraises")) attribute.set_raises = parse_exception_list(context);
}

void parse_attribute(Context& context, const Annotations& annotations) {
  TokenStream& tokens = context.tokens;
  const bool is_readonly = tokens.accept_keyword("readonly");
  if (!tokens.accept_keyword("attribute")) {
    tokens.report_unexpected("'attribute' after 'readonly'");
    return tokens.recover();
  }
  const Type* type = parse_named_type(context, "the type of the attribute", "an attribute");
  if (type == nullptr) return tokens.recover();
  std::vector<Attribute*> attributes;
  do {
    const auto identifier = parse_identifier(context, "the name of the attribute");
    if (!identifier) return tokens.recover();
    auto& attribute = declare<Attribute>(context, *identifier, annotations);
    attribute.is_readonly = is_readonly;
    attribute.type = type;
    check_local(context, attribute);
    attributes.push_back(&attribute);
  } while (tokens.accept(","));
  parse_attribute_raises(context, *attributes.back());
  for (Attribute* attribute : attributes) {
    attribute->get_raises = attributes.back()->get_raises;
    attribute->set_raises = attributes.back()->set_raises;
  }
  finish_declarations(context, {attributes.begin(), attributes.end()}, "the attribute");
}

/// The words in front of the name: "interface", "local interface", "module".
std::string text_of_kind(const TokenStream& tokens) {
  const std::string first(tokens.peek().text);
  return is_modified_interface(tokens.peek(), tokens.peek(1)) ? first + " interface" : first;
}

}  // namespace

void parse_parameters(Context& context, std::vector<Parameter>& parameters) {
  TokenStream& tokens = context.tokens;
  if (!tokens.expect("(", "in front of the parameters")) return;
  context.scopes.enter_nameless();
  if (!tokens.at(")")) {
    do {
      const bool is_good = parse_parameter(context, parameters);
      if (!is_good) skip_parameter(tokens);
      if (is_good) add_trailing_annotations(context, parameters.back().annotations);
      const bool has_comma = tokens.at(",");
      if (has_comma) tokens.next();
      // `in string s,  //@perigee::borrowed` belongs to the parameter in front of the comma.
      if (is_good) add_trailing_annotations(context, parameters.back().annotations);
      if (!has_comma) break;
    } while (!tokens.at_end());
  }
  tokens.expect(")", "after the parameters");
  context.scopes.leave();
}

void parse_operation_or_attribute(Context& context, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  if (tokens.at_keyword("readonly") || tokens.at_keyword("attribute")) {
    parse_attribute(context, annotations);
  } else if (at_interface(context) || tokens.at_keyword("module")) {
    context.error(tokens.peek().location,
                  with_article(text_of_kind(tokens)) + " cannot be defined inside an interface");
    tokens.recover();
    tokens.accept(";");
  } else if (tokens.at(";")) {
    context.error(tokens.next().location, "there is nothing in front of this ';'");
  } else {
    parse_operation(context, std::move(annotations));
  }
}

}  // namespace perigee::idlc
