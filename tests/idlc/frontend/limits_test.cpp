// Hostile and broken input: a clear diagnostic, bounded memory and stack, never a crash.
#include "support.h"

#include <doctest/doctest.h>

#include <random>

namespace perigee::idlc::test {
namespace {

std::string repeated(std::size_t count, const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

/// The diagnostic, or all diagnostics if there are several.
std::string error_of(const std::string& text, CompileOptions options = {}) {
  const CompileResult result = compile_text(text, std::move(options));
  CHECK_FALSE(result.ok());
  return result.diagnostics.size() == 1 ? result.diagnostics.front().text
                                        : full_text(result.diagnostics);
}

const std::string sample = R"(#include <orb.idl>
#define MAX(a, b) a ## b
#pragma prefix "acme.com"
module M {
  enum Color { red, green };
  @topic(name = "x") struct S { string<8> a; sequence<sequence<long, 3>> b; double c[2][3]; };
  union U switch (Color) { case red: long a; default: S s; };
  exception E { wstring why; };
  const wchar w = L'\u00e4';
  const fixed f = 1.50d;
  const long long big = (1 << 40) - ~3 % 7;
  interface Base { attribute string name; }; //@perigee::borrowed
  interface I : Base { oneway void ping(in long a); S get(inout U u, out any x) raises (E) context ("c"); };
  valuetype V supports I { private long a; factory make(in string s); };
  module Shelf<typename T, const long N> { typedef sequence<T, N> Row; };
  module Shelf<sequence<S>, 1 + 2> Three;
};
)";

}  // namespace

TEST_CASE("the sample of these tests is valid") {
  CHECK(full_text(compile_text(sample).diagnostics) == "");
}

TEST_CASE("instances of template modules may not exceed the limit of tokens") {
  std::string text = "module T0<typename T> { struct S { T a; }; };\n";
  for (int level = 1; level <= 20; ++level) {
    const std::string below = "module T" + std::to_string(level - 1) + "<T> ";
    text +=
        "module T" + std::to_string(level) + "<typename T> { " + below + "A; " + below + "B; };\n";
  }
  CompileOptions options;
  options.limits.token_count_max = 10'000;
  const std::string errors = error_of(text + "module T20<long> X;", options);
  CHECK(errors.find("the instances of template modules have more than 10000 tokens") !=
        std::string::npos);
}

TEST_CASE("a template module has at most 256 parameters") {
  const auto declared = [](int count) {
    std::string parameters = "typename T0";
    for (int number = 1; number < count; ++number)
      parameters += ", typename T" + std::to_string(number);
    return "module M<" + parameters + "> {};\n";
  };
  CHECK(full_text(compile_text(declared(256)).diagnostics) == "");
  CHECK(error_of(declared(257)).find("the template module has more than 256 parameters") !=
        std::string::npos);
}

TEST_CASE("a truncated file gives errors or a model, without an endless loop") {
  for (std::size_t size = 0; size < sample.size(); ++size) {
    const CompileResult result = compile_text(sample.substr(0, size));
    CHECK(result.ok() == full_text(result.diagnostics).empty());
  }
}

TEST_CASE(
    "a file from which some octets are removed gives errors or a model, without an endless loop") {
  for (std::size_t start = 0; start < sample.size(); start += 3) {
    for (const std::size_t size : {1u, 4u, 9u}) {
      std::string text = sample;
      text.erase(start, size);
      const CompileResult result = compile_text(text);
      CHECK((result.model != nullptr) != (result.failed_model != nullptr));
    }
  }
}

TEST_CASE("a file with some random octets gives errors or a model, without an endless loop") {
  std::mt19937 random(20260101);
  for (int round = 0; round < 200; ++round) {
    std::string text = sample;
    for (int i = 0; i < 10; ++i) text[random() % text.size()] = static_cast<char>(random());
    const CompileResult result = compile_text(text);
    CHECK((result.model != nullptr) != (result.failed_model != nullptr));
  }
}

TEST_CASE("an unreadable file is an error with the file's name and the reason") {
  MemoryFiles files;
  CompileOptions options;
  options.main_file = "missing.idl";
  const CompileResult result = compile(options, files);
  CHECK_FALSE(result.ok());
  CHECK(full_text(result.diagnostics) ==
        "missing.idl: error: the file cannot be read: No such file or directory\n");
}

TEST_CASE("a file above the size limit is an error with the limit") {
  MemoryFiles files;
  files.add("large.idl", repeated(11, "// text of ten octets\n"));
  CompileOptions options;
  options.main_file = "large.idl";
  options.limits.file_size_max = 100;
  CHECK(full_text(compile(options, files).diagnostics) ==
        "large.idl: error: the file has more than 100 octets\n");
}

TEST_CASE("a folder is not read as a file") {
  SystemFiles files;
  const auto text = files.read("/", 100);
  REQUIRE_FALSE(text.has_value());
  CHECK(text.error() == "is a folder, not a file");
}

TEST_CASE("nesting is limited, for all constructs") {
  const std::string message = "the text is nested more than 128 levels deep";
  CHECK(error_of(repeated(50000, "module A { module B {")) == message);
  CHECK(error_of("const long x = " + repeated(100000, "(")) == message);
  CHECK(error_of("const long x = " + repeated(100000, "-") + "1;") == message);
  CHECK(error_of("typedef " + repeated(100000, "sequence<") + "long") == message);
  CHECK(error_of(repeated(50000, "struct A { struct B {")) == message);
}

TEST_CASE("an annotation value whose parentheses are nested too deeply is ignored") {
  const std::string deep(1000, '(');
  CHECK(compile_text("struct S { long a; };  //@note(" + deep + "1)\n").diagnostics.empty());
  CHECK(compile_text("@note(" + deep + "1" + std::string(1000, ')') + ") struct S { long a; };\n")
            .diagnostics.empty());
}

TEST_CASE("the number of errors is limited") {
  const CompileResult result = compile_text(repeated(1000, "bad a;\n"));
  CHECK(result.diagnostics.size() == 50);
  CHECK(result.diagnostics.back().text.ends_with("(too many errors: the compiler stops here)"));
}

TEST_CASE("macros that grow without bound are an error") {
  std::string text = "#define m0 x x x x x x x x\n";
  for (int i = 1; i < 20; ++i) {
    const std::string name = "m" + std::to_string(i - 1);
    text += "#define m" + std::to_string(i) + repeated(8, ' ' + name) + '\n';
  }
  CHECK(error_of(text + "m19\n") == "macro expansion makes more than 2000000 tokens");
  CHECK(error_of("#define f(x) x\n" + repeated(500, "f(") + repeated(500, ")")) ==
        "calls of macros in arguments of macros are nested more than 128 levels deep");
}

TEST_CASE("tokens that grow without bound by ## are an error") {
  const std::string text = "#define c(a) a##a\n#define e(a) c(a)\n";
  std::string nested = "xxxxxxxxxxxxxxxx";
  for (int i = 0; i < 40; ++i) nested = "e(" + nested + ")";
  CHECK(error_of(text + nested) == "the macro makes a token of more than 1048576 octets");
}

TEST_CASE("a file that includes itself endlessly is an error") {
  CHECK(error_of("#include \"main.idl\"\n") ==
        "files include each other more than 64 levels deep: does a file include itself without a "
        "guard?");
}

TEST_CASE("inclusions are limited in number and in total size") {
  CompileOptions options;
  options.limits.file_count_max = 10;
  const CompileResult many =
      compile_files({{"main.idl", repeated(20, "#include \"a.idl\"\n")}, {"a.idl", ""}}, options);
  CHECK(summary(many.diagnostics) ==
        "1:1: more than 10 files are opened (each inclusion counts)\n");
  options.limits.total_size_max = 500;
  const CompileResult large = compile_files(
      {{"main.idl", repeated(9, "#include \"a.idl\"\n")}, {"a.idl", std::string(100, ' ')}},
      options);
  CHECK(summary(large.diagnostics) ==
        "1:1: the files have more than 500 octets together (each inclusion counts)\n");
}

TEST_CASE("conditionals are limited in depth") {
  CHECK(error_of(repeated(1000, "#if 1\n"))
            .starts_with("conditional directives are nested more than 256 levels deep"));
  CHECK(error_of("#if " + repeated(1000, "(") + "\n#endif\n") ==
        "the #if expression is nested too deeply");
}

TEST_CASE("the number and the size of tokens are limited") {
  CompileOptions options;
  options.limits.token_count_max = 100;
  options.limits.token_size_max = 20;
  CHECK(error_of(repeated(101, "; "), options) == "the file has more than 100 tokens");
  CHECK(error_of("typedef long " + std::string(21, 'a') + ";", options)
            .find("this token has more than 20 octets") != std::string::npos);
}

TEST_CASE("the time for repeated diamond inheritance is not exponential") {
  std::string text = "interface A0 { void op(); };\n";
  for (int i = 1; i < 100; ++i) {
    const std::string below = std::to_string(i - 1);
    const std::string name = std::to_string(i);
    text += "interface L" + name + " : A" + below + " {}; interface R" + name + " : A" + below +
            " {};\ninterface A" + name + " : L" + name + ", R" + name + " {};\n";
  }
  CHECK(full_text(compile_text(text).diagnostics) == "");
  CHECK(error_of(text + "interface X : A99 { void op(); void f(in Unknown u); };")
            .find("'op' is inherited and cannot be declared again") != std::string::npos);
}

TEST_CASE("the number of bases is limited") {
  std::string text = "interface I0 {};\n";
  for (int i = 1; i < 1200; ++i) {
    text += "interface I" + std::to_string(i) + " : I" + std::to_string(i - 1) + " {};\n";
  }
  CHECK(error_of(text) == "'I1025' has more than 1024 bases");
}

TEST_CASE("typedefs of typedefs are limited, also through arrays and sequences") {
  std::string text = "typedef long T0[1];\n";
  for (int i = 1; i < 20000; ++i) {
    text += "typedef T" + std::to_string(i - 1) + " T" + std::to_string(i) + "[1];\n";
  }
  CHECK(error_of(text) == "types are nested more than 256 levels deep");
  text = "typedef long T0;\n";
  for (int i = 1; i < 300; ++i) {
    text += "typedef sequence<T" + std::to_string(i - 1) + "> T" + std::to_string(i) + ";\n";
  }
  CHECK(error_of(text) == "types are nested more than 256 levels deep");
}

TEST_CASE(
    "a chain of structs, unions or bitsets that contain or extend each other has a depth limit") {
  const auto chain = [](const std::string& first, const auto& next) {
    std::string text = first;
    for (int i = 1; i < 50'000; ++i) text += next("T" + std::to_string(i - 1), std::to_string(i));
    return text;
  };
  CompileOptions options;
  options.idl_version = IdlVersion::four;
  const std::string message = "types are nested more than 256 levels deep";
  using Text = std::string;
  CHECK(error_of(chain("struct T0 { long a; };\n",
                       [](const Text& inner, const Text& i) {
                         return "struct T" + i + " { " + inner + " a; };\n";
                       }),
                 options) == message);
  CHECK(error_of(chain("struct T0 { long a; };\n",
                       [](const Text& inner, const Text& i) {
                         return "struct T" + i + " : " + inner + " {};\n";
                       }),
                 options) == message);
  CHECK(error_of(chain("struct T0 { long a; };\n",
                       [](const Text& inner, const Text& i) {
                         return "union T" + i + " switch (long) { case 1: " + inner + " a; };\n";
                       }),
                 options) == message);
  CHECK(error_of(chain("bitset T0 { bitfield<1> a; };\n",
                       [](const Text& inner, const Text& i) {
                         return "bitset T" + i + " : " + inner + " {};\n";
                       }),
                 options) == message);
}

TEST_CASE("the bits of a bitset are counted through any number of empty bases") {
  std::string text = "bitset T0 { bitfield<64> a; };\n";
  for (int i = 1; i < 100; ++i)
    text += "bitset T" + std::to_string(i) + " : T" + std::to_string(i - 1) + " {};\n";
  CompileOptions options;
  options.idl_version = IdlVersion::four;
  CHECK(compile_text(text, options).ok());
  CHECK(error_of(text + "bitset Last : T99 { bitfield<1> b; };\n", options) ==
        "bitset 'Last' has 65 bits, more than 64");
}

TEST_CASE("the size of a repository id prefix, which all declarations repeat, is limited") {
  const std::string prefix(256, 'x');
  CHECK(error_of("#pragma prefix \"" + prefix + "\"\nstruct S { long a; };") ==
        "a prefix of repository ids has at most 255 octets");
  CHECK(error_of("struct S { long a; };\ntypeprefix S \"" + prefix + "\";") ==
        "a prefix of repository ids has at most 255 octets");
}

TEST_CASE("the total size of scope names, which all inner declarations repeat, is limited") {
  CompileOptions options;
  options.limits.names_size_max = 100'000;
  const std::string module = "module " + std::string(2000, 'm') + " { ";
  CHECK(error_of(module + repeated(100, "interface I;") + "};", options)
            .starts_with("the scoped names and repository ids of all declarations"));
}

TEST_CASE("control characters of a file never reach the terminal") {
  const CompileResult result = compile_text("typedef \x1b[31m long X;\n");
  const std::string text = full_text(result.diagnostics);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("the octet 0x1b is not allowed") != std::string::npos);
}

TEST_CASE("control characters of a path that #line names never reach the terminal") {
  const CompileResult result = compile_text("#line 1 \"a\x1b[31m.idl\"\nstruct S { long; };\n");
  const std::string text = full_text(result.diagnostics);
  CHECK(text.starts_with("a?[31m.idl:1:16: error: "));
}

}  // namespace perigee::idlc::test
