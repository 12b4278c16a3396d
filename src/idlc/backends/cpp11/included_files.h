// The IDL files whose headers the main file's headers include, and the names that they do it by.
#pragma once

#include "idlc/backends/cpp11/generate.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// The files that the main file includes itself, but for those that are parts of it.
std::vector<const SourceFile*> header_files(const Model& model);

/// How generated code names an included IDL file: as the #include does, without its folder unless
/// `names` asks for that.
std::string included_name(const SourceFile& file, const FileNames& names);

/// The headers of other files' interfaces that one of `interfaces` derives from, each once;
/// `header_of` names the header of an IDL file.
std::vector<std::string> base_headers(const std::vector<const Interface*>& interfaces,
                                      const FileNames& names,
                                      std::string (*header_of)(const std::string& idl_path,
                                                               const FileNames& names));

/// Includes those of the interfaces in `all` that the main file defines: `Implied` has an `origin`.
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

/// An error for each included file whose header would be called like one of the main file's, or
/// like that of another included file.
std::vector<Diagnostic> name_clashes(const Model& model, const FileNames& names);

}  // namespace perigee::idlc::cpp11
