// Declares names in scopes, looks them up, and reports clashes and unknown names.
#include "idlc/frontend/scope.h"

#include "base/nearest_name.h"
#include "idlc/frontend/lexer.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace perigee::idlc {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// Visits each base scope once: the number of paths through diamonds is exponential.
void add_inherited(const Scope& scope, const std::string& name, std::set<const Scope*>& visited,
                   std::vector<const Symbol*>& result) {
  for (const Scope* base : scope.bases()) {
    if (!visited.insert(base).second) continue;
    const Symbol* found = base->find(name);
    if (found == nullptr || found->is_use) {
      add_inherited(*base, name, visited, result);
    } else if (std::ranges::none_of(result, [&](const Symbol* known) {
                 return known->declaration == found->declaration;
               })) {
      result.push_back(found);
    }
  }
}

void add_bases(const Scope& scope, std::set<const Scope*>& visited) {
  for (const Scope* base : scope.bases()) {
    if (visited.insert(base).second) add_bases(*base, visited);
  }
}

/// Scopes into which a use brings a name. Modules are not such scopes: a module may use a name and
/// then declare it.
bool keeps_uses(const Scope& scope) {
  return scope.owner() != nullptr ? scope.owner()->kind != DeclarationKind::module
                                  : scope.parent() != nullptr;
}

/// The IDL 3 type for a word of another language or of IDL 4, as a hint; empty if the word is
/// unknown.
std::string type_hint(const std::string& name) {
  struct Foreign {
    std::string_view name;
    std::string_view meant;
  };
  constexpr std::array foreign = {
      Foreign{"int", "long"},          Foreign{"bool", "boolean"},
      Foreign{"byte", "octet"},        Foreign{"size_t", "unsigned long"},
      Foreign{"int8_t", "octet"},      Foreign{"uint8_t", "octet"},
      Foreign{"int16_t", "short"},     Foreign{"uint16_t", "unsigned short"},
      Foreign{"int32_t", "long"},      Foreign{"uint32_t", "unsigned long"},
      Foreign{"int64_t", "long long"}, Foreign{"uint64_t", "unsigned long long"},
      Foreign{"wchar_t", "wchar"},     Foreign{"vector", "sequence"},
      Foreign{"set", "sequence"},      Foreign{"list", "sequence"},
      Foreign{"array", "sequence"},    Foreign{"class", "interface"}};
  const auto* const found = std::ranges::find(foreign, name, &Foreign::name);
  if (found != foreign.end()) return "in IDL it is called '" + std::string(found->meant) + "'";
  const bool is_newer =
      std::ranges::find(keywords(IdlVersion::four), name) != keywords(IdlVersion::four).end() &&
      std::ranges::find(keywords(IdlVersion::three), name) == keywords(IdlVersion::three).end();
  return is_newer ? quoted(name) + " is a keyword of IDL 4: ask for it with --idl 4" : "";
}

}  // namespace

std::string ScopedName::text() const {
  std::string result;
  for (const Identifier& part : parts) {
    if (!result.empty() || is_absolute) result += "::";
    result += part.name;
  }
  return result;
}

const Symbol* Scope::find(const std::string& name) const {
  const auto found = symbols_.find(lower_case(name));
  return found == symbols_.end() ? nullptr : &found->second;
}

const Symbol* Scope::find_exact(const std::string& name) const {
  const Symbol* found = find(name);
  return found != nullptr && found->name == name ? found : nullptr;
}

void Scope::insert(Symbol symbol) {
  std::string key = lower_case(symbol.name);
  symbols_.insert_or_assign(std::move(key), std::move(symbol));
}

void Scope::add_names_to(std::vector<std::string>& names) const {
  constexpr std::size_t name_count_max = 5000;  // limited for hostile input
  for (const auto& [key, symbol] : symbols_) {
    if (names.size() >= name_count_max) return;
    if (symbol.declaration != nullptr) names.push_back(symbol.name);
  }
}

Scopes::Scopes(Diagnostics& diagnostics) : diagnostics_(diagnostics) {
  all_.push_back(std::make_unique<Scope>(nullptr, nullptr));
  global_ = all_.back().get();
  current_ = global_;
}

