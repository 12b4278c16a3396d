// `import`: CORBA 3.0, 3.6. This compiler has no interface repository. Only declarations of
// included files can be imported, and these are visible already. So an import is checked and has no
// effect.
#include "idlc/frontend/grammar.h"
#include "idlc/frontend/literals.h"

namespace perigee::idlc {
namespace {

/// The declaration that `"IDL:…"` names, or null after a report.
Declaration* imported_by_id(Context& context) {
  const Token token = context.tokens.next();
  const auto id = narrow_text(token, context.diagnostics);
  if (!id) return nullptr;
  Declaration* found = context.ids.find(*id);
  if (found == nullptr) {
    context.error(token.location, "no declaration has the repository id \"" + *id + '"').hint =
        "only declarations of included files can be imported";
  }
  return found;
}

Declaration* imported_by_name(Context& context) {
  const ScopedName name = parse_scoped_name(context, "a name or a repository id after 'import'");
  if (name.is_empty()) return nullptr;
  const std::size_t error_count = context.diagnostics.error_count();
  Declaration* found = context.scopes.resolve(name);
  if (found == nullptr && context.diagnostics.error_count() > error_count) {
    context.diagnostics.add_hint("only declarations of included files can be imported");
  }
  return found;
}

/// The containers of CORBA: modules, interfaces, valuetypes, structs, unions, exceptions.
bool has_names_inside(const Declaration& declaration) {
  switch (declaration.kind) {
    case DeclarationKind::module:
    case DeclarationKind::interface:
    case DeclarationKind::value_type:
    case DeclarationKind::structure:
    case DeclarationKind::union_type:
    case DeclarationKind::exception:
      return true;
    default:
      return false;
  }
}

}  // namespace

void parse_import(Context& context) {
  TokenStream& tokens = context.tokens;
  const Location keyword = tokens.next().location;
  if (context.scopes.current().parent() != nullptr) {
    context.error(keyword, "import is allowed outside of modules only");
  } else if (context.files_with_definitions.contains(keyword.file)) {
    context.error(keyword, "an import must stand in front of all definitions of its file");
  }
  const Location location = tokens.peek().location;
  const bool is_id = tokens.peek().kind == TokenKind::string;
  const Declaration* imported = is_id ? imported_by_id(context) : imported_by_name(context);
  if (const auto* forward = as<Forward>(imported)) imported = forward->declared;
  if (imported != nullptr && !has_names_inside(*imported)) {
    context
        .error(location, "'" + imported->name + "' is " + with_article(to_text(imported->kind)) +
                             ", which has no names inside that could be imported")
        .notes.push_back({imported->location, "it was declared here"});
  }
  if (!tokens.at(";") && imported == nullptr) return tokens.recover();
  tokens.expect_semicolon("the import");
}

}  // namespace perigee::idlc
