// The state that all parts of the parser share. The parser builds the model directly: it resolves
// names and evaluates constants while it reads. IDL's rule "declare before use" allows this.
#pragma once

#include "idlc/frontend/compile.h"
#include "idlc/frontend/repository_ids.h"
#include "idlc/frontend/scope.h"
#include "idlc/frontend/template_module.h"
#include "idlc/frontend/token_stream.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace perigee::idlc {

/// Makes types. Basic and named types are made once each.
class Types final {
 public:
  explicit Types(Model& model) : model_(model) {}
  const Type* basic(TypeKind kind);
  const Type* named(TypeKind kind, const Declaration& declaration);
  Type& make(TypeKind kind);
  /// The depth of the type: how many declared types contain each other, also through arrays,
  /// sequences and maps. Each such declaration must be registered by `limit_depth` in checks.h. A
  /// type that is not defined yet counts as 0.
  [[nodiscard]] std::size_t depth(const Type& type) const;
  [[nodiscard]] std::size_t depth(const Declaration* declaration) const;
  void set_depth(const Declaration& declaration, std::size_t depth) {
    depths_[&declaration] = depth;
  }

 private:
  Model& model_;
  std::map<TypeKind, const Type*> basic_;
  std::map<const Declaration*, const Type*> named_;
  std::map<const Declaration*, std::size_t> depths_;
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
  Declarations* contents;       ///< receives the declarations that are being read
  std::size_t depth = 0;        ///< see Nesting
  std::size_t names_size = 0;   ///< octets of all scoped names and repository ids so far
  std::size_t angle_depth = 0;  ///< inside `<…>` of template types, where `>>` closes two of them
  std::vector<std::pair<Declaration*, Location>> forwards;  ///< to be checked at the end
  std::set<const Declaration*> local_types;            ///< types that contain a local interface
  std::set<const SourceFile*> files_with_definitions;  ///< a later import in them is an error
  /// Nodes that stand for components, homes and the like, with the keyword of their definition.
  std::map<const Declaration*, std::string_view> stand_ins;
  std::map<const Declaration*, TemplateModule> templates;  ///< by their stand-ins
  std::size_t instance_token_count = 0;                    ///< of all instances so far
  std::vector<OpenInstance> open_instances;  ///< of template modules; the last is the innermost
  /// For each declaration of orb.idl that a file repeats: the place of the first repetition.
  std::map<const Declaration*, Location> redeclared_builtins;
  const Declaration* opening = nullptr;  ///< opened the current scope; null at file level

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

/// Counts the nesting of `<…>` of template types.
class InAngles final {
 public:
  explicit InAngles(Context& context) : context_(context) { ++context_.angle_depth; }
  ~InAngles() { --context_.angle_depth; }
  InAngles(const InAngles&) = delete;
  InAngles& operator=(const InAngles&) = delete;

 private:
  Context& context_;
};

/// During its lifetime, names are declared in the scope of `owner`, and declarations go to
/// `contents`.
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

/// The file whose C++ contains a declaration at `location` in the current scope.
const SourceFile* unit_of(const Context& context, const Location& location);

/// Whether the text at `location` belongs to the main file. The compilation of an included file
/// reports the warnings about its own text.
bool is_in_main_file(const Context& context, const Location& location);

/// Sets the file whose C++ contains the declaration.
void set_unit(const Context& context, Declaration& declaration);

/// Fills in the common fields of declarations and the repository id. Does not declare the name, and
/// does not add the declaration to the contents.
void describe_declaration(Context& context, Declaration& declaration, const Identifier& identifier);

/// A new declaration with that name in the current scope, at the end of the current contents. It is
/// made even if the name clashes, so that its contents can be checked, too.
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