Scope& Scopes::enter(Declaration& owner) {
  const Module* module = as<Module>(&owner);
  const Declaration* key = module != nullptr ? module->first_opening : &owner;
  Scope*& scope = by_owner_[key];
  if (scope == nullptr) {
    all_.push_back(std::make_unique<Scope>(current_, &owner));
    scope = all_.back().get();
  }
  current_ = scope;
  return *scope;
}

Scope& Scopes::enter_nameless() {
  all_.push_back(std::make_unique<Scope>(current_, nullptr));
  current_ = all_.back().get();
  return *current_;
}

void Scopes::leave() { current_ = current_->parent(); }

Scope* Scopes::scope_of(const Declaration* declaration) const {
  const Module* module = as<Module>(declaration);
  const auto found = by_owner_.find(module != nullptr ? module->first_opening : declaration);
  return found == by_owner_.end() ? nullptr : found->second;
}

std::string Scopes::scoped_name(const std::string& name) const {
  const Scope* scope = current_;
  while (scope != nullptr && scope->owner() == nullptr) scope = scope->parent();
  return (scope == nullptr ? "" : scope->owner()->scoped_name) + "::" + name;
}

bool Scopes::declare(const Identifier& identifier, Declaration* declaration,
                     std::string_view what) {
  const Declaration* owner = current_->owner();
  // A member that differs only in case, as in `struct Right { string right; };`, is common and
  // harmless.
  const bool is_owners_name =
      owner != nullptr &&
      (declaration == nullptr ? owner->name == identifier.name
                              : lower_case(owner->name) == lower_case(identifier.name));
  if (is_owners_name) report_owners_name(identifier, *owner);
  if (owner != nullptr && !is_owners_name &&
      lower_case(owner->name) == lower_case(identifier.name)) {
    warn_of_case(identifier, owner->name, owner->location);
  }
  report_inherited(identifier);
  const Symbol* existing = current_->find(identifier.name);
  if (declaration != nullptr && existing == nullptr) warn_of_hidden(identifier);
  if (existing != nullptr && existing->is_use && existing->name != identifier.name) {
    warn_of_case(identifier, existing->name, existing->location);
  }
  if (existing == nullptr || (existing->is_use && existing->name != identifier.name)) {
    // A use that differs only in case, as in `void f(in Color color)`, is accepted, as in other
    // compilers.
    current_->insert({identifier.name, identifier.location, declaration, what, false});
    return true;
  }
  if (redeclare_builtin(*existing,
                        {identifier.name, identifier.location, declaration, what, false}))
    return true;
  if (existing->is_use) {
    diagnostics_
        .error(identifier.location,
               quoted(identifier.name) + " is declared in this scope after it was used here")
        .notes.push_back({existing->location, "it was used here with another meaning"});
  } else if (existing->name == identifier.name) {
    diagnostics_.error(identifier.location, quoted(identifier.name) + " is already declared")
        .notes.push_back({existing->location, "it was declared here"});
  } else {
    diagnostics_
        .error(identifier.location, quoted(identifier.name) + " differs from " +
                                        quoted(existing->name) + " only in case")
        .notes.push_back({existing->location, quoted(existing->name) + " was declared here"});
  }
  return false;
}

/// If orb.idl declares the existing name, and a file declares the added name, this is not an error:
/// returns true, and the name means the declaration of the file. The parser reads orb.idl before
/// any file that opens module CORBA.
bool Scopes::redeclare_builtin(const Symbol& existing, const Symbol& added) {
  if (existing.is_use || existing.declaration == nullptr || added.declaration == nullptr)
    return false;
  // Module CORBA itself is reopened, and never declared again.
  if (existing.declaration->kind == DeclarationKind::module ||
      added.declaration->kind == DeclarationKind::module) {
    return false;
  }
  const SourceFile& file = *existing.location.file;
  if (!file.is_builtin || added.location.file->is_builtin) return false;
  // If no file includes orb.idl, a name may differ from a name of orb.idl only in case.
  const bool is_hidden = file.includer == nullptr;
  if (existing.name != added.name && !is_hidden) return false;
  if (existing.name == added.name) redeclared_.push_back({existing, added.declaration});
  current_->insert(added);
  return true;
}

bool Scopes::is_inside(const Declaration& declaration) const {
  for (const Scope* scope = current_; scope != nullptr; scope = scope->parent()) {
    if (scope->owner() == &declaration) return true;
  }
  return false;
}

