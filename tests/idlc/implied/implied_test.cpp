// Compares implied IDL with golden texts. Each text includes its source file, and must compile.
// PERIGEE_UPDATE_GOLDEN=1 rewrites the texts; read the difference before committing it.
#include "idlc/implied/implied.h"

#include "idlc/frontend/compile.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
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

/// Compiles a file on disk.
CompileResult compile_file(const fs::path& path) {
  CompileOptions options;
  options.main_file = path.string();
  SystemFiles files;
  return compile(options, files);
}

/// Compiles implied IDL with all files that it may include.
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

/// The implied IDL of a small file in memory.
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

TEST_CASE("implied IDL equals the golden texts, and compiles with its source files") {
  for (const std::string name :
       {"stock", "calls", "included", "bases", "names", "annotated", "polled"}) {
    CAPTURE(name);
    CompileResult result = compile_file(golden / (name + ".idl"));
    CHECK(text_of(result.diagnostics) == "");
    REQUIRE(result.ok());
    const bool all = name != "annotated" && name != "polled";
    const ImpliedIdl implied = imply(*result.model, {.ami = all, .amh = all});
    CHECK(text_of(implied.diagnostics) == "");
    const std::string text = print_implied_idl(*result.model, implied);
    const fs::path expected = golden / (name + ".implied");
    const char* const update = std::getenv("PERIGEE_UPDATE_GOLDEN");
    if (update != nullptr && std::string(update) == "1")
      std::ofstream(expected, std::ios::binary) << text;
    CHECK(text == read(expected));
    // The implied IDL of an included file comes first.
    const std::string before = name == "bases" ? read(golden / "included.implied") : "";
    const CompileResult again = compile_implied(before + text);
    CHECK(text_of(again.diagnostics) == "");
    CHECK(again.ok());
  }
}

/// The implied IDL of Stock::Quoter in the paper's section 2, without comments: Deshpande and
/// others, "The Design and Performance of Asynchronous Method Handling for CORBA", 2002.
constexpr std::string_view paper = R"(
module Stock
{
    local interface AMH_QuoterResponseHandler;
    valuetype AMH_QuoterExceptionHandler;

    local interface AMH_Quoter {
        void get_quote
            (in AMH_QuoterResponseHandler handler,
             in string stock_name);
    };

    local interface AMH_QuoterResponseHandler {
        void get_quote (in long return_value);
        void get_quote_except
            (in AMH_QuoterExceptionHandler holder);
    };

    valuetype AMH_QuoterExceptionHandler {
        void raise_get_quote ()
            raises (Invalid_Stock_Symbol);
    };
};
)";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

/// Words and signs, each after a blank, without directives and comments. Names of the module are
/// relative to it.
std::string normalised(const std::string& text) {
  std::istringstream lines(replaced(text, "::Stock::", ""));
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    bool in_word = false;
    for (const char each : line.substr(0, line.find("//"))) {
      const bool is_word = std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_';
      if (each != ' ' && !(in_word && is_word)) out += ' ';
      if (each != ' ') out += each;
      in_word = is_word;
    }
  }
  return out;
}

TEST_CASE("the implied IDL of the paper's Stock::Quoter equals the paper's text") {
  CompileResult result = compile_file(golden / "stock.idl");
  REQUIRE(result.ok());
  const ImpliedIdl implied = imply(*result.model, {.amh = true});
  // The paper's listing says ExceptionHandler and _except. Its prose and TAO say ExceptionHolder,
  // and TAO's operations end with _excep.
  std::string expected = replaced(std::string(paper), "ExceptionHandler", "ExceptionHolder");
  expected = replaced(std::move(expected), "_except", "_excep");
  CHECK(normalised(print_implied_idl(*result.model, implied)) == normalised(expected));
  CHECK(normalised("a ( b ); // c") == normalised("a(b) ;"));
  CHECK(normalised("a b") != normalised("ab"));
}

