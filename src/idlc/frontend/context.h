// What all parts of the parser share. The parser builds the model directly: names are resolved and
// constants evaluated while it reads, which IDL's rule "declare before use" allows.
#pragma once

#include "idlc/frontend/compile.h"
#include "idlc/frontend/repository_ids.h"
#include "idlc/frontend/scope.h"
#include "idlc/frontend/token_stream.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace perigee::idlc {

/// Makes types; basic and named ones once each.
class Types final {
 public:
  explicit Types(Model& model) : model_(model) {}
  const Type* basic(TypeKind kind);
  const Type* named(TypeKind kind, const Declaration& declaration);
  Type& make(TypeKind kind);
  /// How many typedefs lie inside each other in the type, through arrays, sequences and maps too. A
  /// typedef must be made known by `set_alias_depth`.
  [[nodiscard]] std::size_t alias_depth(const Type& type) const;
  void set_alias_depth(const Declaration& alias, std::size_t depth) {
    alias_depths_[&alias] = depth;
  }

 private:
  Model& model_;
  std::map<TypeKind, const Type*> basic_;
  std::map<const Declaration*, const Type*> named_;
  std::map<const Declaration*, std::size_t> alias_depths_;
};

using Annotations = std::vector<Annotation>;

struct Context {
  const CompileOptions& options;
  Model& model;
  Diagnostics& diagnostics;
  TokenStream& tokens;
  Scopes& scopes;
  RepositoryIds& ids;
  Types types;
  Declarations* contents;  ///< where the declarations that are being read go
  std::size_t depth = 0;
  std::size_t names_size = 0;   ///< of all declarations: each repeats those of the scopes around it
  std::size_t angle_depth = 0;  ///< inside `<…>` of template types, where `>>` closes two of them
  std::vector<std::pair<Declaration*, Location>> forwards;  ///< to be checked at the end
  std::set<const Declaration*> local_types;                 ///< that hold a local interface
  std::set<const SourceFile*> files_with_definitions;       ///< behind which no import may stand
  const Declaration* opening = nullptr;  ///< what opened the present scope; null at file level

  Diagnostic& error(Location location, std::string text) {
    return diagnostics.error(location, std::move(text));
  }
};

/// Counts nesting. If `is_ok()` is false, the limit was exceeded and reported: return at once.
class Nesting final {
 public:
  explicit Nesting(Context& context);
  ~Nesting() { --context_.depth; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  [[nodiscard]] bool is_ok() const { return is_ok_; }

 private:
  Context& context_;
  bool is_ok_;
};

/// Inside the `<…>` of a template type.
class InAngles final {
 public:
  explicit InAngles(Context& context) : context_(context) { ++context_.angle_depth; }
  ~InAngles() { --context_.angle_depth; }
  InAngles(const InAngles&) = delete;
  InAngles& operator=(const InAngles&) = delete;

 private:
  Context& context_;
};

/// Inside it, names are declared in the scope of `owner`, and declarations go to `contents`.
class Inside final {
 public:
  Inside(Context& context, Declaration& owner, Declarations& contents);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Context& context_;
  Declarations* saved_contents_;
  const Declaration* saved_opening_;
};

/// Says to which file's C++ the declaration belongs.
void set_unit(const Context& context, Declaration& declaration);

/// Fills what all declarations have, and the repository id; neither declares the name nor adds it
/// to the contents.
void describe_declaration(Context& context, Declaration& declaration, const Identifier& identifier);

/// A new declaration of that name in the current scope, at the end of the current contents. It is
/// made even if the name clashes, so that its inside can be checked too.
template <typename T>
T& declare(Context& context, const Identifier& identifier, Annotations annotations = {}) {
  T& node = context.model.make<T>();
  describe_declaration(context, node, identifier);
  node.annotations = std::move(annotations);
  context.scopes.declare(identifier, &node, to_text(T::kind_of));
  context.contents->push_back(&node);
  return node;
}

}  // namespace perigee::idlc
