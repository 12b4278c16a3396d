// Statements outside the grammar that name declarations: #pragma prefix, ID, version, perigee and
// corba_ami, and annotation files. Ids are set at once. Annotations are kept until the whole text
// was read, because their pragma may come before the declaration.
#pragma once

#include "idlc/frontend/annotation_requests.h"
#include "idlc/frontend/repository_ids.h"
#include "idlc/frontend/scope.h"
#include "idlc/frontend/token.h"

namespace perigee::idlc {

/// Takes pragmas and file borders in the order of the text, while the parser reads.
class Pragmas final {
 public:
  Pragmas(Scopes& scopes, RepositoryIds& ids, AnnotationRequests& requests,
          Diagnostics& diagnostics)
      : scopes_(scopes), ids_(ids), requests_(requests), diagnostics_(diagnostics) {}

  void operator()(const Event& event);

 private:
  void enter_file(const SourceFile& file);
  void pragma(const Event& event);
  void prefix(const Event& event);
  void id_or_version(const Event& event, std::string_view word);

  Scopes& scopes_;
  RepositoryIds& ids_;
  AnnotationRequests& requests_;
  Diagnostics& diagnostics_;
};

}  // namespace perigee::idlc