/// CORBA 3.0, 3.15.3: the name of a scope may not be declared in this scope. For modules this is
/// only a warning, because many files do so, and other compilers accept it.
void Scopes::report_owners_name(const Identifier& identifier, const Declaration& owner) {
  std::string text = quoted(identifier.name) + " is also the name of the " +
                     std::string(to_text(owner.kind)) + " around it";
  if (owner.kind != DeclarationKind::module) {
    diagnostics_.error(identifier.location, std::move(text));
    return;
  }
  Diagnostic& diagnostic = diagnostics_.warning(Warning::scope_name, identifier.location,
                                                std::move(text) + ", which the standard forbids");
  if (owner.name == identifier.name)
    diagnostic.hint =
        "inside the module, " + quoted(identifier.name) + " now means this declaration";
}

/// CORBA 3.0, 3.8.5 and 3.9.5: inherited operations, attributes and members may not be declared
/// again. Types, constants and exceptions may.
void Scopes::report_inherited(const Identifier& identifier) {
  if (current_->bases().empty()) return;
  for (const Symbol* symbol : inherited(*current_, identifier.name)) {
    const Declaration* declaration = symbol->declaration;
    const bool is_kept = declaration == nullptr || as<Operation>(declaration) != nullptr ||
                         as<Attribute>(declaration) != nullptr;
    if (!is_kept) continue;
    diagnostics_
        .error(identifier.location,
               quoted(identifier.name) + " is inherited and cannot be declared again")
        .notes.push_back({symbol->location, "it is inherited from here"});
  }
}

void Scopes::warn_of_hidden(const Identifier& identifier) {
  for (const Scope* scope = current_->parent(); scope != nullptr; scope = scope->parent()) {
    const Symbol* hidden = scope->find_exact(identifier.name);
    if (hidden == nullptr || hidden->is_use || hidden->declaration == nullptr) continue;
    diagnostics_
        .warning(Warning::shadow, identifier.location,
                 quoted(identifier.name) + " hides " + quoted(hidden->declaration->scoped_name))
        .notes.push_back({hidden->location, "the hidden declaration is here"});
    return;
  }
}

void Scopes::warn_of_case(const Identifier& identifier, const std::string& other,
                          Location location) {
  diagnostics_
      .warning(Warning::case_clash, identifier.location,
               quoted(identifier.name) + " differs from " + quoted(other) +
                   " only in case, which other compilers may refuse")
      .notes.push_back({location, quoted(other) + " is here"});
}

void Scopes::note_use(const ScopedName& name, const Symbol& found) {
  const SourceFile& file = *name.location().file;
  if (found.declaration == nullptr || (!file.is_main && !is_part(file))) return;
  used_files_.insert(found.declaration->location.file);
}

std::vector<const Symbol*> Scopes::inherited(const Scope& scope, const std::string& name) {
  std::vector<const Symbol*> result;
  std::set<const Scope*> visited;
  add_inherited(scope, name, visited, result);
  return result;
}

/// Searches the scope itself, then the inherited names. Exact spelling only.
const Symbol* Scopes::look_up(const Scope& scope, const Identifier& identifier,
                              bool& is_ambiguous) {
  if (const Symbol* found = scope.find_exact(identifier.name)) return found;
  std::vector<const Symbol*> found = inherited(scope, identifier.name);
  std::erase_if(found, [&](const Symbol* symbol) { return symbol->name != identifier.name; });
  if (found.size() > 1) {
    is_ambiguous = true;
    Diagnostic& diagnostic = diagnostics_.error(
        identifier.location, quoted(identifier.name) + " is ambiguous: it is inherited twice");
    for (const Symbol* symbol : found)
      diagnostic.notes.push_back({symbol->location, "one declaration is here"});
    const auto named = std::ranges::find_if(
        found, [](const Symbol* symbol) { return symbol->declaration != nullptr; });
    if (named != found.end())
      diagnostic.hint =
          "write the scope in front of it, as in " + (*named)->declaration->scoped_name;
  }
  return found.empty() ? nullptr : found.front();
}

const Symbol* Scopes::first_part(const Identifier& identifier, bool& failed) {
  for (const Scope* scope = current_; scope != nullptr; scope = scope->parent()) {
    const Symbol* found = look_up(*scope, identifier, failed);
    if (failed || found != nullptr) return found;
  }
  return nullptr;
}

