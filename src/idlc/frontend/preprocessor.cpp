// The main loop of the preprocessor: gives tokens of text, and executes the directives between
// them.
#include "idlc/frontend/preprocessor.h"

#include "base/nearest_name.h"

#include <algorithm>
#include <ranges>

namespace perigee::idlc {

Preprocessor::Preprocessor(const Environment& environment)
    : options_(environment.options),
      files_(environment.files),
      model_(environment.model),
      state_{environment.options.limits, environment.diagnostics, environment.pool, {}, 0, 0} {}

const std::vector<Preprocessor::Directive>& Preprocessor::directives() {
  using P = Preprocessor;
  static const std::vector<Directive> table = {
      {"if", true, &P::handle_if},
      {"ifdef", true, &P::handle_ifdef},
      {"ifndef", true, &P::handle_ifdef},
      {"elif", true, &P::handle_elif},
      {"elifdef", true, &P::handle_elif},
      {"elifndef", true, &P::handle_elif},
      {"else", true, &P::handle_else},
      {"endif", true, &P::handle_endif},
      {"define", false, &P::handle_define},
      {"undef", false, &P::handle_undef},
      {"include", false, &P::handle_include},
      {"line", false, &P::handle_line},
      {"pragma", false, &P::handle_pragma},
      {"error", false, &P::handle_error},
      {"warning", false, &P::handle_warning},
      {"ident", false, &P::handle_ignored},
  };
  return table;
}

void Preprocessor::define_builtin_macros() {
  Macro macro;
  macro.kind = MacroKind::line_number;
  macro.name = "__LINE__";
  state_.macros.define(macro);
  macro.kind = MacroKind::file_name;
  macro.name = "__FILE__";
  state_.macros.define(macro);
  macro.kind = MacroKind::object;
  macro.name = "__PERIGEE_IDL__";
  macro.body.emplace_back().kind = TokenKind::number;
  macro.body.back().text = "1";
  state_.macros.define(macro);
}

TokensAndEvents Preprocessor::run() {
  const std::string& path = options_.main_file;
  std::string why;
  SourceFile* main_file = load(path, &why);
  if (main_file == nullptr) {
    add_file(path, "").is_main = true;
    error({&model_.files.back(), 0, 0}, why);
    output_.tokens.push_back(Token{});
    output_.tokens.back().location = {&model_.files.back(), 1, 1};
    return std::move(output_);
  }
  main_file->is_main = true;
  end_ = {main_file, 1, 1};
  define_builtin_macros();
  enter(*main_file);
  enter_command_line();
  collect();
  return std::move(output_);
}

TokensAndEvents Preprocessor::run_orb_idl() {
  SourceFile& file = *load_builtin("orb.idl");
  end_ = {&file, 1, 1};
  enter(file);
  collect();
  return std::move(output_);
}

/// Reads all open files to their ends.
void Preprocessor::collect() {
  Expansion expansion(*this, state_);
  for (Token token = expansion.next(); token.kind != TokenKind::end; token = expansion.next()) {
    if (output_.tokens.size() >= options_.limits.token_count_max) {
      state_.diagnostics.fatal(
          token.location,
          "the file has more than " + std::to_string(options_.limits.token_count_max) + " tokens");
      break;
    }
    output_.tokens.push_back(token);
  }
  Token end;
  end.location = end_;
  output_.tokens.push_back(end);
}

bool Preprocessor::is_skipping() const {
  const auto& conditions = open_.back()->conditions;
  return !conditions.empty() && !conditions.back().is_active;
}

/// The next token of text. Executes the directives in front of it.
Token Preprocessor::next() {
  while (!open_.empty() && !state_.diagnostics.is_full()) {
    OpenFile& top = *open_.back();
    const Token token = top.scanner.next();
    if (token.kind == TokenKind::end) {
      leave(token.location);
    } else if (token.is("#") && token.starts_line) {
      directive(token);
    } else if (token.kind == TokenKind::newline || is_skipping()) {
      continue;
    } else if (token.kind == TokenKind::annotation_comment) {
      const bool is_trailing = top.last_text_line == token.location.line;
      output_.events.push_back({EventKind::annotation_comment,
                                output_.tokens.size(),
                                token.location,
                                {token},
                                is_trailing,
                                false});
    } else {
      if (top.guard_state != GuardState::inside) top.guard_state = GuardState::none;
      top.last_text_line = token.location.line;
      return token;
    }
  }
  return Token{};
}

/// The rest of the line. Its newline is consumed.
std::vector<Token> Preprocessor::read_line() {
  std::vector<Token> line;
  Scanner& scanner = open_.back()->scanner;
  for (Token token = scanner.next();
       token.kind != TokenKind::newline && token.kind != TokenKind::end; token = scanner.next()) {
    if (token.kind != TokenKind::annotation_comment) line.push_back(token);
    if (line.size() > options_.limits.token_count_max) {
      state_.diagnostics.fatal(token.location, "the directive has too many tokens");
      break;
    }
  }
  return line;
}

void Preprocessor::expect_line_end(const Token& directive_name) {
  const std::vector<Token> line = read_line();
  if (!line.empty() && !is_skipping()) {
    state_.diagnostics.warning(Warning::extra_tokens, line.front().location,
                               "text after #" + std::string(directive_name.text) + " is ignored");
  }
}

/// Checks whether the file's whole text is inside one #ifndef. Called before the directive runs.
void Preprocessor::note_guard(const Token& name) {
  OpenFile& top = *open_.back();
  if (top.guard_state == GuardState::at_start && name.text == "ifndef") {
    top.guard_state = GuardState::inside;
  } else if (top.guard_state == GuardState::inside) {
    const bool is_outermost = top.conditions.size() == 1;
    if (is_outermost && name.text == "endif") top.guard_state = GuardState::closed;
    if (is_outermost && name.text.starts_with("el")) top.guard_state = GuardState::none;
  } else {
    top.guard_state = GuardState::none;
  }
}

void Preprocessor::directive(const Token& hash) {
  const Token name = open_.back()->scanner.next();
  if (name.kind == TokenKind::newline || name.kind == TokenKind::end) return;
  const bool was_skipping = is_skipping();
  if (name.kind == TokenKind::number && !was_skipping) {
    line_marker(name, read_line());
    return;
  }
  const auto& table = directives();
  const auto found = std::ranges::find(table, name.text, &Directive::name);
  if (found != table.end() && (found->is_conditional || !was_skipping)) {
    note_guard(name);
    (this->*found->handler)(name);
    return;
  }
  read_line();
  if (was_skipping) return;
  const std::string near = nearest_name(name.text, table | std::views::transform(&Directive::name));
  Diagnostic& diagnostic =
      state_.diagnostics.error(hash.location, "unknown directive #" + std::string(name.text));
  if (!near.empty()) diagnostic.hint = "did you mean #" + near + "?";
}

}  // namespace perigee::idlc
