// TAOX11's names of the OBV classes of valuetypes.
#include "idlc/backends/cpp11/generate.h"
#include "idlc/frontend/compile.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace perigee::idlc {
namespace {

/// Whether the code for the IDL has the namespace Stock::obv. The IDL may include "parts.idl".
bool has_obv_namespace(const std::string& idl) {
  MemoryFiles files;
  files.add("parts.idl", "module Stock { interface obv {}; };\n");
  files.add("test.idl", idl);
  CompileOptions options;
  options.main_file = "test.idl";
  const CompileResult compiled = compile(options, files);
  REQUIRE(compiled.ok());
  const cpp11::GenerateResult generated = cpp11::generate(*compiled.model, {}, {});
  REQUIRE(generated.ok());
  return std::ranges::any_of(generated.files, [](const cpp11::OutputFile& file) {
    return file.text.find("namespace Stock::obv {") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("the namespace obv is left out if an opening of the module declares this name") {
  const std::string purse = "module Stock { valuetype Purse { public long n; }; };\n";
  const std::string other = "module Stock { interface obv {}; };\n";
  CHECK(has_obv_namespace(purse));
  CHECK_FALSE(has_obv_namespace(other + purse));
  CHECK_FALSE(has_obv_namespace(purse + other));
  CHECK_FALSE(has_obv_namespace("#include \"parts.idl\"\n" + purse));
  CHECK(has_obv_namespace("module Other { interface obv {}; };\n" + purse));
}

}  // namespace perigee::idlc
