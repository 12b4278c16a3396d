// CORBA components (CORBA 3.0, 3.17 to 3.19; IDL 4.2, 7.4.8 to 7.4.11). No code is generated for
// them, so this parser skips them: it checks only that their braces match.
// The names of components are declared, so that other definitions of the file can name them.
#include "idlc/frontend/forward.h"
#include "idlc/frontend/grammar.h"

#include <array>

namespace perigee::idlc {
namespace {

constexpr std::array words = {"component", "home",      "eventtype",
                              "porttype",  "connector", "composition"};

bool is_modifier(const Token& token) {
  return token.kind == TokenKind::keyword && (token.text == "abstract" || token.text == "custom");
}

/// The number of tokens in front of the keyword of a component; std::nullopt if there is no such
/// keyword.
std::optional<std::size_t> at_component(const TokenStream& tokens) {
  const std::size_t ahead = is_modifier(tokens.peek()) ? 1 : 0;
  if (tokens.peek(ahead + 1).kind != TokenKind::identifier) return std::nullopt;
  for (const std::string_view word : words) {
    if (tokens.at_word(word, ahead)) return ahead;
  }
  return std::nullopt;
}

struct Component {
  std::string_view word;  ///< in the text of the file
  Identifier identifier;
  bool is_forward = false;
};

/// Declares a node that is in the scope, but not in the contents: no code is generated for it.
/// Declaring the name again is an error, as for other declarations.
template <typename T>
T* declare_stand_in(Context& context, const Component& component) {
  const Symbol* known = context.scopes.current().find_exact(component.identifier.name);
  if (known != nullptr && !known->is_use) {
    const auto stand_in = context.stand_ins.find(known->declaration);
    if (stand_in != context.stand_ins.end() && stand_in->second == component.word) {
      T* declared = as<T>(known->declaration);
      if (component.is_forward || !declared->is_defined) return declared;
    }
  }
  T& node = context.model.make<T>();
  describe_declaration(context, node, component.identifier);
  context.scopes.declare(component.identifier, &node, component.word);
  context.stand_ins.emplace(&node, component.word);
  return &node;
}

/// An event type stands for a valuetype. All other kinds stand for interfaces. Other definitions
/// may refer only to components and homes, but each kind reserves its name in the scope.
void declare_component(Context& context, const Component& component) {
  if (component.word == "eventtype") {
    auto* stand_in = declare_stand_in<ValueType>(context, component);
    stand_in->is_component = true;
    stand_in->is_defined = stand_in->is_defined || !component.is_forward;
    return;
  }
  auto* stand_in = declare_stand_in<Interface>(context, component);
  stand_in->is_component = true;
  stand_in->is_defined = stand_in->is_defined || !component.is_forward;
}

void warn_of_skipped(Context& context, const std::string& what, const Identifier& identifier) {
  if (!is_in_main_file(context, identifier.location)) return;
  context.diagnostics
      .warning(Warning::not_generated, identifier.location,
               what + " '" + identifier.name + "' is not generated")
      .hint = "code is generated for the other definitions of the file";
}

/// Skips the rest of the definition and its `;`. Reports a block without an end, and text after
/// it.
void skip_definition(Context& context, const std::string& what) {
  TokenStream& tokens = context.tokens;
  while (!tokens.at_end() && !tokens.at("{") && !tokens.at("}") && !tokens.at(";")) tokens.next();
  if (tokens.at("{") && !tokens.skip_block()) {
    tokens.report_unexpected("'}' at the end of the " + what);
    return;
  }
  tokens.expect_semicolon("the " + what);
}

}  // namespace

bool skip_component(Context& context) {
  TokenStream& tokens = context.tokens;
  const auto ahead = at_component(tokens);
  if (!ahead) return false;
  Component component;
  component.word = tokens.peek(*ahead).text;
  // `composition session Name`: the category comes first.
  const bool has_category =
      component.word == "composition" && tokens.peek(*ahead + 2).kind == TokenKind::identifier;
  const std::size_t name_index = *ahead + (has_category ? 2 : 1);
  const Token name = tokens.peek(name_index);
  component.identifier = {std::string(name.text), name.location};
  component.is_forward = tokens.peek(name_index + 1).is(";");
  declare_component(context, component);
  const std::string what(component.word);
  if (!component.is_forward) warn_of_skipped(context, what, component.identifier);
  skip_definition(context, what);
  return true;
}

}  // namespace perigee::idlc
