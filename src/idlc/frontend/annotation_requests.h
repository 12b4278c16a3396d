// Annotations that are written apart from what they annotate, for IDL that other compilers must
// read or that may not be edited: `#pragma perigee borrowed Stock::Quoter::put.data`, the same line
// without `#pragma perigee` in an annotation file, and `#pragma corba_ami "Stock::Quoter"`.
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

  /// `borrowed A::B::op.parameter`: the tokens behind `#pragma perigee`. The name is looked up from
  /// `scope`, when everything has been read.
  void add(std::span<const Token> tokens, Location location, Scope& scope);
  /// `"A::B"`: the tokens behind `#pragma corba_ami`.
  void add_ami(std::span<const Token> tokens, Location location, Scope& scope);
  /// All lines of an annotation file. What they name need not be in this compilation.
  void add_file(const SourceFile& file, TextPool& pool, Scope& scope);

  /// Gives the declarations their annotations. Call once, when the whole text is read.
  void apply(Scopes& scopes);

 private:
  struct Request {
    Annotation annotation;
    ScopedName target;
    Identifier part;  ///< the parameter or member behind the dot; empty: the declaration itself
    Scope* scope = nullptr;
    bool is_from_file = false;
  };
  bool parse(std::span<const Token> tokens, Location location, Request& request);
  void annotate(const Request& request, Declaration& declaration);

  Diagnostics& diagnostics_;
  std::vector<Request> requests_;
};

/// `A::B` from `index` on, which ends behind the name; empty if there is none.
ScopedName scoped_name_in(std::span<const Token> tokens, std::size_t& index);

/// Reports an annotation `perigee::x` that this compiler does not know.
void check_annotation_name(const Annotation& annotation, Diagnostics& diagnostics);

}  // namespace perigee::idlc
