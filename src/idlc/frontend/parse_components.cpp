// CORBA components (CORBA 3.0, 3.17 to 3.19; IDL 4.2, 7.4.8 to 7.4.12) and template modules. No
// code is generated for them, so this parser skips them: it checks only that their braces match.
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

/// The number of tokens in front of the keyword of a component; nothing if there is no such
/// keyword.
std::optional<std::size_t> at_component(const TokenStream& tokens) {
  const std::size_t ahead = is_modifier(tokens.peek()) ? 1 : 0;
  if (tokens.peek(ahead + 1).kind != TokenKind::identifier) return std::nullopt;
  for (const std::string_view word : words) {
    if (tokens.at_word(word, ahead)) return ahead;
  }
  return std::nullopt;
}

/// A node that is in the scope, but not in the contents: no code is generated for it.
template <typename T>
T* declare_stand_in(Context& context, const Identifier& identifier) {
  if (declared_node<T>(context, identifier) != nullptr) return nullptr;
  T& node = context.model.make<T>();
  describe_declaration(context, node, identifier);
  context.scopes.declare(identifier, &node, to_text(T::kind_of));
  node.is_defined = true;
  return &node;
}

void warn_of_skipped(Context& context, const std::string& what, const Identifier& identifier) {
  if (!is_in_main_file(context, identifier.location)) return;
  context.diagnostics
      .warning(Warning::not_generated, identifier.location,
               what + " '" + identifier.name + "' is not generated")
      .hint = "code is generated for the other definitions of the file";
}

/// Skips the rest of the definition and its `;`. Reports a block without an end.
void skip_definition(Context& context, const std::string& what) {
  TokenStream& tokens = context.tokens;
  while (!tokens.at_end() && !tokens.at("{") && !tokens.at("}") && !tokens.at(";")) tokens.next();
  while (tokens.at("{")) {
    if (tokens.skip_block()) continue;
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
  const std::string word(tokens.peek(*ahead).text);
  const Token name = tokens.peek(*ahead + 1);
  const bool is_forward = tokens.peek(*ahead + 2).is(";");
  const Identifier identifier = {std::string(name.text), name.location};
  if (word == "eventtype") {
    declare_stand_in<ValueType>(context, identifier);
  } else if (word == "component" || word == "home") {
    Interface* stand_in = declare_stand_in<Interface>(context, identifier);
    if (stand_in != nullptr) stand_in->is_component = true;
  }
  if (!is_forward) warn_of_skipped(context, word, identifier);
  skip_definition(context, word);
  return true;
}

void skip_template_module(Context& context, const Identifier& identifier) {
  warn_of_skipped(context, "template module", identifier);
  skip_definition(context, "template module");
}

}  // namespace perigee::idlc
