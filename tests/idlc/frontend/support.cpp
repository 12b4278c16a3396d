// Helpers of the front end's tests.
#include "support.h"

namespace perigee::idlc::test {

CompileResult compile_files(const Files& files, CompileOptions options) {
  MemoryFiles memory;
  for (const auto& [name, text] : files) memory.add(name, text);
  options.main_file = files.front().first;
  return compile(options, memory);
}

CompileResult compile_text(const std::string& text, CompileOptions options) {
  return compile_files({{"main.idl", text}}, std::move(options));
}

PreprocessResult preprocess_text(const std::string& text, CompileOptions options) {
  MemoryFiles memory;
  memory.add("main.idl", text);
  options.main_file = "main.idl";
  return preprocess(options, memory);
}

std::string summary(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& each : diagnostics) {
    out += std::to_string(each.location.line) + ':' + std::to_string(each.location.column) + ": " +
           each.text + '\n';
  }
  return out;
}

std::string full_text(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& each : diagnostics) out += format(each);
  return out;
}

namespace {

const Declaration* find_in(const Declarations& all, const std::string& scoped_name) {
  for (const Declaration* each : all) {
    if (each->scoped_name == scoped_name && each->kind != DeclarationKind::forward) return each;
    const Declaration* inner = nullptr;
    if (const auto* module = as<Module>(each)) inner = find_in(module->contents, scoped_name);
    if (const auto* interface = as<Interface>(each))
      inner = find_in(interface->contents, scoped_name);
    if (inner != nullptr) return inner;
  }
  return nullptr;
}

}  // namespace

const Declaration* find(const Model& model, const std::string& scoped_name) {
  return find_in(model.definitions, scoped_name);
}

}  // namespace perigee::idlc::test
