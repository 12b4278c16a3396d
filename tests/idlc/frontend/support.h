// Compiles IDL from memory, and turns results into text for comparisons.
#pragma once

#include "idlc/frontend/compile.h"

#include <string>
#include <utility>
#include <vector>

namespace perigee::idlc::test {

/// Files by name; the first is the main file.
using Files = std::vector<std::pair<std::string, std::string>>;

CompileResult compile_files(const Files& files, CompileOptions options = {});
CompileResult compile_text(const std::string& text, CompileOptions options = {});
PreprocessResult preprocess_text(const std::string& text, CompileOptions options = {});

/// "line:column: text" of each diagnostic, each on its own line.
std::string summary(const std::vector<Diagnostic>& diagnostics);
/// All diagnostics as the user sees them.
std::string full_text(const std::vector<Diagnostic>& diagnostics);

/// The declaration with this scoped name ("::M::I"), or nullptr.
const Declaration* find(const Model& model, const std::string& scoped_name);

}  // namespace perigee::idlc::test
