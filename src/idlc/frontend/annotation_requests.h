// Annotations that are written separately from their declarations, for IDL that other compilers
// must read or that must not be edited. The forms are `#pragma perigee borrowed
// Stock::Quoter::put.data`, the same line without `#pragma perigee` in an annotation file, and
// `#pragma corba_ami "Stock::Quoter"`.
#pragma once

#include "idlc/frontend/compile.h"
#include "idlc/frontend/scope.h"
#include "idlc/frontend/token.h"

#include <span>
#include <string>
#include <vector>

namespace perigee::idlc {

class AnnotationRequests final {
 public:
  explicit AnnotationRequests(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// `borrowed A::B::op.parameter`: the tokens after `#pragma perigee`. The name is looked up from
  /// `scope` after the whole text was read.
  void add(std::span<const Token> tokens, Location location, Scope& scope);
  /// `"A::B"`: the tokens after `#pragma corba_ami`.
  void add_ami(std::span<const Token> tokens, Location location, Scope& scope);
  /// All lines of an annotation file. It may name declarations that are not in this compilation.
  void add_file(const SourceFile& file, TextPool& pool, Scope& scope);

  /// Gives the declarations their annotations. Call once, after the whole text was read.
  void apply(Scopes& scopes);

 private:
  struct Request {
    Annotation annotation;
    ScopedName target;
    Identifier part;  ///< the parameter or member after the dot; empty: the declaration itself
    Scope* scope = nullptr;
    bool is_from_file = false;
  };
  bool parse(std::span<const Token> tokens, Location location, Request& request);
  void annotate(const Request& request, Declaration& declaration);

  Diagnostics& diagnostics_;
  std::vector<Request> requests_;
};

/// Reads `A::B` from `index` on, and moves `index` past the name; empty if there is no name.
ScopedName scoped_name_in(std::span<const Token> tokens, std::size_t& index);

/// Reports an annotation `perigee::x` that this compiler does not know.
void check_annotation_name(const Annotation& annotation, Diagnostics& diagnostics);

}  // namespace perigee::idlc
