// Reads annotations that name their declarations, finds these declarations, and annotates them.
#include "idlc/frontend/annotation_requests.h"

#include "base/nearest_name.h"
#include "idlc/frontend/literals.h"
#include "idlc/frontend/scanner.h"

#include <algorithm>
#include <iterator>

namespace perigee::idlc {
namespace {

constexpr std::string_view own_prefix = "perigee::";

/// The annotations that the back ends know.
constexpr std::string_view known_names[] = {"borrowed", "ami", "ami_polling", "amh", "async"};

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::vector<Annotation>* annotations_of(std::vector<Parameter>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Parameter::name);
  return found == all.end() ? nullptr : &found->annotations;
}

std::vector<Annotation>* annotations_of(std::vector<Member>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Member::name);
  return found == all.end() ? nullptr : &found->annotations;
}

/// These tokens have not passed the lexer, so they still contain the escape.
Identifier identifier_in(const Token& token) {
  const bool is_escaped = token.text.size() > 1 && token.text.front() == '_';
  return {std::string(token.text.substr(is_escaped ? 1 : 0)), token.location};
}

/// The annotations of the parameter or member with that name, or null.
std::vector<Annotation>* annotations_of_part(Declaration& declaration, const std::string& name) {
  if (auto* operation = as<Operation>(&declaration)) {
    return annotations_of(operation->parameters, name);
  }
  if (auto* factory = as<Factory>(&declaration)) return annotations_of(factory->parameters, name);
  if (auto* structure = as<Struct>(&declaration)) return annotations_of(structure->members, name);
  if (auto* exception = as<Exception>(&declaration)) {
    return annotations_of(exception->members, name);
  }
  if (auto* union_type = as<Union>(&declaration)) {
    for (UnionBranch& branch : union_type->branches) {
      if (branch.member.name == name) return &branch.member.annotations;
    }
  }
  if (auto* value = as<ValueType>(&declaration)) {
    for (StateMember& state : value->state) {
      if (state.member.name == name) return &state.member.annotations;
    }
  }
  return nullptr;
}

}  // namespace

ScopedName scoped_name_in(std::span<const Token> tokens, std::size_t& index) {
  ScopedName name;
  const auto at_colons = [&] { return index < tokens.size() && tokens[index].is("::"); };
  if (at_colons()) {
    name.is_absolute = true;
    ++index;
  }
  while (index < tokens.size() && tokens[index].kind == TokenKind::identifier) {
    name.parts.push_back(identifier_in(tokens[index++]));
    if (!at_colons()) return name;
    ++index;
  }
  return {};  // no name, or no name after the colons
}

void check_annotation_name(const Annotation& annotation, Diagnostics& diagnostics) {
  if (!annotation.name.starts_with(own_prefix)) return;
  const std::string name = annotation.name.substr(own_prefix.size());
  if (std::ranges::find(known_names, name) != std::end(known_names)) return;
  Diagnostic& diagnostic = diagnostics.warning(Warning::unknown_annotation, annotation.location,
                                               "unknown annotation " + quoted(annotation.name));
  const std::string near = nearest_name(name, known_names);
  diagnostic.hint =
      near.empty() ? "the annotations are perigee::borrowed, perigee::ami, perigee::ami_polling, "
                     "perigee::amh and perigee::async"
                   : "did you mean " + quoted(std::string(own_prefix) + near) + "?";
}

bool AnnotationRequests::parse(std::span<const Token> tokens, Location location, Request& request) {
  std::size_t index = 0;
  if (!tokens.empty() && tokens.front().kind == TokenKind::identifier) {
    request.annotation.name = std::string(own_prefix) + std::string(tokens.front().text);
    request.annotation.location = tokens.front().location;
    index = 1;
    request.target = scoped_name_in(tokens, index);
  }
  if (index + 1 < tokens.size() && tokens[index].is(".") &&
      tokens[index + 1].kind == TokenKind::identifier) {
    request.part = identifier_in(tokens[index + 1]);
    index += 2;
  }
  if (!request.target.is_empty() && index == tokens.size()) return true;
  diagnostics_
      .error(index < tokens.size() ? tokens[index].location : location,
             "expected an annotation and the name of a declaration")
      .hint = "as in: borrowed Stock::Quoter::put.data";
  return false;
}

void AnnotationRequests::add(std::span<const Token> tokens, Location location, Scope& scope) {
  Request request;
  request.scope = &scope;
  if (!parse(tokens, location, request)) return;
  check_annotation_name(request.annotation, diagnostics_);
  requests_.push_back(std::move(request));
}

void AnnotationRequests::add_ami(std::span<const Token> tokens, Location location, Scope& scope) {
  Request request;
  request.scope = &scope;
  request.annotation.name = "CORBA";
  request.annotation.location = location;
  request.annotation.parameters.push_back({"ami", "true", true});
  const bool has_string = tokens.size() == 1 && tokens.front().kind == TokenKind::string;
  const auto text = has_string ? narrow_text(tokens.front(), diagnostics_) : std::nullopt;
  std::vector<Token> name_tokens;
  TextPool pool(text ? text->size() + 1 : 1);
  if (text) {
    Location origin = tokens.front().location;
    ++origin.column;
    Scanner scanner(*text, origin, pool);
    for (Token token = scanner.next(); token.kind != TokenKind::end; token = scanner.next()) {
      name_tokens.push_back(token);
    }
  }
  std::size_t index = 0;
  request.target = scoped_name_in(name_tokens, index);
  if (request.target.is_empty() || index != name_tokens.size()) {
    diagnostics_.error(location, "#pragma corba_ami needs the name of an interface in quotes")
        .hint = "as in #pragma corba_ami \"Stock::Quoter\"";
    return;
  }
  requests_.push_back(std::move(request));
}

void AnnotationRequests::add_file(const SourceFile& file, TextPool& pool, Scope& scope) {
  Scanner scanner(file, pool);
  std::vector<Token> line;
  while (!diagnostics_.is_full()) {
    const Token token = scanner.next();
    const bool is_line_end = token.kind == TokenKind::newline || token.kind == TokenKind::end;
    if (!is_line_end && token.kind != TokenKind::annotation_comment) line.push_back(token);
    if (!is_line_end) continue;
    if (!line.empty()) {
      const std::size_t known_count = requests_.size();
      add(line, line.front().location, scope);
      if (requests_.size() > known_count) requests_.back().is_from_file = true;
    }
    line.clear();
    if (token.kind == TokenKind::end) return;
  }
}

void AnnotationRequests::annotate(const Request& request, Declaration& declaration) {
  if (request.part.name.empty()) {
    declaration.annotations.push_back(request.annotation);
    return;
  }
  auto* annotations = annotations_of_part(declaration, request.part.name);
  if (annotations != nullptr) {
    annotations->push_back(request.annotation);
    return;
  }
  diagnostics_
      .error(request.part.location,
             quoted(declaration.name) + " has no parameter or member " + quoted(request.part.name))
      .notes.push_back({declaration.location, "it was declared here"});
}

void AnnotationRequests::apply(Scopes& scopes) {
  for (const Request& request : requests_) {
    // One file of annotations may serve many IDL files. A name whose first part is unknown does not
    // belong to this compilation.
    const auto is_known = [&] {
      ScopedName first = request.target;
      first.parts.resize(1);
      const Diagnostics::Mute mute(diagnostics_);
      return scopes.resolve_from(*request.scope, first) != nullptr;
    };
    if (request.is_from_file && !is_known()) continue;
    if (Declaration* target = scopes.resolve_from(*request.scope, request.target)) {
      annotate(request, *target);
    }
  }
}

}  // namespace perigee::idlc
