// The generated files, octet for octet. To accept the current output of the compiler:
//   PERIGEE_UPDATE_GOLDEN=1 build/release/tests/idlc/backend/test_idlc_backend
#include "idlc/backends/cpp11/generate.h"
#include "idlc/frontend/compile.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace perigee::idlc {

namespace {

const std::filesystem::path idl_folder = PERIGEE_IDL_FOLDER;
const std::filesystem::path golden_folder = PERIGEE_GOLDEN_FOLDER;

cpp11::GenerateResult generate_file(const std::string& name, const cpp11::FileNames& names = {},
                                    const ImpliedOptions& implied = {}) {
  CompileOptions options;
  options.main_file = (idl_folder / (name + ".idl")).string();
  if (name.starts_with("idl4/")) options.idl_version = IdlVersion::four;
  SystemFiles files;
  const CompileResult compiled = compile(options, files);
  for (const Diagnostic& diagnostic : compiled.diagnostics) MESSAGE(format(diagnostic));
  REQUIRE(compiled.ok());
  return cpp11::generate(*compiled.model, imply(*compiled.model, implied), names);
}

std::string read(const std::filesystem::path& path) {
  SystemFiles files;
  return files.read(path.string(), 1 << 24).value_or("");
}

bool is_updating() { return std::getenv("PERIGEE_UPDATE_GOLDEN") != nullptr; }

void update(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

void check_golden(const std::string& name, const cpp11::OutputFile& output) {
  CAPTURE(output.name);
  const auto path = golden_folder / std::filesystem::path(name).filename() / output.name;
  if (is_updating()) update(path, output.text);
  const bool is_golden = read(path) == output.text;
  CHECK_MESSAGE(is_golden, "differs from ", path.string());
}

}  // namespace

TEST_CASE("generated files equal the golden files") {
  for (const char* name :
       {"any",         "arrays",      "attributes",  "borrowed",       "bounded",
        "constants",   "corba_again", "abstract",    "abstract_bases", "abstract_imports",
        "defaults",    "enums",       "exceptions",  "fixed",          "forward",
        "idl4/modern", "includes",    "inheritance", "local",          "modules",
        "names",       "operations",  "references",  "parts",          "sequences",
        "stock",       "structs",     "unions",      "values",         "wide"}) {
    CAPTURE(name);
    const cpp11::GenerateResult generated = generate_file(name);
    REQUIRE(generated.files.size() == 4);
    for (const cpp11::OutputFile& output : generated.files) check_golden(name, output);
  }
}

TEST_CASE("options for any add files, and the other files stay the same") {
  for (const char* name : {"any", "includes", "stock"}) {
    CAPTURE(name);
    const cpp11::GenerateResult without = generate_file(name);
    const cpp11::GenerateResult with = generate_file(name, {.with_any = true});
    REQUIRE(with.files.size() == 6);
    for (std::size_t index = 0; index < 4; ++index)
      CHECK(with.files[index].text == without.files[index].text);
    check_golden(name, with.files[4]);
    check_golden(name, with.files[5]);
  }
}

TEST_CASE("options for asynchronous code add files, and the other files stay the same") {
  for (const char* name : {"async/desk", "inheritance", "includes", "stock"}) {
    CAPTURE(name);
    const cpp11::GenerateResult without = generate_file(name);
    const cpp11::GenerateResult with =
        generate_file(name, {.with_ami = true, .with_amh = true, .with_async = true},
                      {.ami = true, .amh = true, .async = true});
    REQUIRE(without.files.size() == 4);
    REQUIRE(with.files.size() == 14);
    for (std::size_t index = 0; index < 4; ++index)
      CHECK(with.files[index].text == without.files[index].text);
    check_golden(name, with.files[0]);  // the other files include it
    for (std::size_t index = 4; index < 14; ++index) check_golden(name, with.files[index]);
  }
}

TEST_CASE("the option for pollers changes only the files of asynchronous calls") {
  const cpp11::FileNames names = {.with_ami = true};
  const cpp11::GenerateResult without = generate_file("async/polls", names, {.ami = true});
  const cpp11::GenerateResult with = generate_file("async/polls", names, {.ami_polling = true});
  REQUIRE(without.files.size() == 8);
  REQUIRE(with.files.size() == 8);
  for (const std::size_t index : {0U, 1U, 2U, 3U, 6U, 7U})
    CHECK(with.files[index].text == without.files[index].text);
  check_golden("async/polls", with.files[0]);  // the other files include it
  check_golden("async/polls", with.files[4]);
  check_golden("async/polls", with.files[5]);
}

TEST_CASE("annotations of the main file add files for asynchronous servants") {
  const cpp11::GenerateResult generated = generate_file("async/chosen", {.with_one_source = true});
  REQUIRE(generated.files.size() == 15);
  check_golden("async/chosen", generated.files[0]);
  for (std::size_t index = 4; index < 14; ++index)
    check_golden("async/chosen", generated.files[index]);
  const std::string& all = generated.files[14].text;
  CHECK(all.find("#include \"chosenAmhS.cpp\"") != std::string::npos);
  CHECK(all.find("#include \"chosenAsyncS.cpp\"") != std::string::npos);
}

TEST_CASE(
    "requested files of asynchronous calls and servants are generated, whatever the IDL file "
    "holds") {
  const cpp11::GenerateResult generated =
      generate_file("constants", {.with_ami = true, .with_amh = true, .with_async = true});
  REQUIRE(generated.files.size() == 14);
  CHECK(generated.files[4].name == "constantsAmiC.h");
  CHECK(generated.files[6].name == "constantsAmiS.h");
  CHECK(generated.files[8].name == "constantsAmhS.h");
  CHECK(generated.files[10].name == "constantsAsync.h");
  CHECK(generated.files[13].name == "constantsAsyncS.cpp");
}

TEST_CASE("generated files are named after the IDL file and the side") {
  const cpp11::GenerateResult generated = generate_file("stock");
  std::vector<std::string> names;
  for (const cpp11::OutputFile& output : generated.files) names.push_back(output.name);
  CHECK(names == std::vector<std::string>{"stockC.h", "stockC.cpp", "stockS.h", "stockS.cpp"});
  CHECK(names == cpp11::output_names("some/folder/stock.idl", {}));
  names.insert(names.end(), {"stockA.h", "stockA.cpp"});
  CHECK(names == cpp11::output_names("some/folder/stock.idl", {.with_any = true}));
  names.insert(names.end(), {"stockAmhS.h", "stockAmhS.cpp", "stockAsync.h", "stockAsync.cpp",
                             "stockAsyncS.h", "stockAsyncS.cpp"});
  CHECK(names ==
        cpp11::output_names("stock.idl", {.with_any = true, .with_amh = true, .with_async = true}));
}

TEST_CASE("generated files have no lines beyond 100 columns unless names are too long") {
  for (const cpp11::OutputFile& output : generate_file("operations").files) {
    CAPTURE(output.name);
    std::size_t longest = 0;
    std::size_t start = 0;
    while (start < output.text.size()) {
      const std::size_t end = output.text.find('\n', start);
      longest = std::max(longest, end - start);
      start = end + 1;
    }
    CHECK(longest <= 100);
  }
}

TEST_CASE("the default of a union is the first value without a label, even of very many labels") {
  const auto client_source = [](const std::string& idl) {
    MemoryFiles files;
    files.add("many.idl", idl);
    CompileOptions options;
    options.main_file = "many.idl";
    options.idl_version = IdlVersion::four;
    const CompileResult compiled = compile(options, files);
    REQUIRE(compiled.ok());
    return cpp11::generate(*compiled.model, {}, {}).files.at(1).text;
  };
  const auto with_labels = [](const std::string& type, int least, int greatest) {
    std::string idl = "union U switch (" + type + ") {\n";
    for (int label = greatest; label >= least; --label)
      idl += "case " + std::to_string(label) + ":\n";
    return idl + "long a; default: string b; };\n";
  };
  const auto contains = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(contains(client_source(with_labels("long", -10, 50'000)), "_discriminator_(50001)"));
  CHECK(contains(client_source(with_labels("long", 1, 3)), "_discriminator_(0)"));
  CHECK(contains(client_source(with_labels("int8", -127, 127)), "_discriminator_(-128)"));
  CHECK(contains(client_source(with_labels("short", -3, 32767)), "_discriminator_(-32768)"));
}

TEST_CASE("the size of an operation table is proportional to the number of operations") {
  std::string idl = "interface I {\n";
  for (int index = 0; index < 2000; ++index) idl += "void f" + std::to_string(index) + "();\n";
  MemoryFiles files;
  files.add("many.idl", idl + "};\n");
  CompileOptions options;
  options.main_file = "many.idl";
  const CompileResult compiled = compile(options, files);
  REQUIRE(compiled.ok());
  const cpp11::GenerateResult generated = cpp11::generate(*compiled.model, {}, {});
  REQUIRE(generated.files.size() == 4);
  CHECK(generated.files[3].text.size() < 1000 * 2000);
}

TEST_CASE("the anys of a message share valuetypes if the message may contain several anys") {
  const auto shares = [](const std::string& types) {
    MemoryFiles files;
    files.add("anys.idl", types + "interface I { void f(in T value); };\n");
    CompileOptions options;
    options.main_file = "anys.idl";
    const CompileResult compiled = compile(options, files);
    REQUIRE(compiled.ok());
    const cpp11::GenerateResult generated = cpp11::generate(*compiled.model, {}, {});
    REQUIRE(generated.files.size() == 4);
    return generated.files[3].text.find("Reading::Landed::keep") != std::string::npos;
  };
  CHECK_FALSE(shares("typedef any T;\n"));
  CHECK_FALSE(shares("struct T { any a; long number; };\n"));
  CHECK(shares("struct T { any a; any b; };\n"));
  CHECK(shares("typedef sequence<any> T;\n"));
  CHECK(shares("struct T; typedef sequence<T> Ts; struct T { any a; Ts rest; };\n"));
  CHECK(
      shares("struct T; typedef sequence<T> Ts; struct U { Ts all; };\n"
             "struct T { any a; U others; };\n"));
  CHECK_FALSE(shares("struct T; typedef sequence<T> Ts; struct T { long a; Ts rest; };\n"));
}

}  // namespace perigee::idlc
