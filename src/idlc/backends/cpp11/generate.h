// The back end for the OMG IDL-to-C++11 mapping: from a checked model to the texts of C++ files.
// Does not write files; the tool does.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// How generated files are named: `stock.idl` gives `stock` + suffix + extension.
struct FileNames {
  std::string client_suffix = "C";
  std::string server_suffix = "S";
  std::string any_suffix = "A";
  std::string ami_suffix = "AmiC";
  std::string ami_server_suffix = "AmiS";
  std::string amh_suffix = "AmhS";
  std::string async_suffix = "Async";
  std::string async_server_suffix = "AsyncS";
  std::string header_extension = ".h";
  std::string source_extension = ".cpp";
  bool keeps_include_path = false;  ///< whether an #include has the folder that the IDL's has
  bool with_any = false;            ///< whether there are files of TypeCodes and insertion into any
  bool with_ami = false;            ///< whether there are files of asynchronous calls in any case
  bool with_amh = false;            ///< the same of asynchronous servants
  bool with_async = false;          ///< the same of clients and servants of coroutines
  bool with_one_source = false;     ///< whether there is a source that includes the others
};

struct OutputFile {
  std::string name;  ///< without folder
  std::string text;
};

struct GenerateResult {
  std::vector<OutputFile> files;  ///< empty if there is an error
  /// What the model uses and this version does not generate, each with its position.
  std::vector<Diagnostic> diagnostics;

  [[nodiscard]] bool ok() const { return diagnostics.empty(); }
};

/// Generates the client's and the server's header and source of the model's main file, those for
/// any and the source of all if they are asked for, and those of asynchronous calls, servants and
/// coroutines if they are asked for or `implied` has some for the main file. The others are the
/// same with and without them.
/// The same model gives the same octets.
GenerateResult generate(const Model& model, const ImpliedIdl& implied, const FileNames& names);

/// The names of the files that `generate` gives for the IDL file at `idl_path`, in its order.
std::vector<std::string> output_names(const std::string& idl_path, const FileNames& names);

}  // namespace perigee::idlc::cpp11
