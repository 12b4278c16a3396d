// The back end for the OMG IDL-to-C++11 mapping: turns a checked model into the texts of C++ files.
// Does not write files; the tool writes them.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"
#include "idlc/implied/implied.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// How skeletons (stockS.cpp) find the function of an operation's name.
enum class Demux {
  automatic,  ///< the perfect hash, or the sorted table for very many operations
  // The values below are for the experiment `perigee bench demux` only.
  linear,   ///< compares the names in the order of the IDL
  hash,     ///< a hash table with open addressing, at most half full
  perfect,  ///< the perfect hash for any number n of operations: its table has about n*n/22 slots
  sorted,   ///< a binary search
};

/// The names of generated files: `stock.idl` gives `stock` + suffix + extension.
struct FileNames {
  static constexpr std::string_view one_source_suffix = "All";  ///< no option changes it
  std::string client_suffix = "C";
  std::string server_suffix = "S";
  std::string any_suffix = "A";
  std::string ami_suffix = "AmiC";
  std::string ami_server_suffix = "AmiS";
  std::string amh_suffix = "AmhS";
  std::string async_suffix = "Async";
  std::string async_server_suffix = "AsyncS";
  std::string repository_suffix = "R";
  std::string header_extension = ".h";
  std::string source_extension = ".cpp";
  bool keeps_include_path = false;  ///< an #include keeps the folder of the IDL's #include
  bool with_any = false;            ///< generate files of TypeCodes and insertion into any
  bool with_ami = false;            ///< always generate files of asynchronous calls
  bool with_amh = false;            ///< the same for asynchronous servants
  bool with_async = false;          ///< the same for coroutine clients and servants
  bool with_repository = false;     ///< generate files with a description for repositories
  bool with_one_source = false;     ///< generate a source that includes the others
  bool client_only = false;         ///< leave out the files of servants
  /// Headers that include <perigee/corba.h>, the header of applications.
  enum class WithOrb { none, server, all } with_orb = WithOrb::server;
  Demux demux = Demux::automatic;
};

struct OutputFile {
  std::string name;  ///< without folder
  std::string text;
};

struct GenerateResult {
  std::vector<OutputFile> files;  ///< empty if there is an error
  /// Errors with positions: constructs that are not generated yet, and clashes of header names.
  std::vector<Diagnostic> diagnostics;

  [[nodiscard]] bool ok() const { return diagnostics.empty(); }
};

/// Generates the header and the source of the client and of the server for the model's main file.
/// The files for any and the source that includes all others are generated if `names` asks for
/// them. The files of asynchronous calls, servants and coroutines are generated if `names` asks for
/// them, or if `implied` has declarations for the main file. The texts of the other files do not
/// depend on these choices.
/// The same model gives the same octets.
GenerateResult generate(const Model& model, const ImpliedIdl& implied, const FileNames& names);

/// The names of the files that `names` asks for, for the IDL file at `idl_path`. They are in the
/// order of `GenerateResult::files`. Files that only `implied` asks for are not included.
std::vector<std::string> output_names(const std::string& idl_path, const FileNames& names);

}  // namespace perigee::idlc::cpp11
