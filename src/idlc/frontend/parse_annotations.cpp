// Parses annotations: `@name`, `@name(value)`, `@name(a=1, b=2)`, and the same in comments,
// `//@name`.
#include "idlc/frontend/annotation_requests.h"
#include "idlc/frontend/constants.h"
#include "idlc/frontend/grammar.h"
#include "idlc/frontend/lexer.h"
#include "idlc/frontend/scanner.h"

#include <algorithm>
#include <optional>

namespace perigee::idlc {
namespace {

std::string joined(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    if (!text.empty() && token.space_before) text += ' ';
    if (token.is_escaped) text += '_';
    text += token.text;
  }
  return text;
}

/// Reads up to the `,` or `)` that ends the parameter. The value need not be a valid constant: an
/// annotation of another vendor may contain any text.
AnnotationParameter parse_parameter(Context& context) {
  AnnotationParameter parameter;
  TokenStream& tokens = context.tokens;
  if (tokens.peek().kind == TokenKind::identifier && tokens.peek(1).is("=")) {
    parameter.name = tokens.next().text;
    tokens.next();
  }
  const std::size_t start = tokens.position();
  std::size_t depth = 0;
  while (!tokens.at_end() && !tokens.at(";") && !tokens.at("{") &&
         (depth > 0 || (!tokens.at(",") && !tokens.at(")")))) {
    if (tokens.at("(")) ++depth;
    if (tokens.at(")") && depth > 0) --depth;
    tokens.next();
  }
  std::vector<Token> text = tokens.tokens_since(start);
  parameter.text = joined(text);
  Token end;
  end.location = tokens.previous_end();
  text.push_back(end);
  const Diagnostics::Mute mute(context.diagnostics);
  tokens.parse_aside(text, [&] {
    parameter.value = parse_natural_value(context);
    if (!context.tokens.at_end()) parameter.value = {};
  });
  // Other compilers accept @CORBA(ami=true).
  if (parameter.text == "true" || parameter.text == "false") {
    parameter.value = parameter.text == "true";
  }
  return parameter;
}

void warn_of_annotation(Context& context, const Annotation& annotation, std::string hint) {
  if (!is_in_main_file(context, annotation.location)) return;
  context.diagnostics
      .warning(Warning::ignored_annotations, annotation.location,
               "@" + annotation.name + " has no effect here")
      .hint = std::move(hint);
}

void parse_annotation(Context& context, Annotations& annotations) {
  TokenStream& tokens = context.tokens;
  Annotation annotation;
  annotation.location = tokens.next().location;  // the @
  const auto is_name = [](const Token& token) {
    return token.kind == TokenKind::identifier || token.kind == TokenKind::keyword;
  };
  const bool is_far = tokens.peek().kind == TokenKind::keyword && tokens.peek().space_before;
  if (!is_name(tokens.peek()) || is_far) {
    tokens.report_unexpected("the name of an annotation after '@'");
    return;
  }
  annotation.name = tokens.next().text;
  // `@key ::M::T x`: the blank in front of the type shows that the type does not belong to the
  // annotation.
  while (tokens.at("::") && !tokens.peek().space_before && !tokens.peek().starts_line &&
         is_name(tokens.peek(1))) {
    tokens.next();
    annotation.name += "::" + std::string(tokens.next().text);
  }
  if (tokens.at("(") && tokens.peek().location.line == annotation.location.line) {
    tokens.next();
    if (!tokens.at(")")) {
      do {
        annotation.parameters.push_back(parse_parameter(context));
      } while (tokens.accept(","));
    }
    if (!tokens.expect(")", "after the parameters of the annotation")) return;
  }
  check_annotation_name(annotation, context.diagnostics);
  annotations.push_back(std::move(annotation));
}

/// Whether the annotation is `@default` without a constant, as in the comment `//@default is 3`.
bool is_default_without_constant(const Annotation& annotation) {
  return annotation.name == "default" &&
         (annotation.parameters.empty() ||
          std::holds_alternative<std::monostate>(annotation.parameters.front().value));
}

/// The tokens of a text that the preprocessor did not process, with the `end` token after them.
/// `//@` inside the text starts a further annotation: its two slashes are skipped.
std::vector<Token> tokens_of(std::string_view text, Location origin, TextPool& pool) {
  std::vector<Token> tokens;
  std::optional<Scanner> scanner(std::in_place, text, origin, pool);
  for (Token token = scanner->next(); token.kind != TokenKind::end; token = scanner->next()) {
    if (token.kind == TokenKind::annotation_comment) {
      scanner.emplace(token.text, origin, pool);
    } else {
      tokens.push_back(token);
    }
  }
  Token end;
  end.location = origin;
  tokens.push_back(end);
  return tokens;
}

void parse_comment(Context& context, Event& event, Annotations& annotations) {
  const Token& comment = event.tokens.front();
  Location origin = comment.location;
  origin.column += 2;
  TextPool pool(comment.text.size() + 1);
  std::vector<Token> tokens = tokens_of(comment.text, origin, pool);
  const std::size_t known_count = annotations.size();
  {
    // A comment may contain any text. Text that is not an annotation is ignored.
    const Diagnostics::Mute mute(context.diagnostics);
    classify(tokens, context.options, context.diagnostics);
    context.tokens.parse_aside(tokens, [&] {
      while (context.tokens.at("@")) {
        parse_annotation(context, annotations);
        if (context.tokens.at(",") && context.tokens.peek(1).is("@")) context.tokens.next();
      }
    });
  }
  const auto first = annotations.begin() + static_cast<std::ptrdiff_t>(known_count);
  annotations.erase(std::remove_if(first, annotations.end(), is_default_without_constant),
                    annotations.end());
  for (std::size_t i = known_count; i < annotations.size(); ++i) {
    check_annotation_name(annotations[i], context.diagnostics);
  }
}

}  // namespace

