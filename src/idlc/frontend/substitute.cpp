// Replaces a macro's parameters by arguments and applies # and ##.
#include "idlc/frontend/macros.h"
#include "idlc/frontend/scanner.h"

#include <algorithm>

namespace perigee::idlc {
namespace {

class Substitution final {
 public:
  Substitution(const Macro& macro, const std::vector<std::vector<Token>>& arguments,
               const Token& name, ExpansionState& state)
      : macro_(macro), arguments_(arguments), name_(name), state_(state) {}

  std::vector<Token> run();

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t parameter_index(const Token& token) const;
  [[nodiscard]] bool is_beside_paste(std::size_t index) const;
  Token stringized(const std::vector<Token>& argument);
  std::vector<Token> argument_for(std::size_t parameter, std::size_t body_index);
  void append(std::vector<Token> tokens);
  Token pasted(const Token& left, const Token& right);
  Token made(TokenKind kind, std::string text);

  const Macro& macro_;
  const std::vector<std::vector<Token>>& arguments_;
  const Token& name_;
  ExpansionState& state_;
  std::vector<Token> result_;
  bool paste_next_ = false;
};

std::size_t Substitution::parameter_index(const Token& token) const {
  if (token.kind != TokenKind::identifier) return none;
  const auto found = std::ranges::find(macro_.parameters, token.text);
  return found == macro_.parameters.end()
             ? none
             : static_cast<std::size_t>(found - macro_.parameters.begin());
}

bool Substitution::is_beside_paste(std::size_t index) const {
  const auto& body = macro_.body;
  return (index > 0 && body[index - 1].is("##")) ||
         (index + 1 < body.size() && body[index + 1].is("##"));
}

/// A token that is in no file, at the position of the macro's name.
Token Substitution::made(TokenKind kind, std::string text) {
  Token token;
  token.kind = kind;
  token.location = name_.location;
  if (text.size() > state_.limits.token_size_max) {
    state_.diagnostics.fatal(name_.location, "the macro makes a token of more than " +
                                                 std::to_string(state_.limits.token_size_max) +
                                                 " octets");
    return token;
  }
  token.text = state_.pool.add(std::move(text));
  if (state_.pool.is_exhausted()) {
    state_.diagnostics.fatal(name_.location, "macro expansion needs too much memory");
  }
  return token;
}

Token Substitution::stringized(const std::vector<Token>& argument) {
  std::string text = "\"";
  for (std::size_t i = 0; i < argument.size(); ++i) {
    const Token& token = argument[i];
    if (i != 0 && (token.space_before || token.starts_line)) text += ' ';
    const bool is_literal = token.kind == TokenKind::string || token.kind == TokenKind::character;
    for (const char c : token.text) {
      if (c == '"' || (c == '\\' && is_literal)) text += '\\';
      text += c;
    }
    if (text.size() > state_.limits.token_size_max) break;
  }
  return made(TokenKind::string, text + '"');
}

std::vector<Token> Substitution::argument_for(std::size_t parameter, std::size_t body_index) {
  if (is_beside_paste(body_index)) {
    if (!arguments_[parameter].empty()) return arguments_[parameter];
    return {made(TokenKind::placemarker, "")};
  }
  return expand_tokens(arguments_[parameter], state_);
}

Token Substitution::pasted(const Token& left, const Token& right) {
  if (left.kind == TokenKind::placemarker) return right;
  if (right.kind == TokenKind::placemarker) return left;
  Token token = made(TokenKind::bad, std::string(left.text) + std::string(right.text));
  Scanner scanner(token.text, name_.location, state_.pool);
  const Token scanned = scanner.next();
  if (scanned.kind == TokenKind::bad || scanner.next().kind != TokenKind::end) {
    state_.diagnostics.error(name_.location, "'##' joins " + describe(left) + " and " +
                                                 describe(right) + ", which gives no valid token");
    return left;
  }
  token.kind = scanned.kind;
  token.space_before = left.space_before;
  return token;
}

void Substitution::append(std::vector<Token> tokens) {
  std::size_t start = 0;
  if (paste_next_ && !result_.empty() && !tokens.empty()) {
    result_.back() = pasted(result_.back(), tokens.front());
    start = 1;
  }
  paste_next_ = false;
  result_.insert(result_.end(), tokens.begin() + static_cast<std::ptrdiff_t>(start), tokens.end());
}

std::vector<Token> Substitution::run() {
  if (macro_.kind == MacroKind::line_number) {
    return {made(TokenKind::number, std::to_string(name_.location.line))};
  }
  if (macro_.kind == MacroKind::file_name) {
    return {made(TokenKind::string, '"' + name_.location.file->path + '"')};
  }
  for (std::size_t i = 0; i < macro_.body.size(); ++i) {
    // Checked here, because a repeated argument can make a macro's result huge before it is pushed.
    if (state_.diagnostics.is_full() || result_.size() > state_.limits.token_count_max) break;
    Token token = macro_.body[i];
    token.location = name_.location;
    token.starts_line = false;
    if (token.is("##") && i != 0 && i + 1 != macro_.body.size()) {
      paste_next_ = true;
      continue;
    }
    if (token.is("#") && macro_.kind == MacroKind::function && i + 1 != macro_.body.size()) {
      const std::size_t parameter = parameter_index(macro_.body[i + 1]);
      if (parameter != none) {
        append({stringized(arguments_[parameter])});
        ++i;
        continue;
      }
    }
    const std::size_t parameter = parameter_index(token);
    append(parameter == none ? std::vector<Token>{token} : argument_for(parameter, i));
  }
  std::erase_if(result_, [](const Token& t) { return t.kind == TokenKind::placemarker; });
  if (!result_.empty()) result_.front().space_before = name_.space_before;
  return std::move(result_);
}

}  // namespace

std::vector<Token> substitute(const Macro& macro, const std::vector<std::vector<Token>>& arguments,
                              const Token& name, ExpansionState& state) {
  return Substitution(macro, arguments, name, state).run();
}

}  // namespace perigee::idlc
