// Evaluates the expressions of #if and #elif by precedence climbing. Operands that `&&`, `||` and
// `?:` skip are parsed but not evaluated.
#include "idlc/frontend/condition.h"

#include <array>
#include <limits>

namespace perigee::idlc {
namespace {

// Unsigned, so that overflow wraps instead of being undefined. Comparisons and division convert to
// signed.
using Bits = std::uint64_t;
constexpr Bits bits_max = std::numeric_limits<Bits>::max();

std::int64_t as_signed(Bits bits) { return static_cast<std::int64_t>(bits); }

struct BinaryOperator {
  std::string_view text;
  int precedence;
};

constexpr std::array<BinaryOperator, 18> binary_operators = {{{"||", 1},
                                                              {"&&", 2},
                                                              {"|", 3},
                                                              {"^", 4},
                                                              {"&", 5},
                                                              {"==", 6},
                                                              {"!=", 6},
                                                              {"<", 7},
                                                              {">", 7},
                                                              {"<=", 7},
                                                              {">=", 7},
                                                              {"<<", 8},
                                                              {">>", 8},
                                                              {"+", 9},
                                                              {"-", 9},
                                                              {"*", 10},
                                                              {"/", 10},
                                                              {"%", 10}}};

class Condition final {
 public:
  Condition(const std::vector<Token>& tokens, Location directive, ExpansionState& state)
      : tokens_(tokens), directive_(directive), state_(state) {}

  std::optional<bool> run() {
    const Bits value = conditional();
    if (!failed_ && index_ != tokens_.size()) {
      fail(tokens_[index_].location,
           describe(tokens_[index_]) + " is not expected in an #if expression");
    }
    if (failed_) return std::nullopt;
    return value != 0;
  }

 private:
  [[nodiscard]] bool at(std::string_view text) const {
    return index_ < tokens_.size() && tokens_[index_].is(text);
  }
  [[nodiscard]] Location here() const {
    return index_ < tokens_.size() ? tokens_[index_].location : directive_;
  }
  Bits fail(Location location, std::string text) {
    if (!failed_) state_.diagnostics.error(location, std::move(text));
    failed_ = true;
    return 0;
  }
  bool accept(std::string_view text) {
    if (!at(text)) return false;
    ++index_;
    return true;
  }

  Bits conditional();
  Bits binary(int precedence_min);
  Bits unary();
  Bits primary();
  Bits number(const Token& token);
  Bits character(const Token& token);
  Bits apply(std::string_view text, Bits left, Bits right, Location location);
  Bits divide(std::string_view text, Bits left, Bits right, Location location);

