// Executes #if, #ifdef, #ifndef, #elif, #else and #endif.
#include "idlc/frontend/condition.h"
#include "idlc/frontend/preprocessor.h"

namespace perigee::idlc {

void Preprocessor::open_condition(const Token& name, bool is_true) {
  auto& conditions = open_.back()->conditions;
  if (conditions.size() >= options_.limits.condition_depth_max) {
    state_.diagnostics.fatal(
        name.location, "conditional directives are nested more than " +
                           std::to_string(options_.limits.condition_depth_max) + " levels deep");
    return;
  }
  const bool is_parent_active = !is_skipping();
  const bool is_active = is_parent_active && is_true;
  conditions.push_back({name.location, is_parent_active, is_active, is_active, false});
}

/// Replaces `defined X` and `defined(X)` by 1 or 0. Must run before macro expansion.
std::vector<Token> Preprocessor::replace_defined(const std::vector<Token>& line) {
  std::vector<Token> result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    Token token = line[i];
    if (token.kind == TokenKind::identifier && token.text == "defined") {
      const bool has_parentheses = i + 1 < line.size() && line[i + 1].is("(");
      const std::size_t operand = i + (has_parentheses ? 2 : 1);
      const bool is_complete =
          operand < line.size() && line[operand].kind == TokenKind::identifier &&
          (!has_parentheses || (operand + 1 < line.size() && line[operand + 1].is(")")));
      if (!is_complete) {
        error(token.location, "'defined' needs the name of a macro");
        return {};
      }
      token.kind = TokenKind::number;
      token.text = state_.macros.find(line[operand].text) != nullptr ? "1" : "0";
      i = operand + (has_parentheses ? 1 : 0);
    }
    result.push_back(token);
  }
  return result;
}

bool Preprocessor::is_condition_true(const Token& name, const std::vector<Token>& line) {
  const std::size_t errors_before = state_.diagnostics.error_count();
  const std::vector<Token> expanded = expand_tokens(replace_defined(line), state_);
  if (state_.diagnostics.error_count() != errors_before) return false;
  return evaluate_condition(expanded, name.location, state_).value_or(false);
}

bool Preprocessor::is_named_macro_defined(const Token& name) {
  const std::vector<Token> line = read_line();
  if (line.empty() || line.front().kind != TokenKind::identifier) {
    error(name.location, "#" + std::string(name.text) + " needs the name of a macro");
    return false;
  }
  if (line.size() > 1) {
    state_.diagnostics.warning(Warning::extra_tokens, line[1].location,
                               "text after #" + std::string(name.text) + " is ignored");
  }
  OpenFile& top = *open_.back();
  if (top.guard_state == GuardState::inside && top.conditions.empty())
    top.guard = line.front().text;
  return state_.macros.find(line.front().text) != nullptr;
}

void Preprocessor::handle_if(const Token& name) {
  const std::vector<Token> line = read_line();
  open_condition(name, !is_skipping() && is_condition_true(name, line));
}

void Preprocessor::handle_ifdef(const Token& name) {
  if (is_skipping()) {
    read_line();
    open_condition(name, false);
    return;
  }
  open_condition(name, is_named_macro_defined(name) == (name.text == "ifdef"));
}

void Preprocessor::handle_elif(const Token& name) {
  auto& conditions = open_.back()->conditions;
  if (conditions.empty() || conditions.back().has_else) {
    error(name.location,
          "#" + std::string(name.text) + (conditions.empty() ? " without #if" : " after #else"));
    read_line();
    return;
  }
  Condition& condition = conditions.back();
  const bool is_candidate = condition.is_parent_active && !condition.was_taken;
  bool is_true = false;
  if (!is_candidate) {
    read_line();
  } else if (name.text == "elif") {
    is_true = is_condition_true(name, read_line());
  } else {
    is_true = is_named_macro_defined(name) == (name.text == "elifdef");
  }
  condition.is_active = is_true;
  condition.was_taken = condition.was_taken || is_true;
}

void Preprocessor::handle_else(const Token& name) {
  auto& conditions = open_.back()->conditions;
  if (conditions.empty() || conditions.back().has_else) {
    error(name.location, conditions.empty() ? "#else without #if" : "#else after #else");
    read_line();
    return;
  }
  expect_line_end(name);
  Condition& condition = conditions.back();
  condition.has_else = true;
  condition.is_active = condition.is_parent_active && !condition.was_taken;
  condition.was_taken = true;
}

void Preprocessor::handle_endif(const Token& name) {
  auto& conditions = open_.back()->conditions;
  if (conditions.empty()) {
    error(name.location, "#endif without #if");
    read_line();
    return;
  }
  expect_line_end(name);
  conditions.pop_back();
}

}  // namespace perigee::idlc
