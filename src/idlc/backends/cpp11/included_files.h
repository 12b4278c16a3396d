// The IDL files whose headers the main file's headers include, and the names in these #includes.
#pragma once

#include "idlc/backends/cpp11/generate.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// The files that the main file itself includes, except files that are parts of it.
std::vector<const SourceFile*> header_files(const Model& model);

/// The name of an included IDL file in generated code. It is the name in the #include, without its
/// folder unless `names` asks for the folder.
std::string included_name(const SourceFile& file, const FileNames& names);

/// The headers of other files that declare a direct base of one of `interfaces`, each once.
/// Abstract bases need no header, because they have no skeletons and no implied declarations.
/// `header_of` returns the name of the header of an IDL file.
std::vector<std::string> base_headers(const std::vector<const Interface*>& interfaces,
                                      const FileNames& names,
                                      std::string (*header_of)(const std::string& idl_path,
                                                               const FileNames& names));

/// Writes an #include of each header that declares a base of an interface that the main file
/// defines. The interfaces are the members `origin` of `all`.
template <typename Implied>
void include_bases_of(Writer& writer, const std::vector<Implied>& all, const FileNames& names,
                      std::string (*header_of)(const std::string& idl_path,
                                               const FileNames& names)) {
  std::vector<const Interface*> defined;
  for (const Implied& implied : all)
    if (!implied.origin->is_imported) defined.push_back(implied.origin);
  for (const std::string& header : base_headers(defined, names, header_of))
    writer.write("#include " + string_literal(header));
  writer.separate();
}

/// An error for each included file whose header would have the same name as a header of the main
/// file or of another included file.
std::vector<Diagnostic> name_clashes(const Model& model, const FileNames& names);

}  // namespace perigee::idlc::cpp11