  const std::vector<Token>& tokens_;
  Location directive_;
  ExpansionState& state_;
  std::size_t index_ = 0;
  std::size_t depth_ = 0;
  std::size_t skipped_ = 0;  ///< > 0: inside an operand whose value does not matter
  bool failed_ = false;
};

Bits Condition::conditional() {
  if (++depth_ > state_.limits.nesting_depth_max) {
    return fail(here(), "the #if expression is nested too deeply");
  }
  const Bits condition = binary(1);
  Bits result = condition;
  if (!failed_ && accept("?")) {
    skipped_ += condition == 0 ? 1 : 0;
    const Bits first = conditional();
    skipped_ -= condition == 0 ? 1 : 0;
    if (!failed_ && !accept(":"))
      return fail(here(), "expected ':' after '?' in an #if expression");
    skipped_ += condition != 0 ? 1 : 0;
    const Bits second = conditional();
    skipped_ -= condition != 0 ? 1 : 0;
    result = condition != 0 ? first : second;
  }
  --depth_;
  return result;
}

Bits Condition::binary(int precedence_min) {
  Bits left = unary();
  while (!failed_ && index_ < tokens_.size() && tokens_[index_].kind == TokenKind::punctuation) {
    const BinaryOperator* found = nullptr;
    for (const BinaryOperator& candidate : binary_operators) {
      if (candidate.text == tokens_[index_].text) found = &candidate;
    }
    if (found == nullptr || found->precedence < precedence_min) break;
    const Location location = tokens_[index_++].location;
    const bool skips = (found->text == "||" && left != 0) || (found->text == "&&" && left == 0);
    skipped_ += skips ? 1 : 0;
    const Bits right = binary(found->precedence + 1);
    skipped_ -= skips ? 1 : 0;
    left = apply(found->text, left, right, location);
  }
  return left;
}

Bits Condition::divide(std::string_view text, Bits left, Bits right, Location location) {
  if (right == 0) return skipped_ > 0 ? 0 : fail(location, "division by zero in an #if expression");
  // The only quotient that overflows: -2^63 / -1.
  if (as_signed(right) == -1) return text == "/" ? Bits{0} - left : 0;
  return static_cast<Bits>(text == "/" ? as_signed(left) / as_signed(right)
                                       : as_signed(left) % as_signed(right));
}

Bits Condition::apply(std::string_view text, Bits left, Bits right, Location location) {
  constexpr Bits width = 64;
  if (text == "||") return left != 0 || right != 0 ? 1 : 0;
  if (text == "&&") return left != 0 && right != 0 ? 1 : 0;
  if (text == "|") return left | right;
  if (text == "^") return left ^ right;
  if (text == "&") return left & right;
  if (text == "==") return left == right ? 1 : 0;
  if (text == "!=") return left != right ? 1 : 0;
  if (text == "<") return as_signed(left) < as_signed(right) ? 1 : 0;
  if (text == ">") return as_signed(left) > as_signed(right) ? 1 : 0;
  if (text == "<=") return as_signed(left) <= as_signed(right) ? 1 : 0;
  if (text == ">=") return as_signed(left) >= as_signed(right) ? 1 : 0;
  if (text == "<<") return right < width ? left << right : 0;
  if (text == ">>") return right < width ? static_cast<Bits>(as_signed(left) >> right) : 0;
  if (text == "+") return left + right;
  if (text == "-") return left - right;
  if (text == "*") return left * right;
  return divide(text, left, right, location);
}

Bits Condition::unary() {
  if (++depth_ > state_.limits.nesting_depth_max) {
    return fail(here(), "the #if expression is nested too deeply");
  }
  Bits result = 0;
  if (accept("!")) {
    result = unary() == 0 ? 1 : 0;
  } else if (accept("-")) {
    result = Bits{0} - unary();
  } else if (accept("+")) {
    result = unary();
  } else if (accept("~")) {
    result = ~unary();
  } else {
    result = primary();
  }
  --depth_;
  return result;
}

Bits Condition::primary() {
  if (index_ == tokens_.size()) {
    return fail(directive_, tokens_.empty() ? "#if needs an expression"
                                            : "the #if expression ends where a value is expected");
  }
  const Token& token = tokens_[index_++];
  if (token.is("(")) {
    const Bits value = conditional();
    if (!failed_ && !accept(")")) return fail(here(), "expected ')' in an #if expression");
    return value;
  }
  switch (token.kind) {
    case TokenKind::number:
      return number(token);
    case TokenKind::character:
      return character(token);
    case TokenKind::identifier:
      return 0;
    default:
      return fail(token.location, describe(token) + " is not expected in an #if expression");
  }
}

Bits Condition::number(const Token& token) {
  std::string_view text = token.text;
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  Bits base = 10;
  if (text.size() > 2 && (text.starts_with("0x") || text.starts_with("0X"))) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  Bits value = 0;
  for (const char c : text) {
    Bits digit = base;
    if (c >= '0' && c <= '9') digit = static_cast<Bits>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<Bits>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') digit = static_cast<Bits>(c - 'A') + 10;
    if (digit >= base) {
      return fail(token.location,
                  describe(token) + " is not an integer: an #if expression has only integers");
    }
    if (value > (bits_max - digit) / base)
      return fail(token.location, describe(token) + " does not fit into 64 bits");
    value = value * base + digit;
  }
  return value;
}

Bits Condition::character(const Token& token) {
  const std::string_view text = token.text;
  if (text.size() == 3) return static_cast<unsigned char>(text[1]);
  return fail(token.location, describe(token) + " is not supported in an #if expression");
}

}  // namespace

std::optional<bool> evaluate_condition(const std::vector<Token>& tokens, Location directive,
                                       ExpansionState& state) {
  return Condition(tokens, directive, state).run();
}

}  // namespace perigee::idlc
