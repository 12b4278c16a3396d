// Runs the phases of the compiler for each IDL file, and writes the files.
#include "idlc/program/program.h"

#include "idlc/backends/cpp11/generate.h"
#include "idlc/frontend/compile.h"
#include "idlc/implied/implied.h"
#include "idlc/program/arguments.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace perigee::idlc {

namespace {

/// The processing of one IDL file.
class Job final {
 public:
  Job(const Arguments& arguments, Surroundings& surroundings, std::string file)
      : arguments_(arguments), surroundings_(surroundings), file_(std::move(file)) {}

  int run() {
    switch (arguments_.action) {
      case Action::preprocess:
        return preprocess_file();
      case Action::dump_model:
        return dump();
      case Action::dump_implied_idl:
        return dump_implied();
      case Action::generate:
        return generate_files();
    }
    return exit_bad_input;
  }

 private:
  CompileOptions compile_options() const {
    CompileOptions options;
    options.main_file = file_;
    options.include_paths = arguments_.include_paths;
    options.defines = arguments_.defines;
    options.undefines = arguments_.undefines;
    options.annotation_files = arguments_.annotation_files;
    options.warnings = arguments_.warnings;
    options.idl_version = arguments_.idl_version;
    return options;
  }

  void print(const std::vector<Diagnostic>& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics) surroundings_.err << format(diagnostic);
  }

  int preprocess_file() {
    const PreprocessResult result = preprocess(compile_options(), surroundings_.files);
    print(result.diagnostics);
    if (result.ok) surroundings_.out << result.text;
    return result.ok ? exit_ok : exit_bad_input;
  }

  int dump() {
    const CompileResult result = compile(compile_options(), surroundings_.files);
    print(result.diagnostics);
    if (result.ok()) surroundings_.out << dump_model(*result.model);
    return result.ok() ? exit_ok : exit_bad_input;
  }

  int dump_implied() {
    const CompileResult result = compile(compile_options(), surroundings_.files);
    print(result.diagnostics);
    if (!result.ok()) return exit_bad_input;
    const ImpliedIdl implied = imply(*result.model, arguments_.implied);
    print(implied.diagnostics);
    if (!implied.ok()) return exit_bad_input;
    surroundings_.out << print_implied_idl(*result.model, implied);
    return exit_ok;
  }

  int generate_files() {
    const CompileResult result = compile(compile_options(), surroundings_.files);
    print(result.diagnostics);
    if (!result.ok()) return exit_bad_input;
    const ImpliedIdl implied = imply(*result.model, arguments_.implied);
    print(implied.diagnostics);
    if (!implied.ok()) return exit_bad_input;
    const cpp11::GenerateResult generated =
        cpp11::generate(*result.model, implied, arguments_.names);
    print(generated.diagnostics);
    if (!generated.ok()) return exit_bad_input;
    return write_all(generated.files, result.dependencies) ? exit_ok : exit_bad_input;
  }

  bool write_all(const std::vector<cpp11::OutputFile>& outputs,
                 const std::vector<std::string>& dependencies) {
    std::error_code error;
    std::filesystem::create_directories(arguments_.output_folder, error);
    if (error) return complain("make the folder", arguments_.output_folder, error);
    for (const cpp11::OutputFile& output : outputs)
      if (!write(in_output_folder(output.name), output.text)) return false;
    return arguments_.depend_file.empty() ||
           write(arguments_.depend_file, make_rule(rule_targets(), dependencies));
  }

  [[nodiscard]] std::string in_output_folder(const std::string& name) const {
    return (std::filesystem::path(arguments_.output_folder) / name).string();
  }

  /// The targets of the make rule. Files that exist only because of annotations are no targets: a
  /// build knows its outputs before it reads any file, and ninja refuses rules for other outputs.
  [[nodiscard]] std::vector<std::string> rule_targets() const {
    std::vector<std::string> result;
    for (const std::string& name : cpp11::output_names(file_, arguments_.names))
      result.push_back(in_output_folder(name));
    return result;
  }

  bool write(const std::string& path, const std::string& text) {
    errno = 0;
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << text;
    stream.close();
    return stream.good() ||
           complain("write", path, std::error_code(errno, std::generic_category()));
  }

  bool complain(std::string_view what, const std::string& path, const std::error_code& error) {
    surroundings_.err << "perigee-idl: cannot " << what << " '" << path << "': " << error.message()
                      << '\n';
    return false;
  }

  const Arguments& arguments_;
  Surroundings& surroundings_;
  std::string file_;
};

}  // namespace

int run(const std::vector<std::string>& words, Surroundings surroundings) {
  const ParseResult parsed = parse_arguments(words, surroundings.out, surroundings.err);
  if (!parsed.arguments) return parsed.exit_status;
  int status = exit_ok;
  for (const std::string& file : parsed.arguments->files)
    status = std::max(status, Job(*parsed.arguments, surroundings, file).run());
  return status;
}

}  // namespace perigee::idlc
