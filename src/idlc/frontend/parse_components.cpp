// CORBA components (CORBA 3.0, 3.17 to 3.19; IDL 4.2, 7.4.9) are not supported. They are reported
// and skipped. Their names are declared, so that uses of the names cause no further errors.
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

template <typename T>
void declare_stand_in(Context& context, const Identifier& identifier) {
  if (context.scopes.current().find_exact(identifier.name) != nullptr) return;
  declare<T>(context, identifier).is_defined = true;
}

}  // namespace

bool skip_component(Context& context) {
  TokenStream& tokens = context.tokens;
  const auto ahead = at_component(tokens);
  if (!ahead) return false;
  const Token word = tokens.peek(*ahead);
  const Token name = tokens.peek(*ahead + 1);
  context.error(word.location,
                "CORBA components ('" + std::string(word.text) + "') are not supported");
  const Identifier identifier = {std::string(name.text), name.location};
  if (word.text == "eventtype") {
    declare_stand_in<ValueType>(context, identifier);
  } else if (word.text == "component" || word.text == "home") {
    declare_stand_in<Interface>(context, identifier);
  }
  tokens.recover();
  tokens.accept(";");
  return true;
}

}  // namespace perigee::idlc
