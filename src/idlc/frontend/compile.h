// The front end's entry points: from files to a checked model, or to preprocessed text.
#pragma once

#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"
#include "idlc/frontend/source.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace perigee::idlc {

/// Limits of one compilation. A file that exceeds a limit gets an error.
struct Limits {
  std::size_t file_size_max = 16u << 20;   ///< octets in one file
  std::size_t total_size_max = 64u << 20;  ///< octets in all files; each inclusion counts
  std::size_t file_count_max = 4096;       ///< files that are read; each inclusion counts
  std::size_t include_depth_max = 64;      ///< nested open files
  std::size_t condition_depth_max = 256;   ///< nested #if
  std::size_t macro_depth_max = 4096;      ///< nested macro expansions
  std::size_t token_count_max =
      2'000'000;  ///< tokens after preprocessing; also tokens handled by macro expansion
  std::size_t token_size_max = 1u << 20;  ///< octets in one identifier or literal
  std::size_t nesting_depth_max =
      128;  ///< scopes, types, parentheses, macro arguments inside each other
  std::size_t base_count_max = 1024;  ///< direct and indirect bases of an interface or valuetype
  std::size_t type_depth_max =
      256;  ///< length of a chain of declared types; each contains or extends the next
  std::size_t prefix_size_max = 255;  ///< octets in a prefix of repository ids
  std::size_t names_size_max =
      32u << 20;  ///< octets in the scoped names and repository ids of all declarations
  std::size_t error_count_max = 50;  ///< the compilation stops after this number of errors
};

/// Selects the keywords. In `three`, words that are newer than IDL 3 (map, bitset, int8, …) are
/// identifiers.
enum class IdlVersion { three, four };

struct CompileOptions {
  std::string main_file;
  std::vector<std::string> include_paths;     ///< -I, searched in order
  std::vector<std::string> defines;           ///< -D: "NAME" or "NAME=TEXT"
  std::vector<std::string> undefines;         ///< -U, applied after `defines`
  std::vector<std::string> annotation_files;  ///< paths; a line is `borrowed A::op.x`
  IdlVersion idl_version = IdlVersion::three;
  WarningOptions warnings;
  Limits limits;
};

struct CompileResult {
  /// Null if there was an error. (Then `failed_model` below keeps the files of the diagnostics
  /// alive.)
  std::unique_ptr<Model> model;
  std::vector<Diagnostic> diagnostics;
  /// Paths of all files that were read, the main file first, without built-in files: for a
  /// dependency file.
  std::vector<std::string> dependencies;
  /// Owns the source files of a failed compilation, to which the diagnostics point.
  std::unique_ptr<Model> failed_model;

  [[nodiscard]] bool ok() const { return model != nullptr; }
};

/// Compiles one IDL file and all files that it includes.
CompileResult compile(const CompileOptions& options, FileProvider& files);

struct PreprocessResult {
  std::string text;  ///< with `# line "file"` markers
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> dependencies;
  std::unique_ptr<Model> files;  ///< owns the source files to which the diagnostics point
  bool ok = false;
};

/// Only preprocesses (`-E`).
PreprocessResult preprocess(const CompileOptions& options, FileProvider& files);

}  // namespace perigee::idlc
