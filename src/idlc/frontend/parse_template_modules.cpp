// Template modules and their instances. IDL 4.2, 7.4.12. An instance is a module: its tokens are
// those of the template, with the arguments in the place of the parameters.
#include "idlc/frontend/grammar.h"
#include "idlc/frontend/template_module.h"

#include <algorithm>
#include <array>

namespace perigee::idlc {
namespace {

constexpr std::array kinds = {"typename", "interface", "valuetype", "struct",
                              "union",    "exception", "enum",      "sequence"};

/// Much more than any file needs. Each instance keeps the tokens of an argument for each parameter.
constexpr std::size_t parameter_count_max = 256;

std::optional<std::string_view> parse_kind(Context& context) {
  const Token& token = context.tokens.peek();
  const bool is_word = token.kind == TokenKind::keyword || token.kind == TokenKind::identifier;
  const auto* const found = std::ranges::find(kinds, token.text);
  if (!is_word || found == kinds.end()) {
    context.tokens.report_unexpected("the kind of a parameter, such as 'typename'");
    return std::nullopt;
  }
  context.tokens.next();
  return *found;
}

/// Parses the type of a sequence's elements: an earlier parameter, or a type. Returns false after
/// an error.
bool parse_element(Context& context) {
  constexpr std::string_view what = "the type of the sequence's elements";
  const bool is_name = context.tokens.peek().kind == TokenKind::identifier;
  return is_name ? !parse_scoped_name(context, what).is_empty()
                 : parse_type(context, what) != nullptr;
}

/// Parses a parameter, such as `typename T`, `sequence<T> S` or `const long N`.
std::optional<TemplateParameter> parse_template_parameter(Context& context) {
  TokenStream& tokens = context.tokens;
  TemplateParameter parameter;
  if (tokens.accept_keyword("const")) {
    parameter.kind = "const";
    parameter.constant_type = parse_type(context, "the type of the parameter");
    if (parameter.constant_type == nullptr) return std::nullopt;
  } else {
    const auto kind = parse_kind(context);
    if (!kind) return std::nullopt;
    parameter.kind = *kind;
  }
  if (parameter.kind == "sequence" && tokens.accept("<")) {
    const InAngles in_angles(context);
    if (!parse_element(context) ||
        !tokens.expect_closing_angle("after the type of the sequence's elements"))
      return std::nullopt;
  }
  const auto identifier = parse_identifier(context, "the name of the parameter");
  if (!identifier) return std::nullopt;
  parameter.name = identifier->name;
  return parameter;
}

/// Adds the parameter. Returns false if it reported an error.
bool add_parameter(Context& context, TemplateModule& made, TemplateParameter parameter,
                   Location location) {
  if (made.parameters.size() == parameter_count_max) {
    context.error(location, "the template module has more than " +
                                std::to_string(parameter_count_max) + " parameters");
    return false;
  }
  if (!made.numbers.emplace(parameter.name, made.parameters.size()).second) {
    context.error(location, "the template module has two parameters '" + parameter.name + "'");
    return false;
  }
  made.parameters.push_back(std::move(parameter));
  return true;
}

bool parse_template_parameters(Context& context, TemplateModule& made) {
  TokenStream& tokens = context.tokens;
  tokens.next();  // <
  do {
    const Location location = tokens.peek().location;
    auto parameter = parse_template_parameter(context);
    if (!parameter || !add_parameter(context, made, std::move(*parameter), location)) return false;
  } while (tokens.accept(","));
  return tokens.expect(">", "after the parameters of the template module");
}

/// Declares the name of the template module. No code is generated for its node.
void declare_template(Context& context, const Identifier& identifier, TemplateModule made) {
  constexpr std::string_view what = "template module";
  auto& node = context.model.make<Interface>();
  describe_declaration(context, node, identifier);
  node.is_component = true;
  node.is_defined = true;
  context.scopes.declare(identifier, &node, what);
  made.scope = &context.scopes.current();
  context.stand_ins.emplace(&node, what);
  context.templates.emplace(&node, std::move(made));
}

/// Reports pragmas and annotation comments in the body, because instances get only its tokens.
void report_skipped(Context& context, const std::vector<Event>& skipped) {
  for (const Event& event : skipped) {
    const bool is_pragma = event.kind == EventKind::pragma;
    Diagnostic& diagnostic = context.error(
        event.location, is_pragma ? "a template module cannot contain #pragma"
                                  : "a template module cannot contain annotations in comments");
    diagnostic.hint = is_pragma ? "write it before or after the instances"
                                : "write the annotation without the comment: @name";
  }
}

void define_template(Context& context, const Identifier& identifier) {
  TokenStream& tokens = context.tokens;
  TemplateModule made;
  if (!parse_template_parameters(context, made)) return tokens.recover();
  if (!tokens.at("{")) {
    tokens.report_unexpected("'{' after the parameters of the template module");
    return tokens.recover();
  }
  const std::size_t position = tokens.position();
  std::vector<Event> skipped;
  if (!tokens.skip_block(skipped)) {
    tokens.report_unexpected("'}' at the end of the template module");
    return;
  }
  report_skipped(context, skipped);
  made.body = tokens.tokens_since(position);
  tokens.expect_semicolon("the template module");
  declare_template(context, identifier, std::move(made));
}

// ---- instances ---------------------------------------------------------------------------------

using Tokens = std::vector<Token>;

/// "::Stock::Quote" as tokens. The text belongs to the declaration.
Tokens name_tokens(const Declaration& declaration, Location location) {
  Tokens result;
  std::string_view rest = declaration.scoped_name;
  Token token;
  token.location = location;
  while (!rest.empty()) {
    token.kind = TokenKind::punctuation;
    token.text = rest.substr(0, 2);  // ::
    result.push_back(token);
    rest.remove_prefix(token.text.size());
    token.kind = TokenKind::identifier;
    token.text = rest.substr(0, rest.find("::"));
    result.push_back(token);
    rest.remove_prefix(token.text.size());
  }
  return result;
}

/// A typedef has the kind of the type that it names.
bool is_of_kind(const Declaration& declaration, std::string_view kind) {
  const auto* definition = as<Typedef>(&declaration);
  if (definition == nullptr) return to_text(declaration.kind) == kind;
  const Type& type = unaliased(*definition->type);
  if (kind == "sequence") return type.kind == TypeKind::sequence;
  return type.declaration != nullptr && to_text(type.declaration->kind) == kind;
}

std::optional<Tokens> parse_named_argument(Context& context, const TemplateParameter& parameter) {
  const std::string kind = parameter.kind == "typename" ? "a type" : with_article(parameter.kind);
  const ScopedName name = parse_scoped_name(context, kind + " as the argument");
  Declaration* declaration = name.is_empty() ? nullptr : context.scopes.resolve(name);
  if (declaration == nullptr) return std::nullopt;
  if (parameter.kind == "typename") {
    if (type_of(context, declaration, name.location()) == nullptr) return std::nullopt;
  } else if (context.templates.contains(declaration)) {
    context.error(name.location(), "'" + name.text() + "' is a template module, not " + kind);
    return std::nullopt;
  } else if (!is_of_kind(*declaration, parameter.kind)) {
    report_other_kind(context, name, *declaration, kind);
    return std::nullopt;
  }
  return name_tokens(*declaration, name.location());
}

/// The tokens since `position`. A `>>` that also ends the arguments gives one more `>`.
Tokens balanced_since(Context& context, std::size_t position) {
  Tokens result = context.tokens.tokens_since(position);
  const auto count = [&result](std::string_view text) {
    return std::ranges::count_if(result, [&](const Token& token) { return token.is(text); });
  };
  for (auto missing = count("<") - count(">"); missing > 0; --missing) {
    result.push_back(result.back());
    result.back().kind = TokenKind::punctuation;
    result.back().text = ">";
  }
  return result;
}

/// The scoped name that begins at `index`. Sets `index` to its last token.
ScopedName name_at(const Tokens& tokens, std::size_t& index) {
  ScopedName name;
  name.is_absolute = tokens[index].is("::");
  if (name.is_absolute) ++index;
  name.parts.push_back({std::string(tokens[index].text), tokens[index].location});
  while (index + 2 < tokens.size() && tokens[index + 1].is("::")) {
    index += 2;
    name.parts.push_back({std::string(tokens[index].text), tokens[index].location});
  }
  return name;
}

/// The valid type or constant with the full names of its declarations. The body of the template
/// module may declare the short names again.
std::optional<Tokens> with_full_names(Context& context, const Tokens& tokens) {
  Tokens result;
  for (std::size_t index = 0; index < tokens.size(); ++index) {
    const Token& token = tokens[index];
    if (token.kind != TokenKind::identifier && !token.is("::")) {
      result.push_back(token);
      continue;
    }
    const Declaration* declaration = context.scopes.resolve(name_at(tokens, index));
    if (declaration == nullptr) return std::nullopt;
    const Tokens full = name_tokens(*declaration, token.location);
    result.insert(result.end(), full.begin(), full.end());
    if (result.size() > context.options.limits.token_count_max) {
      context.error(token.location, "the argument of the template module has too many names");
      return std::nullopt;
    }
  }
  return result;
}

/// Puts the constant into parentheses, because an operator may follow the parameter in the body.
std::optional<Tokens> parse_constant_argument(Context& context, const Type& type) {
  const std::size_t position = context.tokens.position();
  if (!parse_constant(context, type)) return std::nullopt;
  auto result = with_full_names(context, context.tokens.tokens_since(position));
  if (!result) return std::nullopt;
  Token parenthesis = result->front();
  parenthesis.kind = TokenKind::punctuation;
  parenthesis.text = "(";
  result->insert(result->begin(), parenthesis);
  parenthesis.text = ")";
  result->push_back(parenthesis);
  return result;
}

std::optional<Tokens> parse_argument(Context& context, const TemplateParameter& parameter) {
  TokenStream& tokens = context.tokens;
  if (parameter.constant_type != nullptr)
    return parse_constant_argument(context, *parameter.constant_type);
  const bool is_type_without_name = parameter.kind == "typename" || parameter.kind == "sequence";
  const bool is_name = tokens.peek().kind == TokenKind::identifier || tokens.at("::");
  if (is_name || !is_type_without_name) return parse_named_argument(context, parameter);
  const std::size_t position = tokens.position();
  const Location location = tokens.peek().location;
  const Type* type = parse_type(context, "a type as the argument");
  if (type == nullptr) return std::nullopt;
  if (parameter.kind == "sequence" && type->kind != TypeKind::sequence) {
    context.error(location, "'" + to_text(*type) + "' is not a sequence");
    return std::nullopt;
  }
  return with_full_names(context, balanced_since(context, position));
}

std::optional<std::vector<Tokens>> parse_arguments(Context& context, const TemplateModule& made) {
  TokenStream& tokens = context.tokens;
  const InAngles in_angles(context);
  tokens.next();  // <
  std::vector<Tokens> result;
  for (const TemplateParameter& parameter : made.parameters) {
    if (!result.empty() && !tokens.expect(",", "after the argument of the template module"))
      return std::nullopt;
    auto argument = parse_argument(context, parameter);
    if (!argument) return std::nullopt;
    result.push_back(std::move(*argument));
  }
  if (!tokens.expect(">", "after the arguments of the template module")) return std::nullopt;
  return result;
}

/// The argument that stands for the token at `index` of the body; null if it is no parameter.
const Tokens* argument_at(const TemplateModule& made, const std::vector<Tokens>& arguments,
                          std::size_t index) {
  const Token& token = made.body[index];
  if (token.kind != TokenKind::identifier || made.body[index - 1].is("::")) return nullptr;
  const auto found = made.numbers.find(token.text);
  return found == made.numbers.end() ? nullptr : &arguments[found->second];
}

/// Makes the tokens `module name { … };`. Tokens of another file get the location of the instance,
/// because the code of the instance belongs to the file that has it.
Tokens instance_tokens(const TemplateModule& made, const std::vector<Tokens>& arguments,
                       const Token& name) {
  Token token = name;
  token.kind = TokenKind::keyword;
  token.text = "module";
  Tokens result = {token, name};
  for (std::size_t index = 0; index < made.body.size(); ++index) {
    const Tokens* argument = index == 0 ? nullptr : argument_at(made, arguments, index);
    if (argument != nullptr) {
      result.insert(result.end(), argument->begin(), argument->end());
      continue;
    }
    result.push_back(made.body[index]);
    if (result.back().location.file != name.location.file) result.back().location = name.location;
  }
  token.kind = TokenKind::punctuation;
  token.text = ";";
  result.push_back(token);
  token.kind = TokenKind::end;
  token.text = {};
  result.push_back(token);
  return result;
}

/// Reports an instance that would exceed the limit of tokens. Templates that use each other could
/// make any number of them.
bool is_within_limit(Context& context, const TemplateModule& made,
                     const std::vector<Tokens>& arguments, Location location) {
  std::size_t longest = 1;
  for (const Tokens& argument : arguments) longest = std::max(longest, argument.size());
  const std::size_t token_count_max = context.options.limits.token_count_max;
  const std::size_t left = token_count_max - context.instance_token_count;
  if (made.body.size() > left / longest) {
    context.error(location, "the instances of template modules have more than " +
                                std::to_string(token_count_max) + " tokens");
    return false;
  }
  context.instance_token_count += made.body.size() * longest;
  return true;
}

void parse_instance(Context& context, TemplateModule& made, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  if (made.is_open) {
    context.error(tokens.previous_end(), "the template module makes an instance of itself");
    return tokens.recover();
  }
  const auto arguments = parse_arguments(context, made);
  if (!arguments) return tokens.recover();
  if (tokens.peek().kind != TokenKind::identifier) {
    tokens.report_unexpected("the name of the instance");
    return tokens.recover();
  }
  const Token name = tokens.next();
  if (!is_within_limit(context, made, *arguments, name.location)) return tokens.recover();
  Tokens instance = instance_tokens(made, *arguments, name);
  made.is_open = true;
  context.open_instances.push_back({made.scope, &context.scopes.current()});
  tokens.parse_aside(instance, [&] { parse_module(context, std::move(annotations)); });
  context.open_instances.pop_back();
  made.is_open = false;
  tokens.expect_semicolon("the instance of the template module");
}

bool declares(const Scope* scope, const Scope* end, const std::string& name) {
  for (; scope != nullptr && scope != end; scope = scope->parent())
    if (scope->find_exact(name) != nullptr) return true;
  return false;
}

/// The scope where the lookup of a template module begins. In the body of an instance, a name is
/// looked up in the body first, then around the template module, and last around the instance.
Scope& lookup_scope(Context& context, const std::string& name) {
  Scope& current = context.scopes.current();
  if (context.open_instances.empty()) return current;
  const OpenInstance& open = context.open_instances.back();
  const bool is_of_template =
      !declares(&current, open.around, name) && declares(open.template_scope, nullptr, name);
  return is_of_template ? *open.template_scope : current;
}

/// The visible template module with the name of the current token; null if there is none.
TemplateModule* visible_template(Context& context, const std::string& name) {
  for (const Scope* scope = &lookup_scope(context, name); scope != nullptr;
       scope = scope->parent()) {
    const Symbol* found = scope->find_exact(name);
    if (found == nullptr) continue;
    const auto made = context.templates.find(found->declaration);
    return made == context.templates.end() ? nullptr : &made->second;
  }
  return nullptr;
}

void report_no_template(Context& context, const Identifier& identifier) {
  context.error(identifier.location, "'" + identifier.name + "' is not a template module").hint =
      "a template module has parameters, such as 'typename T'";
  context.tokens.recover();
}

bool at_scoped_name(const TokenStream& tokens) {
  return tokens.at("::") || tokens.peek(1).is("::");
}

/// Whether the token after the `<` begins a parameter.
bool at_parameter(const TokenStream& tokens) {
  const Token& first = tokens.peek(1);
  return first.text == "const" || std::ranges::find(kinds, first.text) != kinds.end();
}

/// Both parameters and arguments may begin with `sequence<`.
bool at_sequence(const TokenStream& tokens) {
  return tokens.peek(1).text == "sequence" && tokens.peek(2).is("<");
}

}  // namespace

void parse_template_module(Context& context, const Identifier& identifier,
                           Annotations annotations) {
  TokenStream& tokens = context.tokens;
  TemplateModule* made = visible_template(context, identifier.name);
  const bool is_argument = at_sequence(tokens) ? made != nullptr : !at_parameter(tokens);
  if (!is_argument) return define_template(context, identifier);
  if (made == nullptr) return report_no_template(context, identifier);
  parse_instance(context, *made, std::move(annotations));
}

bool parse_scoped_instance(Context& context, Annotations annotations) {
  TokenStream& tokens = context.tokens;
  if (!at_scoped_name(tokens)) return false;
  const ScopedName name = parse_scoped_name(context, "the name of a template module");
  const Declaration* found =
      name.is_empty()
          ? nullptr
          : context.scopes.resolve_from(lookup_scope(context, name.parts.front().name), name);
  const auto made = context.templates.find(found);
  if (found != nullptr && made == context.templates.end())
    report_other_kind(context, name, *found, "a template module");
  if (made == context.templates.end() || !tokens.at("<")) {
    if (found != nullptr && made != context.templates.end())
      tokens.report_unexpected("'<' after the name of the template module");
    tokens.recover();
  } else {
    parse_instance(context, made->second, std::move(annotations));
  }
  return true;
}

// IDL 4.2, 7.4.12.3.3. The name of the alias may be that of the template module, so a plain name is
// looked up without taking it into the current scope.
void parse_template_alias(Context& context, Annotations annotations) {
  const Nesting nesting(context);
  TokenStream& tokens = context.tokens;
  const Location location = tokens.next().location;
  if (context.open_instances.empty())
    context.error(location, "'alias' has no meaning outside of template modules").hint =
        "write 'module' in place of 'alias' to make an instance";
  if (!nesting.is_ok() || context.open_instances.empty()) return tokens.recover();
  if (parse_scoped_instance(context, annotations)) return;
  const auto identifier = parse_identifier(context, "the name of a template module");
  if (!identifier) return tokens.recover();
  TemplateModule* made = visible_template(context, identifier->name);
  if (made == nullptr) return report_no_template(context, *identifier);
  if (!tokens.at("<")) {
    tokens.report_unexpected("'<' after the name of the template module");
    return tokens.recover();
  }
  parse_instance(context, *made, std::move(annotations));
}

}  // namespace perigee::idlc
