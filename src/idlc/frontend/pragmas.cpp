// Executes #pragma prefix, ID and version, and passes on pragmas with annotations. CORBA 3.0,
// 10.7.5.
#include "idlc/frontend/pragmas.h"

#include "idlc/frontend/literals.h"

namespace perigee::idlc {

void Pragmas::operator()(const Event& event) {
  switch (event.kind) {
    case EventKind::enter_file:
      enter_file(*event.location.file);
      break;
    case EventKind::leave_file:
      ids_.leave();
      break;
    case EventKind::pragma:
      pragma(event);
      break;
    case EventKind::annotation_comment:
      break;
  }
}

void Pragmas::enter_file(const SourceFile& file) {
  ids_.enter_file();
  scopes_.begin_file(file);
  if (!file.is_builtin || !scopes_.is_part(file) || file.includer == nullptr) return;
  const Scope* scope = &scopes_.current();
  while (scope->owner() == nullptr) scope = scope->parent();  // scope of parameters: no owner
  const Declaration& owner = *scope->owner();
  diagnostics_
      .error({file.includer, file.include_line, 1},
             "'" + file.include_name + "' is included inside " + std::string(to_text(owner.kind)) +
                 " '" + owner.name + "'")
      .hint = "move the #include in front of the " + std::string(to_text(owner.kind)) +
              ", because the file's declarations cannot belong to another scope";
}

void Pragmas::pragma(const Event& event) {
  const std::string_view word = event.tokens.front().text;
  if (word == "prefix") return prefix(event);
  if (word == "ID" || word == "version") return id_or_version(event, word);
  const std::span<const Token> rest = std::span(event.tokens).subspan(1);
  if (word == "perigee") return requests_.add(rest, event.location, scopes_.current());
  if (word == "corba_ami") return requests_.add_ami(rest, event.location, scopes_.current());
  // CORBA 3.0, 10.7.5: unknown pragmas are ignored.
  diagnostics_.warning(Warning::unknown_pragmas, event.location,
                       "#pragma " + std::string(word) + " is not known and has no effect");
}

void Pragmas::prefix(const Event& event) {
  if (event.tokens.size() != 2 || event.tokens[1].kind != TokenKind::string) {
    diagnostics_.error(event.location, "#pragma prefix needs one string").hint =
        "as in #pragma prefix \"acme.com\"";
    return;
  }
  const auto text = narrow_text(event.tokens[1], diagnostics_);
  if (text && ids_.check_prefix(*text, event.tokens[1].location)) ids_.set_prefix(*text);
}

/// `#pragma ID A::B "IDL:…"` or `#pragma version A::B 1.2`
void Pragmas::id_or_version(const Event& event, std::string_view word) {
  const std::span<const Token> tokens(event.tokens);
  std::size_t index = 1;
  const ScopedName name = scoped_name_in(tokens, index);
  const TokenKind expected = word == "ID" ? TokenKind::string : TokenKind::number;
  if (name.is_empty() || index + 1 != tokens.size() || tokens[index].kind != expected) {
    Diagnostic& diagnostic = diagnostics_.error(
        event.location, word == "ID" ? "#pragma ID needs a name and a string"
                                     : "#pragma version needs a name and a version, as in 1.2");
    if (word == "ID") diagnostic.hint = "as in #pragma ID Quoter \"IDL:acme.com/Quoter:1.0\"";
    return;
  }
  Declaration* declaration = scopes_.resolve(name);
  if (declaration == nullptr) return;
  const Token& value = tokens[index];
  if (word == "version") {
    ids_.set_version(*declaration, std::string(value.text), value.location);
  } else if (const auto text = narrow_text(value, diagnostics_)) {
    ids_.set_id(*declaration, *text, value.location);
  }
}

}  // namespace perigee::idlc