TEST_CASE("interfaces that were not chosen imply nothing") {
  const Implied implied("interface I { void f(); };", {});
  CHECK(implied.idl.ami.empty());
  CHECK(implied.idl.amh.empty());
  CHECK(implied.printed() == "#include \"main.idl\"\n");
}

TEST_CASE("the last @CORBA annotation with the parameter ami chooses an interface") {
  const auto is_chosen = [](const std::string& annotations) {
    return !Implied("interface I { void f(); }; " + annotations + "\n", {}).idl.ami.empty();
  };
  CHECK(is_chosen("//@CORBA (ami=true)"));
  CHECK(is_chosen("//@OTHER //@CORBA (other=true) //@CORBA (ami=true) //@CORBA (more=false)"));
  CHECK_FALSE(is_chosen("//@CORBA (other=true)"));
  CHECK_FALSE(is_chosen("//@CORBA (ami=true) //@CORBA (ami=false)"));
}

TEST_CASE("each implied operation has its role and its origin") {
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

TEST_CASE("an implied repository id has the #pragma prefix of its origin") {
  const Implied implied("#pragma prefix \"example.org\"\nmodule M { interface I { void f(); }; };");
  CHECK(implied.idl.ami[0].handler->repository_id == "IDL:example.org/M/AMI_IHandler:1.0");
  CHECK(implied.idl.amh[0].operations[0].node->repository_id == "IDL:example.org/M/AMH_I/f:1.0");
  const Implied odd("interface I { void f(); };\n#pragma ID I \"DCE:700dc518-0110:1\"");
  CHECK(odd.idl.ami[0].handler->repository_id == "IDL:AMI_IHandler:1.0");
}

TEST_CASE("an operation name that a handler inherits from two bases is an error") {
  const std::string text =
      "interface A { readonly attribute long x; };\n"
      "interface B { long get_x(); };\n"
      "interface D : A, B {};\n"
      "interface E : D, A {};\n";
  const std::string rest =
      "main.idl:1:39: note: one is implied by 'x'\n"
      "  interface A { readonly attribute long x; };\n"
      "                                        ^\n"
      "main.idl:2:20: note: the other is implied by 'get_x'\n"
      "  interface B { long get_x(); };\n"
      "                     ^\n";
  const Implied ami(text, {.ami = true});
  CHECK_FALSE(ami.idl.ok());
  CHECK(text_of(ami.idl.diagnostics) ==
        "main.idl:3:11: error: 'AMI_DHandler', which 'D' implies, inherits 'get_x' from two bases\n"
        "  interface D : A, B {};\n"
        "            ^\n"
        "  hint: rename 'x' or 'get_x', or do without asynchronous calls and servants of 'D'\n" +
            rest);
  const Implied amh(
      "interface A { void f(); };\ninterface B { void F_excep(); };\n"
      "interface D : A, B {};\n",
      {.amh = true});
  REQUIRE(amh.idl.diagnostics.size() == 1);
  CHECK(amh.idl.diagnostics.front().text ==
        "'AMH_DResponseHandler', which 'D' implies, inherits 'F_excep' from two bases");
}

constexpr const char* two_bases =
    "abstract interface A { void f(); };\ninterface B : A {};\ninterface C : A {};\n"
    "interface D : B, C {};\n";

TEST_CASE("the calls of an abstract base of two bases are declared again") {
  const Implied implied(std::string(two_bases) + "interface E : D {};\ninterface G : C, D {};\n",
                        {.ami = true, .async = true});
  REQUIRE(implied.idl.ok());
  std::map<std::string, std::size_t> declared;
  for (const Ami& ami : implied.idl.ami) declared[ami.handler->name] = ami.handler->contents.size();
  CHECK(declared["AMI_DHandler"] == 2);  // f and f_excep
  CHECK(declared["AMI_EHandler"] == 0);
  CHECK(declared["AMI_GHandler"] == 2);
}

TEST_CASE("an abstract base of two bases is an error with pollers and asynchronous servants") {
  const Implied implied(two_bases, {.amh = true});
  REQUIRE(implied.idl.diagnostics.size() == 1);
  CHECK(text_of({implied.idl.diagnostics.front()}) ==
        "main.idl:4:11: error: 'AMH_DResponseHandler', which 'D' implies, inherits 'f' from two "
        "bases\n"
        "  interface D : B, C {};\n"
        "            ^\n"
        "  hint: let the bases of 'D' derive from one interface that derives from 'A', or do "
        "without asynchronous calls and servants of 'D'\n"
        "main.idl:1:29: note: both are implied by 'f'\n"
        "  abstract interface A { void f(); };\n"
        "                              ^\n");
  const Implied polled(two_bases, {.ami_polling = true});
  CHECK_FALSE(polled.idl.ok());
}

TEST_CASE("an abstract base of two bases is an error with coroutines that have several results") {
  const Implied implied(
      "abstract interface A { long f(out long y); attribute long age; };\ninterface B : A {};\n"
      "interface C : A {};\ninterface D : B, C {};\ninterface E : D {};\n",
      {.async = true});
  REQUIRE(implied.idl.diagnostics.size() == 1);
  CHECK(
      text_of({implied.idl.diagnostics.front()}) ==
      "main.idl:4:11: error: two bases of 'D' have coroutines for 'f' of the abstract interface "
      "'A'\n"
      "  interface D : B, C {};\n"
      "            ^\n"
      "  hint: let the bases of 'D' derive from one interface that derives from 'A', or do without "
      "coroutines of 'D'\n"
      "main.idl:1:29: note: 'f' is declared here\n"
      "  abstract interface A { long f(out long y); attribute long age; };\n"
      "                              ^\n");
}

TEST_CASE("an operation with the name of an inherited function that starts calls is an error") {
  const Implied polled("interface B { void f(); };\ninterface D : B { void sendp_f(); };\n",
                       {.ami_polling = true});
  CHECK_FALSE(polled.idl.ok());
  REQUIRE(polled.idl.diagnostics.size() == 1);
  const Diagnostic& error = polled.idl.diagnostics.front();
  CHECK(error.text == "'DAmiC', which 'D' implies, inherits 'sendp_f' from two bases");
  REQUIRE(error.notes.size() == 2);
  CHECK(error.notes[0].text == "one is 'sendp_f'");
  CHECK(error.notes[1].text == "the other is implied by 'f'");
  const Implied called("interface B { void f(); };\ninterface D : B { void sendc_f(); };\n",
                       {.ami = true});
  CHECK_FALSE(called.idl.ok());
  const Implied types(
      "interface A { typedef long T; };\ninterface B { typedef short T; };\n"
      "interface D : A, B {};\n",
      {.ami = true});
  CHECK(types.idl.ok());
}

TEST_CASE("functions of handlers and pollers avoid the names of their classes") {
  const Implied implied("interface I { void AMI_IPoller(); void AMI_IHandler(); };",
                        {.ami_polling = true});
  const std::string text = implied.printed();
  CHECK(text.find("void ami_AMI_IPoller(") != std::string::npos);
  CHECK(text.find("void ami_AMI_IHandler(") != std::string::npos);
}

TEST_CASE("a name that a handler inherits on two paths from one base is not an error") {
  const Implied implied(
      "interface A { readonly attribute long x; };\ninterface B : A { long get_x(); };\n"
      "interface C : A {};\ninterface D : B, C {};\n");
  CHECK(text_of(implied.idl.diagnostics) == "");
  CHECK(implied.idl.ok());
}

TEST_CASE("ami_polling without effect gives one warning") {
  const Implied implied("//@perigee::ami_polling\nlocal interface L { void f(); };\n", {});
  REQUIRE(implied.idl.diagnostics.size() == 1);
  CHECK(implied.idl.diagnostics.front().text == "ami_polling has no effect on local interface 'L'");
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
