// Reads macro calls and the results of macros. Substitution is in substitute.cpp.
#include "idlc/frontend/macros.h"

#include <algorithm>

namespace perigee::idlc {

bool is_same_macro(const Macro& a, const Macro& b) {
  return a.kind == b.kind && a.parameters == b.parameters &&
         std::ranges::equal(a.body, b.body, [](const Token& x, const Token& y) {
           return x.kind == y.kind && x.text == y.text;
         });
}

Macro* MacroTable::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void MacroTable::define(Macro macro) {
  Macro& kept = all_.emplace_back(std::move(macro));
  by_name_[kept.name] = &kept;
}

void MacroTable::undefine(std::string_view name) { by_name_.erase(name); }

Expansion::~Expansion() {
  while (!contexts_.empty()) pop();
}

void Expansion::pop() {
  if (contexts_.back().macro != nullptr) --contexts_.back().macro->active_count;
  contexts_.pop_back();
}

bool Expansion::count_tokens(std::size_t count, Location location) {
  state_.token_count += count;
  if (state_.token_count <= state_.limits.token_count_max) return true;
  state_.diagnostics.fatal(location, "macro expansion makes more than " +
                                         std::to_string(state_.limits.token_count_max) + " tokens");
  return false;
}

Token Expansion::read() {
  while (!contexts_.empty() && contexts_.back().index == contexts_.back().tokens.size()) pop();
  Token token;
  if (contexts_.empty()) {
    token = source_.next();
  } else {
    token = contexts_.back().tokens[contexts_.back().index++];
  }
  if (token.kind == TokenKind::identifier && !token.is_unexpandable) {
    const Macro* macro = state_.macros.find(token.text);
    token.is_unexpandable = macro != nullptr && macro->active_count > 0;
  }
  return token;
}

void Expansion::unread(const Token& token) {
  if (token.kind == TokenKind::end) return;
  contexts_.push_back({{token}, 0, nullptr});
}

bool Expansion::push(std::vector<Token> tokens, Macro* macro, const Token& name) {
  if (!count_tokens(tokens.size() + 1, name.location)) return false;
  if (contexts_.size() >= state_.limits.macro_depth_max) {
    state_.diagnostics.fatal(name.location, "macros are expanded inside each other more than " +
                                                std::to_string(state_.limits.macro_depth_max) +
                                                " levels deep");
    return false;
  }
  ++macro->active_count;
  contexts_.push_back({std::move(tokens), 0, macro});
  return true;
}

Token Expansion::next() {
  while (!state_.diagnostics.is_full()) {
    const Token token = read();
    if (token.kind != TokenKind::identifier || token.is_unexpandable) return token;
    Macro* macro = state_.macros.find(token.text);
    if (macro == nullptr || !expand(token, *macro)) return token;
  }
  return Token{};
}

/// False if the name is not a call of the macro and stays unchanged.
bool Expansion::expand(const Token& name, Macro& macro) {
  Arguments arguments;
  if (macro.kind == MacroKind::function) {
    const Token opening = read();
    if (!opening.is("(")) {
      unread(opening);
      return false;
    }
    if (!read_arguments(name, macro, arguments)) return true;
    if (!check_argument_count(name, macro, arguments)) return true;
  }
  push(substitute(macro, arguments, name, state_), &macro, name);
  return true;
}

bool Expansion::read_arguments(const Token& name, const Macro& macro, Arguments& arguments) {
  arguments.emplace_back();
  std::size_t depth = 0;
  while (!state_.diagnostics.is_full()) {
    const Token token = read();
    if (token.kind == TokenKind::end) {
      state_.diagnostics.error(
          name.location, "the call of macro '" + std::string(name.text) + "' has no closing ')'");
      return false;
    }
    if (!count_tokens(1, token.location)) return false;
    if (token.is(")") && depth == 0) return true;
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
    const bool is_rest = macro.is_variadic && arguments.size() >= macro.parameters.size();
    if (token.is(",") && depth == 0 && !is_rest) {
      arguments.emplace_back();
    } else {
      arguments.back().push_back(token);
    }
  }
  return false;
}

bool Expansion::check_argument_count(const Token& name, const Macro& macro, Arguments& arguments) {
  const std::size_t expected = macro.parameters.size();
  if (expected == 0 && arguments.size() == 1 && arguments[0].empty()) arguments.clear();
  if (macro.is_variadic && arguments.size() + 1 == expected) arguments.emplace_back();
  if (arguments.size() == expected) return true;
  state_.diagnostics
      .error(name.location, "macro '" + std::string(name.text) + "' takes " +
                                std::to_string(expected) +
                                (expected == 1 ? " argument" : " arguments") + ", but is given " +
                                std::to_string(arguments.size()))
      .notes.push_back({macro.location, "the macro is defined here"});
  return false;
}

namespace {

class ListSource final : public TokenSource {
 public:
  explicit ListSource(const std::vector<Token>& tokens) : tokens_(tokens) {}
  Token next() override { return index_ < tokens_.size() ? tokens_[index_++] : Token{}; }

 private:
  const std::vector<Token>& tokens_;
  std::size_t index_ = 0;
};

}  // namespace

std::vector<Token> expand_tokens(const std::vector<Token>& tokens, ExpansionState& state) {
  std::vector<Token> result;
  if (state.depth >= state.limits.nesting_depth_max) {
    state.diagnostics.fatal(tokens.empty() ? Location{} : tokens.front().location,
                            "calls of macros in arguments of macros are nested more than " +
                                std::to_string(state.limits.nesting_depth_max) + " levels deep");
    return result;
  }
  ++state.depth;
  ListSource source(tokens);
  Expansion expansion(source, state);
  for (Token token = expansion.next(); token.kind != TokenKind::end; token = expansion.next()) {
    result.push_back(token);
  }
  --state.depth;
  return result;
}

}  // namespace perigee::idlc
