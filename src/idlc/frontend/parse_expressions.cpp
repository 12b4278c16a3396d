// Parses and evaluates constant expressions. CORBA 3.0, 3.10.2.
#include "idlc/frontend/constants.h"
#include "idlc/frontend/grammar.h"
#include "idlc/frontend/literals.h"

#include <array>
#include <utility>

namespace perigee::idlc {
namespace {

class Expression final {
 public:
  Expression(Context& context, const Type* target)
      : context_(context),
        arithmetic_{context.diagnostics, target == nullptr ? nullptr : &unaliased(*target)} {}

  Operand parse() { return binary(0); }

 private:
  Operand binary(std::size_t level);
  Operand unary();
  Operand primary();
  Operand number(const Token& token);
  Operand character(const Token& token);
  Operand strings();
  Operand named();

  Context& context_;
  ArithmeticContext arithmetic_;
};

// The binary operators, from the weakest to the strongest: or, xor, and, shift, add, multiply.
constexpr std::array<std::array<std::string_view, 3>, 6> levels = {
    {{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}};

Operand Expression::binary(std::size_t level) {
  if (level == levels.size()) return unary();
  Operand left = binary(level + 1);
  while (left.is_valid()) {
    std::string_view op;
    for (const std::string_view candidate : levels[level]) {
      if (candidate.empty() || !context_.tokens.at(candidate)) continue;
      if (candidate == ">>" && context_.angle_depth > 0) continue;
      op = candidate;
    }
    if (op.empty()) break;
    context_.tokens.next();
    left = apply_binary(op, left, binary(level + 1), arithmetic_);
  }
  return left;
}

Operand Expression::unary() {
  const Nesting nesting(context_);
  if (!nesting.is_ok()) return {};
  for (const std::string_view op : {"-", "+", "~"}) {
    if (!context_.tokens.at(op)) continue;
    const Location location = context_.tokens.next().location;
    Operand result = apply_unary(op, unary(), arithmetic_);
    result.location = location;
    return result;
  }
  return primary();
}

Operand Expression::primary() {
  TokenStream& tokens = context_.tokens;
  const Token& token = tokens.peek();
  if (tokens.accept("(")) {
    const std::size_t angle_depth = std::exchange(context_.angle_depth, 0);
    Operand result = binary(0);
    context_.angle_depth = angle_depth;
    if (result.is_valid() && !tokens.expect(")", "in the constant expression")) return {};
    return result;
  }
  switch (token.kind) {
    case TokenKind::number:
      return number(tokens.next());
    case TokenKind::character:
      return character(tokens.next());
    case TokenKind::string:
      return strings();
    case TokenKind::identifier:
      return named();
    case TokenKind::bad:  // the lexer has reported it
      tokens.next();
      return {};
    default:
      break;
  }
  if (token.is("::")) return named();
  if (tokens.at_keyword("TRUE") || tokens.at_keyword("FALSE")) {
    const Token word = tokens.next();
    return {word.text == "TRUE", word.location};
  }
  tokens.report_unexpected("a constant expression");
  return {};
}

/// omniORB and others accept 1.5 instead of 1.5d in the constants of a fixed type.
NumberLiteral floating_as_fixed(const Token& token, Diagnostics& diagnostics) {
  NumberLiteral literal = fixed_of_floating(token, diagnostics);
  if (std::holds_alternative<FixedValue>(literal)) {
    diagnostics
        .warning(
            Warning::literal_kind, token.location,
            describe(token) + " is a floating-point number, but the constant is of a fixed type")
        .hint = "a fixed-point number ends with d: 1.5d";
  }
  return literal;
}

Operand Expression::number(const Token& token) {
  Operand operand;
  operand.location = token.location;
  const bool is_for_fixed =
      arithmetic_.target != nullptr && arithmetic_.target->kind == TypeKind::fixed;
  const NumberLiteral literal = is_for_fixed && is_floating(token)
                                    ? floating_as_fixed(token, context_.diagnostics)
                                    : number_literal(token, context_.diagnostics);
  if (const auto* integer = std::get_if<std::uint64_t>(&literal))
    operand.value = WideInteger{*integer};
  if (const auto* real = std::get_if<long double>(&literal)) operand.value = *real;
  if (const auto* fixed = std::get_if<FixedValue>(&literal)) operand.value = *fixed;
  return operand;
}

Operand Expression::character(const Token& token) {
  Operand operand;
  operand.location = token.location;
  if (is_wide(token)) {
    const auto text = wide_text(token, context_.diagnostics);
    if (!text) return operand;
    if (text->size() == 1) operand.value = text->front();
  } else {
    const auto text = narrow_text(token, context_.diagnostics);
    if (!text) return operand;
    if (text->size() == 1) operand.value = text->front();
  }
  if (!operand.is_valid()) {
    context_.error(token.location, "a character literal contains exactly one character");
  }
  return operand;
}

/// Adjacent string literals form one string.
Operand Expression::strings() {
  Operand operand;
  operand.location = context_.tokens.peek().location;
  const bool is_wide_first = is_wide(context_.tokens.peek());
  std::string narrow;
  std::u32string wide;
  while (context_.tokens.peek().kind == TokenKind::string) {
    const Token token = context_.tokens.next();
    if (is_wide(token) != is_wide_first) {
      context_.error(token.location, "a string and a wide string cannot be joined");
      return operand;
    }
    if (is_wide_first) {
      const auto text = wide_text(token, context_.diagnostics);
      if (!text) return operand;
      wide += *text;
    } else {
      const auto text = narrow_text(token, context_.diagnostics);
      if (!text) return operand;
      narrow += *text;
    }
  }
  if (is_wide_first) {
    operand.value = std::move(wide);
  } else {
    operand.value = std::move(narrow);
  }
  return operand;
}

Operand Expression::named() {
  const ScopedName name = parse_scoped_name(context_, "the name of a constant");
  if (name.is_empty()) return {};
  const Declaration* declaration = context_.scopes.resolve(name);
  if (declaration == nullptr) return {{}, name.location()};
  if (const auto* constant = as<Constant>(declaration))
    return operand_of(constant->value, name.location());
  if (const auto* enumerator = as<Enumerator>(declaration)) return {enumerator, name.location()};
  context_.error(
      name.location(),
      "'" + name.text() + "' is " + with_article(to_text(declaration->kind)) + ", not a constant");
  return {{}, name.location()};
}

}  // namespace

std::optional<Value> parse_constant(Context& context, const Type& type) {
  const Operand operand = Expression(context, &type).parse();
  return convert(operand, type, context.diagnostics);
}

std::optional<std::uint64_t> parse_positive(Context& context, std::string_view what,
                                            std::uint64_t greatest) {
  const Operand operand = Expression(context, context.types.basic(TypeKind::uint64)).parse();
  if (!operand.is_valid()) return std::nullopt;
  const auto* value = std::get_if<WideInteger>(&operand.value);
  if (value == nullptr || *value < 1 || *value > greatest) {
    context.error(operand.location,
                  std::string(what) + " must be an integer from 1 to " + std::to_string(greatest));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*value);
}

Value parse_natural_value(Context& context) {
  return natural_value(Expression(context, nullptr).parse());
}

}  // namespace perigee::idlc
