// Scopes and name lookup by the rules of CORBA 3.0, 3.15: declared, inherited and introduced names,
// clashes by case. Does not know the grammar. Reports unknown names and duplicate declarations.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace perigee::idlc {

/// A name in the text, without the escape underscore.
struct Identifier {
  std::string name;
  Location location;
};

struct ScopedName {
  bool is_absolute = false;
  std::vector<Identifier> parts;

  [[nodiscard]] bool is_empty() const { return parts.empty(); }
  [[nodiscard]] Location location() const { return parts.front().location; }
  [[nodiscard]] std::string text() const;
};

/// The meaning of a name in a scope.
struct Symbol {
  std::string name;
  Location location;
  Declaration* declaration = nullptr;  ///< null for members and parameters; `what` names their kind
  std::string_view what;
  bool is_use = false;  ///< declared elsewhere but used here: may not be declared here any more
};

/// A declaration of the file and a declaration of the built-in orb.idl with the same name. This is
/// not an error. settle_redeclared (redeclared_builtins.h) decides which of the two is used.
struct RedeclaredBuiltin {
  Symbol builtin;
  Declaration* own = nullptr;
};

class Scope final {
 public:
  Scope(Scope* parent, Declaration* owner) : parent_(parent), owner_(owner) {}

  [[nodiscard]] Scope* parent() const { return parent_; }
  [[nodiscard]] Declaration* owner() const { return owner_; }
  [[nodiscard]] const Symbol* find(const std::string& name) const;  ///< ignores case
  [[nodiscard]] const Symbol* find_exact(const std::string& name) const;
  void insert(Symbol symbol);
  void add_base(const Scope& base) { bases_.push_back(&base); }
  [[nodiscard]] const std::vector<const Scope*>& bases() const { return bases_; }
  void add_names_to(std::vector<std::string>& names) const;

  std::string type_prefix;  ///< set by `typeprefix`
  bool has_type_prefix = false;

 private:
  Scope* parent_;
  Declaration* owner_;
  std::unordered_map<std::string, Symbol> symbols_;  // by lower case
  std::vector<const Scope*> bases_;
};

class Scopes final {
 public:
  explicit Scopes(Diagnostics& diagnostics);

  [[nodiscard]] Scope& current() { return *current_; }
  /// Enters the scope of `owner`, which is made the first time. A module that is opened again has
  /// the scope of its first opening.
  Scope& enter(Declaration& owner);
  /// Enters a scope without a name: the parameters of an operation.
  Scope& enter_nameless();
  void leave();
  [[nodiscard]] Scope* scope_of(const Declaration* declaration) const;

  /// Declares a name in the current scope. False if it clashes; this was reported. If the file and
  /// orb.idl both declare the name, the name means the declaration of the file.
  bool declare(const Identifier& identifier, Declaration* declaration, std::string_view what);
  /// The declaration that the name means here; null after a report. A name that is used in an
  /// interface, struct or similar scope may not be declared there any more.
  Declaration* resolve(const ScopedName& name);
  /// The same as if the name was written in `scope`.
  Declaration* resolve_from(Scope& scope, const ScopedName& name);
  /// "::Stock::Quoter" for a name in the current scope.
  [[nodiscard]] std::string scoped_name(const std::string& name) const;

  /// Whether the current scope is that of `declaration`, or inside it.
  [[nodiscard]] bool is_inside(const Declaration& declaration) const;
  /// A file begins in the current scope.
  void begin_file(const SourceFile& file) {
    (current_ == global_ ? files_at_file_level_ : files_inside_).insert(&file);
  }
  /// Whether the file was included only inside scopes of other files, as a part of them.
  [[nodiscard]] bool is_part(const SourceFile& file) const {
    return files_inside_.contains(&file) && !files_at_file_level_.contains(&file);
  }

  /// The names that both the file and orb.idl have declared since the last call.
  std::vector<RedeclaredBuiltin> take_redeclared() { return std::exchange(redeclared_, {}); }

  /// The files whose declarations the main file names.
  [[nodiscard]] const std::set<const SourceFile*>& used_files() const { return used_files_; }

  /// Declarations with that name (case is ignored) in the bases of `scope`, each once.
  static std::vector<const Symbol*> inherited(const Scope& scope, const std::string& name);

 private:
  const Symbol* look_up(const Scope& scope, const Identifier& identifier, bool& is_ambiguous);
  const Symbol* first_part(const Identifier& identifier, bool& failed);
  void introduce(const Identifier& identifier, const Symbol& found);
  bool redeclare_builtin(const Symbol& existing, const Symbol& added);
  void report_owners_name(const Identifier& identifier, const Declaration& owner);
  void report_inherited(const Identifier& identifier);
  void warn_of_hidden(const Identifier& identifier);
  void warn_of_case(const Identifier& identifier, const std::string& other, Location location);
  void note_use(const ScopedName& name, const Symbol& found);
  void report_missing(const Identifier& identifier, const Scope* inside);

  Diagnostics& diagnostics_;
  std::vector<std::unique_ptr<Scope>> all_;
  std::map<const Declaration*, Scope*> by_owner_;
  Scope* global_;
  Scope* current_;
  std::set<const SourceFile*> used_files_;
  std::set<const SourceFile*> files_at_file_level_;
  std::set<const SourceFile*> files_inside_;
  std::vector<RedeclaredBuiltin> redeclared_;
};

}  // namespace perigee::idlc
