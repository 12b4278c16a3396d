// Parses definitions at file and module level. CORBA 3.0, 3.4 to 3.6.
#include "base/nearest_name.h"
#include "idlc/frontend/checks.h"
#include "idlc/frontend/grammar.h"
#include "idlc/frontend/literals.h"
#include "idlc/frontend/redeclared_builtins.h"

#include <ranges>

namespace perigee::idlc {

std::optional<Identifier> parse_identifier(Context& context, std::string_view what) {
  if (context.tokens.peek().kind != TokenKind::identifier) {
    context.tokens.report_unexpected(what);
    return std::nullopt;
  }
  const Token token = context.tokens.next();
  return Identifier{std::string(token.text), token.location};
}

ScopedName parse_scoped_name(Context& context, std::string_view what) {
  TokenStream& tokens = context.tokens;
  ScopedName name;
  name.is_absolute = tokens.accept("::");
  do {
    // CORBA::Object and CORBA::ValueBase: after `::` these two keywords are names.
    const bool is_word =
        !name.is_empty() && (tokens.at_keyword("Object") || tokens.at_keyword("ValueBase"));
    if (tokens.peek().kind != TokenKind::identifier && !is_word) {
      tokens.report_unexpected(name.is_empty() ? what : "a name after '::'");
      return {};
    }
    const Token token = tokens.next();
    name.parts.push_back({std::string(token.text), token.location});
  } while (tokens.accept("::"));
  return name;
}

void report_other_kind(Context& context, const ScopedName& name, const Declaration& found,
                       std::string_view expected) {
  context
      .error(name.location(), "'" + name.text() + "' is " + with_article(to_text(found.kind)) +
                                  ", not " + std::string(expected))
      .notes.push_back({found.location, "it was declared here"});
}

void report_undefined_base(Context& context, const ScopedName& name, const Declaration& base) {
  if (context.scopes.is_inside(base)) {
    context.error(name.location(), "'" + base.name + "' cannot be a base of itself");
    return;
  }
  context
      .error(name.location(), "the base " + std::string(to_text(base.kind)) + " '" + base.name +
                                  "' is not defined yet")
      .notes.push_back({base.location, "it is only declared here"});
}

void finish_declaration(Context& context, Declaration* declared, std::string_view after) {
  context.tokens.expect_semicolon(after);
  if (declared == nullptr) return;
  const std::size_t known_count = declared->annotations.size();
  add_trailing_annotations(context, declared->annotations);
  const auto* enumeration = as<Enum>(declared);
  if (enumeration != nullptr && enumeration->annotations.size() != known_count)
    check_enumerators(context, *enumeration);
}

void finish_declarations(Context& context, const std::vector<Declaration*>& declared,
                         std::string_view after) {
  const Annotations& annotations = declared.back()->annotations;
  const auto known_count = static_cast<std::ptrdiff_t>(annotations.size());
  finish_declaration(context, declared.back(), after);
  for (Declaration* each : declared | std::views::take(declared.size() - 1))
    each->annotations.insert(each->annotations.end(), annotations.begin() + known_count,
                             annotations.end());
}

Declaration* parse_module(Context& context, Annotations annotations) {
  const Nesting nesting(context);
  TokenStream& tokens = context.tokens;
  tokens.next();
  if (nesting.is_ok() && parse_scoped_instance(context, annotations)) return nullptr;
  const auto identifier = parse_identifier(context, "the name of the module");
  if (nesting.is_ok() && identifier && tokens.at("<")) {
    parse_template_module(context, *identifier, std::move(annotations));
    return nullptr;
  }
  if (!nesting.is_ok() || !identifier || !tokens.expect("{", "after the name of the module")) {
    tokens.recover();
    return nullptr;
  }
  const Symbol* known = context.scopes.current().find_exact(identifier->name);
  auto* first = known == nullptr ? nullptr : as<Module>(known->declaration);
  Module& module = context.model.make<Module>();
  describe_declaration(context, module, *identifier);
  module.annotations = std::move(annotations);
  if (first == nullptr) first = &module;
  module.first_opening = first;
  first->openings.push_back(&module);
  context.contents->push_back(&module);
  if (first == &module) {
    context.scopes.declare(*identifier, &module, "module");
  } else {
    context.ids.share(module, *first);
  }
  {
    const Inside inside(context, module, module.contents);
    parse_definitions(context);
    if (!tokens.expect("}", "at the end of module '" + module.name + "'")) return &module;
  }
  finish_declaration(context, &module, "the module");
  return &module;
}

namespace {

bool is_constant_type(const Type& type) {
  switch (unaliased(type).kind) {
    case TypeKind::boolean:
    case TypeKind::octet:
    case TypeKind::char8:
    case TypeKind::wchar:
    case TypeKind::int8:
    case TypeKind::uint8:
    case TypeKind::int16:
    case TypeKind::uint16:
    case TypeKind::int32:
    case TypeKind::uint32:
    case TypeKind::int64:
    case TypeKind::uint64:
    case TypeKind::float32:
    case TypeKind::float64:
    case TypeKind::float128:
    case TypeKind::string:
    case TypeKind::wstring:
    case TypeKind::fixed:
    case TypeKind::enumeration:
      return true;
    default:
      return false;
  }
}

/// Parses the type of a constant. Only this type may be `fixed` without digits; `Type::digits` is 0
/// then.
const Type* parse_constant_type(Context& context) {
  TokenStream& tokens = context.tokens;
  if (!tokens.at_keyword("fixed") || tokens.peek(1).is("<"))
    return parse_type(context, "the type of the constant");
  tokens.next();
  return context.types.basic(TypeKind::fixed);
}

Declaration* parse_constant_declaration(Context& context, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  tokens.next();
  const Location type_location = tokens.peek().location;
  const Type* type = parse_constant_type(context);
  const auto identifier =
      type == nullptr ? std::nullopt : parse_identifier(context, "the name of the constant");
  if (!identifier || !tokens.expect("=", "after the name of the constant")) {
    tokens.recover();
    return nullptr;
  }
  if (!is_constant_type(*type)) {
    context.error(type_location, "a constant cannot be of type '" + to_text(*type) + "'");
    tokens.recover();
    return nullptr;
  }
  std::optional<Value> value = parse_constant(context, *type);
  // Declared even if its value is wrong, so that its uses cause no further errors.
  Constant& constant = declare<Constant>(context, *identifier, std::move(annotations));
  constant.type = type;
  if (value) constant.value = std::move(*value);
  if (!value && !tokens.at(";")) {
    tokens.recover();
    return &constant;
  }
  finish_declaration(context, &constant, "the constant");
  return &constant;
}

Declaration* parse_typedef(Context& context, const Annotations& annotations) {
  TokenStream& tokens = context.tokens;
  tokens.next();
  const Location type_location = tokens.peek().location;
  const Type* base = parse_member_type(context, "a type after 'typedef'");
  if (base == nullptr) {
    tokens.recover();
    return nullptr;
  }
  std::vector<Declaration*> declared;
  do {
    const auto identifier = parse_identifier(context, "the name of the new type");
    const Type* type = identifier ? parse_dimensions(context, base) : nullptr;
    if (type == nullptr) {
      tokens.recover();
      return declared.empty() ? nullptr : declared.back();
    }
    if (declared.empty()) check_alias(context, *type, type_location);
    auto& definition = declare<Typedef>(context, *identifier, annotations);
    definition.type = type;
    definition.initial = default_of(context, annotations, *type);
    note_local(context, definition, *type);
    limit_depth(context, definition, context.types.depth(*type));
    declared.push_back(&definition);
  } while (tokens.accept(","));
  finish_declarations(context, declared, "the typedef");
  return declared.back();
}

Declaration* parse_native(Context& context, Annotations annotations) {
  context.tokens.next();
  const auto identifier = parse_identifier(context, "the name of the native type");
  if (!identifier) {
    context.tokens.recover();
    return nullptr;
  }
  Native& native = declare<Native>(context, *identifier, std::move(annotations));
  finish_declaration(context, &native, "the native type");
  return &native;
}

/// Parses the `;` after typeid and typeprefix. Files for JacORB omit it after typeprefix.
void finish_type_id(Context& context, const Token& word) {
  TokenStream& tokens = context.tokens;
  const Location end = tokens.previous_end();
  const Location next = tokens.peek().location;
  const bool is_line_end = next.line != end.line || next.file != end.file;
  const bool is_omitted = word.text == "typeprefix" && !tokens.at(";") &&
                          (tokens.at_end() || tokens.at("}") || is_line_end);
  if (is_omitted) {
    context.diagnostics.warning(Warning::missing_semicolon, end, "expected ';' after typeprefix");
  } else {
    tokens.expect_semicolon("the " + std::string(word.text));
  }
}

/// Parses `typeid A::B "IDL:…";` or `typeprefix A "acme.com";`.
void parse_type_id(Context& context) {
  TokenStream& tokens = context.tokens;
  const Token word = tokens.next();
  const ScopedName name =
      parse_scoped_name(context, "a name after '" + std::string(word.text) + "'");
  Declaration* declaration = name.is_empty() ? nullptr : context.scopes.resolve(name);
  if (declaration == nullptr || tokens.peek().kind != TokenKind::string) {
    if (declaration != nullptr) tokens.report_unexpected("a string");
    tokens.recover();
    return;
  }
  const Token token = tokens.next();
  const std::string text = narrow_text(token, context.diagnostics).value_or("");
  if (word.text == "typeid") {
    context.ids.set_id(*declaration, text, token.location);
  } else if (context.ids.check_prefix(text, token.location)) {
    context.ids.set_type_prefix(*declaration, text, token.location);
    if (Scope* scope = context.scopes.scope_of(declaration)) {
      scope->type_prefix = text;
      scope->has_type_prefix = true;
      if (scope == &context.scopes.current()) context.ids.set_scope_prefix(text, *declaration);
    }
  }
  finish_type_id(context, word);
}

/// Whether the current token is `word`. It is not a keyword, but starts a statement if a name
/// follows.
bool at_statement_word(const Context& context, std::string_view word) {
  return context.tokens.at_word(word) &&
         (context.tokens.peek(1).kind == TokenKind::identifier || context.tokens.peek(1).is("::"));
}

bool at_import(const Context& context) {
  return at_statement_word(context, "import") ||
         (context.tokens.at_word("import") &&
          context.tokens.peek(1).kind != TokenKind::punctuation);
}

void report_no_definition(Context& context) {
  TokenStream& tokens = context.tokens;
  const Token& token = tokens.peek();
  Diagnostic* diagnostic = tokens.report_unexpected("a definition");
  if (diagnostic != nullptr && token.kind == TokenKind::identifier) {
    constexpr std::string_view first_words[] = {"module", "interface", "struct",   "union",
                                                "enum",   "typedef",   "const",    "exception",
                                                "native", "local",     "abstract", "valuetype"};
    const std::string near = nearest_name(token.text, first_words);
    if (!near.empty()) diagnostic->hint = "did you mean '" + near + "'?";
  }
  if (token.is(";")) {
    tokens.next();
  } else {
    tokens.recover();
    // A second ';' must not cause an error of its own.
    tokens.accept(";");
  }
}

void parse_one_definition(Context& context) {
  TokenStream& tokens = context.tokens;
  Annotations annotations = parse_annotations(context);
  if (tokens.at("@")) return skip_annotation_definition(context);
  if (at_import(context)) return parse_import(context);
  context.files_with_definitions.insert(tokens.peek().location.file);
  bool handled = false;
  parse_common_definition(context, annotations, handled);
  if (handled) return;
  if (tokens.at_keyword("module")) {
    parse_module(context, std::move(annotations));
  } else if (at_interface(context)) {
    parse_interface(context, std::move(annotations));
  } else if (at_value_type(context)) {
    parse_value_type(context, std::move(annotations));
  } else if (at_statement_word(context, "alias")) {
    parse_template_alias(context, std::move(annotations));
  } else if (!skip_component(context)) {
    report_no_definition(context);
  }
}

void parse_definition(Context& context) {
  parse_one_definition(context);
  settle_redeclared(context);
}

}  // namespace

Declaration* parse_common_definition(Context& context, Annotations annotations, bool& handled) {
  TokenStream& tokens = context.tokens;
  handled = true;
  if (tokens.at_keyword("const"))
    return parse_constant_declaration(context, std::move(annotations));
  if (tokens.at_keyword("typedef")) return parse_typedef(context, annotations);
  if (tokens.at_keyword("native")) return parse_native(context, std::move(annotations));
  if (at_statement_word(context, "typeid") || at_statement_word(context, "typeprefix")) {
    parse_type_id(context);
    return nullptr;
  }
  using Parse = Declaration* (*)(Context&, Annotations);
  Parse parse = nullptr;
  if (tokens.at_keyword("struct")) parse = parse_struct;
  if (tokens.at_keyword("union")) parse = parse_union;
  if (tokens.at_keyword("enum")) parse = parse_enum;
  if (tokens.at_keyword("exception")) parse = parse_exception;
  if (tokens.at_keyword("bitmask")) parse = parse_bitmask;
  if (tokens.at_keyword("bitset")) parse = parse_bitset;
  if (parse == nullptr) {
    handled = false;
    return nullptr;
  }
  const std::string what = "the " + std::string(tokens.peek().text);
  Declaration* declared = parse(context, std::move(annotations));
  if (declared == nullptr) {
    tokens.recover();
  } else {
    finish_declaration(context, declared, what);
  }
  return declared;
}

void parse_definitions(Context& context) {
  while (!context.tokens.at_end() && !context.tokens.at("}")) parse_definition(context);
}

void parse_specification(Context& context) {
  while (!context.tokens.at_end()) {
    parse_definitions(context);
    if (context.tokens.at_end()) break;
    context.error(context.tokens.next().location, "this '}' closes nothing");
    context.tokens.accept(";");
  }
  context.tokens.next();  // delivers the events in front of the end
  for (SourceFile& file : context.model.files) file.is_part = context.scopes.is_part(file);
  check_forwards(context);
  check_includes(context);
  context.ids.finish();
}

}  // namespace perigee::idlc