void add_trailing_annotations(Context& context, Annotations& annotations, AnnotatedPlace place) {
  Annotations added;
  for (Event* event : context.tokens.take_annotation_comments(true)) {
    parse_comment(context, *event, added);
  }
  if (place == AnnotatedPlace::other) warn_of_ignored(context, added, "optional");
  annotations.insert(annotations.end(), added.begin(), added.end());
}

Annotations parse_annotations(Context& context, AnnotatedPlace place) {
  Annotations annotations;
  do {
    for (Event* event : context.tokens.take_annotation_comments(false)) {
      parse_comment(context, *event, annotations);
    }
    if (!context.tokens.at("@") || context.tokens.at_word("annotation", 1)) break;
    parse_annotation(context, annotations);
  } while (!context.tokens.at_end());
  if (place == AnnotatedPlace::other) warn_of_ignored(context, annotations, "optional");
  return annotations;
}

std::uint64_t annotated_number(Context& context, const Annotations& annotations,
                               std::string_view name, std::uint64_t otherwise, NumberRange range) {
  for (const Annotation& annotation : annotations) {
    if (annotation.name != name) continue;
    const Value* value =
        annotation.parameters.empty() ? nullptr : &annotation.parameters.front().value;
    const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    if (number != nullptr && *number >= 0 && static_cast<std::uint64_t>(*number) >= range.least &&
        static_cast<std::uint64_t>(*number) <= range.greatest) {
      return static_cast<std::uint64_t>(*number);
    }
    context.error(annotation.location, "@" + annotation.name + " needs an integer from " +
                                           std::to_string(range.least) + " to " +
                                           std::to_string(range.greatest));
  }
  return otherwise;
}

namespace {

/// Types whose values can be written as a literal of C++.
bool can_have_default(const Type& type) {
  switch (unaliased(type).kind) {
    case TypeKind::boolean:
    case TypeKind::char8:
    case TypeKind::wchar:
    case TypeKind::float32:
    case TypeKind::float64:
    case TypeKind::float128:
    case TypeKind::string:
    case TypeKind::wstring:
    case TypeKind::enumeration:
      return true;
    default:
      return integer_range(unaliased(type).kind).has_value();
  }
}

/// The parser evaluates parameters before it knows the type of the member. The value of `~` depends
/// on the type, so the text is evaluated again.
std::optional<Value> value_with_complement(Context& context, const AnnotationParameter& parameter,
                                           const Type& type, Location location) {
  TextPool pool(parameter.text.size() + 1);
  std::vector<Token> tokens = tokens_of(parameter.text, location, pool);
  classify(tokens, context.options, context.diagnostics);
  std::optional<Value> value;
  context.tokens.parse_aside(tokens, [&] { value = parse_constant(context, type); });
  return value;
}

std::optional<Value> default_value(Context& context, const Annotation& annotation,
                                   const Type& type) {
  const AnnotationParameter& parameter = annotation.parameters.front();
  const bool is_number = std::holds_alternative<std::int64_t>(parameter.value) ||
                         std::holds_alternative<std::uint64_t>(parameter.value);
  if (is_number && parameter.text.find('~') != std::string::npos)
    return value_with_complement(context, parameter, type, annotation.location);
  const Operand operand = operand_of(parameter.value, annotation.location);
  return convert(operand, type, context.diagnostics);
}

/// The default of the nearest typedef that has one; else monostate.
Value default_of_typedefs(const Type& type) {
  const auto* definition = type.declaration == nullptr ? nullptr : as<Typedef>(type.declaration);
  return definition == nullptr ? Value() : definition->initial;
}

}  // namespace

void warn_of_ignored(Context& context, const Annotations& annotations, std::string_view name) {
  const std::string hint =
      name == "optional" ? "only members of structs and exceptions can be optional" : "";
  for (const Annotation& annotation : annotations) {
    if (annotation.name == name) warn_of_annotation(context, annotation, hint);
  }
}

Value default_of(Context& context, const Annotations& annotations, const Type& type) {
  const auto found = std::ranges::find(annotations, "default", &Annotation::name);
  if (found == annotations.end()) return default_of_typedefs(type);
  if (!can_have_default(type)) {
    warn_of_annotation(context, *found, "only basic types, strings and enums can have a default");
    return {};
  }
  if (is_default_without_constant(*found)) {
    context.error(found->location, "@default needs a constant, as in @default(3)");
    return {};
  }
  return default_value(context, *found, type).value_or(Value());
}

void apply_optional(Context& context, Member& member) {
  const auto find = [&member](std::string_view name) {
    return std::ranges::find(member.annotations, name, &Annotation::name);
  };
  const auto optional = find("optional");
  if (optional == member.annotations.end()) return;
  if (const auto found = find("default"); found != member.annotations.end()) {
    context.error(found->location, "a member with @optional cannot have a default").hint =
        "it has no value until one is assigned";
  }
  Type& type = context.types.make(TypeKind::optional);
  type.element = member.type;
  member.type = &type;
}

void skip_annotation_definition(Context& context) {
  TokenStream& tokens = context.tokens;
  tokens.next();  // @
  tokens.next();  // annotation
  if (!parse_identifier(context, "the name of the annotation") || !tokens.at("{")) {
    tokens.report_unexpected("'{' after the name of the annotation");
    tokens.recover();
    return;
  }
  tokens.skip_block();
  tokens.expect_semicolon("the annotation");
}

}  // namespace perigee::idlc