void Scopes::report_missing(const Identifier& identifier, const Scope* inside) {
  const Symbol* other_case = nullptr;
  std::vector<std::string> names;
  for (const Scope* scope = inside != nullptr ? inside : current_; scope != nullptr;
       scope = inside != nullptr ? nullptr : scope->parent()) {
    std::set<const Scope*> bases;
    add_bases(*scope, bases);
    scope->add_names_to(names);
    for (const Scope* base : bases) base->add_names_to(names);
    const Symbol* found = scope->find(identifier.name);
    if (other_case == nullptr && found != nullptr && found->declaration != nullptr)
      other_case = found;
  }
  if (other_case != nullptr) {
    Diagnostic& diagnostic =
        diagnostics_.error(identifier.location, quoted(identifier.name) + " is declared as " +
                                                    quoted(other_case->name) + ": case matters");
    diagnostic.notes.push_back({other_case->location, "it was declared here"});
    return;
  }
  std::string where;
  if (inside != nullptr && inside->owner() != nullptr) {
    where = " in " + quoted(inside->owner()->scoped_name);
  }
  Diagnostic& diagnostic =
      diagnostics_.error(identifier.location, quoted(identifier.name) + " is not declared" + where);
  // The order of a hash table must not affect the proposals.
  std::ranges::sort(names);
  diagnostic.hint = inside == nullptr ? type_hint(identifier.name) : "";
  const std::string near = nearest_name(identifier.name, names);
  if (diagnostic.hint.empty() && !near.empty()) {
    diagnostic.hint = "did you mean " + quoted(near) + "?";
  }
}

/// CORBA 3.0, 3.15.3: a use brings the name into all scopes up to its declaration.
void Scopes::introduce(const Identifier& identifier, const Symbol& found) {
  for (Scope* scope = current_; scope != nullptr && keeps_uses(*scope); scope = scope->parent()) {
    if (scope->find(identifier.name) != nullptr) return;
    scope->insert({identifier.name, identifier.location, found.declaration, found.what, true});
  }
}

Declaration* Scopes::resolve(const ScopedName& name) {
  bool failed = false;
  const Identifier& first = name.parts.front();
  const Symbol* found =
      name.is_absolute ? look_up(*global_, first, failed) : first_part(first, failed);
  if (failed) return nullptr;
  if (found == nullptr) {
    report_missing(first, name.is_absolute ? global_ : nullptr);
    return nullptr;
  }
  // An insertion may invalidate the pointer, but not the copy.
  Symbol symbol = *found;
  if (!name.is_absolute) introduce(first, symbol);
  // A module may have openings in many files. So its name alone is not a use of the first opening.
  if (as<Module>(symbol.declaration) == nullptr) note_use(name, symbol);
  for (std::size_t i = 1; i < name.parts.size(); ++i) {
    const Scope* scope = symbol.declaration == nullptr ? nullptr : scope_of(symbol.declaration);
    if (scope == nullptr) {
      Diagnostic& diagnostic = diagnostics_.error(
          name.parts[i - 1].location, quoted(name.parts[i - 1].name) + " has no names inside it");
      if (as<Enum>(symbol.declaration) != nullptr) {
        diagnostic.hint = "an enumerator belongs to the scope around its enum";
      }
      return nullptr;
    }
    found = look_up(*scope, name.parts[i], failed);
    if (failed) return nullptr;
    if (found == nullptr) {
      report_missing(name.parts[i], scope);
      return nullptr;
    }
    symbol = *found;
    if (as<Module>(symbol.declaration) == nullptr) note_use(name, symbol);
  }
  if (symbol.declaration == nullptr) {
    diagnostics_
        .error(name.parts.back().location, quoted(name.parts.back().name) + " is a " +
                                               std::string(symbol.what) +
                                               ", which cannot be used here")
        .notes.push_back({symbol.location, "it was declared here"});
  }
  return symbol.declaration;
}

Declaration* Scopes::resolve_from(Scope& scope, const ScopedName& name) {
  Scope* const saved = std::exchange(current_, &scope);
  Declaration* const result = resolve(name);
  current_ = saved;
  return result;
}

}  // namespace perigee::idlc
