// Tests the preprocessor through its text output and its positions.
#include "support.h"

#include <doctest/doctest.h>

namespace perigee::idlc::test {
namespace {

/// The text after preprocessing, without line markers.
std::string expanded(const std::string& text, CompileOptions options = {}) {
  const PreprocessResult result = preprocess_text(text, std::move(options));
  CHECK(full_text(result.diagnostics) == "");
  std::string out;
  std::size_t start = 0;
  while (start < result.text.size()) {
    const std::size_t end = result.text.find('\n', start);
    const std::string line = result.text.substr(start, end - start);
    if (!line.empty() && !line.starts_with("# ")) out += (out.empty() ? "" : "|") + line;
    start = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("an object-like macro is replaced everywhere after its definition") {
  CHECK(expanded("a N\n#define N 1\nN b N") == "a N|1 b 1");
}

TEST_CASE("a macro is not expanded inside its own expansion") {
  CHECK(expanded("#define a b a\n#define b a c\na") == "a c a");
  CHECK(expanded("#define f(x) f(x + 1)\nf(f(y))") == "f ( f ( y + 1 ) + 1 )");
}

TEST_CASE("a function-like macro without parentheses is a plain name") {
  CHECK(expanded("#define f(x) <x>\nf g f (a)") == "f g < a >");
}

TEST_CASE("arguments may contain commas in parentheses and span lines") {
  CHECK(expanded("#define f(x, y) y x\nf((a, b),\n  c)") == "c|( a , b )");
}

TEST_CASE("# turns an argument into a string as it was written") {
  CHECK(expanded("#define s(x) #x\n#define N 1\ns(N  +  \"a\\n\")") == R"("N + \"a\\n\"")");
}

TEST_CASE("## joins tokens, also with an empty argument") {
  CHECK(expanded("#define j(a, b) a ## b\nj(x, 1) j(, y) j(z, )") == "x1 y z");
}

TEST_CASE("a joined name is expanded again, its operands are not") {
  CHECK(expanded("#define AB done\n#define A no\n#define j(a, b) a##b\nj(A, B)") == "done");
}

TEST_CASE("the hash_hash example of the C standard expands as specified") {
  CHECK(expanded("#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n"
                 "#define join(c, d) in_between(c hash_hash d)\njoin(x, y)") == "\"x ## y\"");
}

TEST_CASE("a variadic macro passes the remaining arguments with their commas") {
  CHECK(expanded("#define f(a, ...) a: __VA_ARGS__\nf(1, 2, 3) f(4)") == "1 : 2 , 3 4 :");
}

TEST_CASE("__LINE__ and __FILE__ are those of the macro call") {
  CHECK(expanded("#define at __FILE__ __LINE__\n\nat") == "\"main.idl\" 3");
}

TEST_CASE("definitions of the command line come first, and -U removes them") {
  CompileOptions options;
  options.defines = {"A=2", "B", "C=3"};
  options.undefines = {"C"};
  CHECK(expanded("A B C", options) == "2 1 C");
}

TEST_CASE("conditions support all operators of C with their precedence") {
  const auto is_true = [](const std::string& condition) {
    return expanded("#define X 5\n#define f(a) a\n#if " + condition + "\nyes\n#endif\n") == "yes";
  };
  CHECK(is_true("1 + 2 * 3 == 7 && !0"));
  CHECK(is_true("defined X && defined(X) && !defined Y"));
  CHECK(is_true("X == f(5) && Y == 0"));
  CHECK(is_true("(1 << 4 | 1) == 17 && (6 & 3) == 2 && (6 ^ 3) == 5 && ~0 == -1"));
  CHECK(is_true("0x10 == 16 && 010 == 8 && 10UL == 10 && 'A' == 65"));
  CHECK(is_true("1 ? 2 : 1/0"));
  CHECK(is_true("0 && 1/0 || 1"));
  CHECK(is_true("7 / 2 == 3 && -7 % 3 == -1 && 3 >= 3 && 2 <= 3 && 1 != 2 && 8 >> 2 == 2"));
  CHECK_FALSE(is_true("X > 5 || X < 5"));
}

TEST_CASE("only one group of a conditional is taken") {
  CHECK(expanded("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\n") == "b");
  CHECK(expanded("#ifdef X\na\n#else\nb\n#endif\n#ifndef X\nc\n#endif") == "b|c");
  CHECK(expanded("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif") == "c");
}

TEST_CASE("skipped text need not be valid") {
  CHECK(expanded("#if 0\nit's \"broken\n#nonsense\n#if broken(\n#endif\n#endif\nx") == "x");
}

TEST_CASE("lines are spliced, also inside a name, and comments become spaces") {
  CHECK(expanded("ab\\\ncd e/* x\ny */f // z\\\nstill the comment\ng") == "abcd|e|f|g");
}

TEST_CASE("pragmas stay in the text, on their line") {
  const PreprocessResult result = preprocess_text("#pragma prefix \"x\"\nmodule M {};\n");
  CHECK(result.text == "# 1 \"main.idl\"\n#pragma prefix \"x\"\nmodule M { } ;\n");
}

TEST_CASE("preprocessing the preprocessed text changes nothing") {
  const std::string text = "#define N 3\n#pragma prefix \"x\"\n\nconst long a = N;\n";
  const std::string once = preprocess_text(text).text;
  CHECK(preprocess_text(once).text == once);
}

TEST_CASE("columns stay correct after macros; a macro's tokens have the column of its name") {
  const CompileResult result = compile_text(
      "#define LONG_TYPE unsigned long\nconst LONG_TYPE a = 1, b;\nconst\\\n octet c = BIG;\n");
  CHECK(summary(result.diagnostics) ==
        "2:22: expected ';' after the constant\n"
        "4:12: 'BIG' is not declared\n");
}

TEST_CASE("a quoted include is searched beside the including file, then in the include paths") {
  CompileOptions options;
  options.include_paths = {"lib", "other/"};
  const CompileResult result =
      compile_files({{"src/main.idl", "#include \"a.idl\"\n#include <b.idl>\n"},
                     {"src/a.idl", "#include \"c.idl\"\n"},
                     {"lib/b.idl", "typedef C B;\n"},
                     {"other/c.idl", "typedef long C;\n"},
                     {"lib/a.idl", "#error wrong file\n"}},
                    options);
  CHECK(full_text(result.diagnostics) == "");
  CHECK(result.dependencies ==
        std::vector<std::string>{"src/main.idl", "src/a.idl", "other/c.idl", "lib/b.idl"});
}

TEST_CASE("a file with an include guard is read once, for any number of includes") {
  const CompileResult result = compile_files(
      {{"main.idl",
        "#include \"a.idl\"\n#include \"a.idl\"\n#include \"b.idl\"\n#include \"b.idl\"\n"},
       {"a.idl", "// guarded\n#ifndef A\n#define A\ntypedef long T;\n#endif\n"},
       {"b.idl", "#pragma once\ntypedef long U;\n"}});
  CHECK(full_text(result.diagnostics) == "");
}

TEST_CASE("text after an include guard is not part of the guarded text") {
  const CompileResult result =
      compile_files({{"main.idl", "#include \"a.idl\"\n#include \"a.idl\"\n"},
                     {"a.idl", "#ifndef A\n#define A\n#endif\ntypedef long T;\n"}});
  CHECK(summary(result.diagnostics) == "4:14: 'T' is already declared\n");
}

TEST_CASE("#line and markers of other preprocessors change the positions of diagnostics") {
  const CompileResult result = compile_text("#line 40\nBad a;\n# 7 \"other.idl\" 2\nBad b;\n");
  CHECK(full_text(result.diagnostics).starts_with("main.idl:40:1: error: "));
  CHECK(full_text(result.diagnostics).find("other.idl:7:1: error: ") != std::string::npos);
}

TEST_CASE("the file name of an include may come from a macro") {
  const CompileResult result =
      compile_files({{"main.idl", "#define NAME \"a.idl\"\n#include NAME\ntypedef A B;\n"},
                     {"a.idl", "typedef long A;\n"}});
  CHECK(full_text(result.diagnostics) == "");
}

TEST_CASE("the file name of an include may come from a macro with parameters") {
  const CompileResult result = compile_files(
      {{"main.idl",
        "#define ANGLES(name) <name.idl>\n#define TEXT(x) #x\n#define QUOTES(x) TEXT(x)\n"
        "#include ANGLES(a)\n#include QUOTES(b.idl)\ntypedef A C;\ntypedef B D;\n"},
       {"a.idl", "typedef long A;\n"},
       {"b.idl", "typedef long B;\n"}},
      {.include_paths = {"."}});
  CHECK(full_text(result.diagnostics) == "");
}

TEST_CASE("#pragma once applies to a file that is found by two paths") {
  const std::string once = "#pragma once\ninterface B {};\n";
  const CompileResult result =
      compile_files({{"main.idl", "#include \"sub/b.idl\"\n#include \"sub/../sub/b.idl\"\n"},
                     {"sub/b.idl", once},
                     {"sub/../sub/b.idl", once}});
  CHECK(summary(result.diagnostics) == "");
}

}  // namespace perigee::idlc::test
