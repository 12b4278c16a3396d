// Implied IDL against golden texts, each of which compiles behind the file that it is made of.
// PERIGEE_UPDATE_GOLDEN=1 rewrites them; read the difference before committing it.
#include "idlc/implied/implied.h"

#include "idlc/frontend/compile.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace perigee::idlc::test {
namespace {

namespace fs = std::filesystem;

const fs::path golden = fs::path(PERIGEE_IDLC_GOLDEN) / "implied";

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A file on disk.
CompileResult compile_file(const fs::path& path) {
  CompileOptions options;
  options.main_file = path.string();
  SystemFiles files;
  return compile(options, files);
}

/// Implied IDL, with all that it may include.
CompileResult compile_implied(const std::string& text) {
  MemoryFiles files;
  files.add("main.idl", text);
  files.add("Messaging.idl", read(fs::path(PERIGEE_IDL_FOLDER) / "Messaging.idl"));
  for (const auto& entry : fs::directory_iterator(golden))
    if (entry.path().extension() == ".idl")
      files.add(entry.path().filename().string(), read(entry.path()));
  CompileOptions options;
  options.main_file = "main.idl";
  options.include_paths = {"."};
  return compile(options, files);
}

std::string text_of(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& each : diagnostics) out += format(each);
  return out;
}

/// Of a small file in memory.
struct Implied {
  explicit Implied(const std::string& text, const ImpliedOptions& options = {true, true}) {
    MemoryFiles files;
    files.add("main.idl", text);
    CompileOptions compile_options;
    compile_options.main_file = "main.idl";
    result = compile(compile_options, files);
    REQUIRE_MESSAGE(result.ok(), text_of(result.diagnostics));
    idl = imply(*result.model, options);
  }

  [[nodiscard]] std::string printed() const { return print_implied_idl(*result.model, idl); }

  CompileResult result;
  ImpliedIdl idl;
};

TEST_CASE("what files imply is as their golden texts say, and compiles behind them") {
  for (const std::string name : {"stock", "calls", "included", "bases", "names", "annotated"}) {
    CAPTURE(name);
    CompileResult result = compile_file(golden / (name + ".idl"));
    CHECK(text_of(result.diagnostics) == "");
    REQUIRE(result.ok());
    const bool all = name != "annotated";
    const ImpliedIdl implied = imply(*result.model, {.ami = all, .amh = all});
    CHECK(text_of(implied.diagnostics) == "");
    const std::string text = print_implied_idl(*result.model, implied);
    const fs::path expected = golden / (name + ".implied");
    const char* const update = std::getenv("PERIGEE_UPDATE_GOLDEN");
    if (update != nullptr && std::string(update) == "1")
      std::ofstream(expected, std::ios::binary) << text;
    CHECK(text == read(expected));
    // What an included file implies comes first.
    const std::string before = name == "bases" ? read(golden / "included.implied") : "";
    const CompileResult again = compile_implied(before + text);
    CHECK(text_of(again.diagnostics) == "");
    CHECK(again.ok());
  }
}

TEST_CASE("what nobody asks for is not implied") {
  const Implied implied("interface I { void f(); };", {});
  CHECK(implied.idl.ami.empty());
  CHECK(implied.idl.amh.empty());
  CHECK(implied.printed() == "#include \"main.idl\"\n");
}

TEST_CASE("each operation says what it is for, and what it was made from") {
  const Implied implied("interface I { void f(); attribute long a; oneway void g(); };");
  REQUIRE(implied.idl.ami.size() == 1);
  std::string text;
  for (const ImpliedOperation& each : implied.idl.ami[0].operations)
    text += std::to_string(static_cast<int>(each.role)) +
            std::to_string(static_cast<int>(each.half)) + ' ' + each.origin->name + " -> " +
            each.node->scoped_name + '\n';
  CHECK(text ==
        "00 f -> ::IAmiC::sendc_f\n"
        "10 f -> ::AMI_IHandler::f\n"
        "20 f -> ::AMI_IHandler::f_excep\n"
        "01 a -> ::IAmiC::sendc_get_a\n"
        "11 a -> ::AMI_IHandler::get_a\n"
        "21 a -> ::AMI_IHandler::get_a_excep\n"
        "02 a -> ::IAmiC::sendc_set_a\n"
        "12 a -> ::AMI_IHandler::set_a\n"
        "22 a -> ::AMI_IHandler::set_a_excep\n");
  REQUIRE(implied.idl.amh.size() == 1);
  CHECK(implied.idl.amh[0].operations.size() == 4 * 4);  // oneways, too
}

TEST_CASE("ids stand beside that of the origin, whatever its prefix") {
  const Implied implied("#pragma prefix \"example.org\"\nmodule M { interface I { void f(); }; };");
  CHECK(implied.idl.ami[0].handler->repository_id == "IDL:example.org/M/AMI_IHandler:1.0");
  CHECK(implied.idl.amh[0].operations[0].node->repository_id == "IDL:example.org/M/AMH_I/f:1.0");
  const Implied odd("interface I { void f(); };\n#pragma ID I \"DCE:700dc518-0110:1\"");
  CHECK(odd.idl.ami[0].handler->repository_id == "IDL:AMI_IHandler:1.0");
}

TEST_CASE("an annotation without effect is a warning") {
  const Implied implied(
      "//@perigee::ami\nlocal interface L { void f(); };\n"
      "abstract interface A {\n//@perigee::amh\nvoid f(); };\n",
      {});
  CHECK(implied.idl.ami.empty());
  CHECK(implied.idl.amh.empty());
  CHECK(text_of(implied.idl.diagnostics) ==
        "main.idl:2:17: warning: ami has no effect on local interface 'L'\n"
        "  local interface L { void f(); };\n"
        "                  ^\n"
        "  hint: calls of local objects do not pass through the ORB\n"
        "main.idl:3:20: warning: amh has no effect on abstract interface 'A'\n"
        "  abstract interface A {\n"
        "                     ^\n"
        "  hint: annotate the interfaces that derive from it\n");
}

}  // namespace
}  // namespace perigee::idlc::test
