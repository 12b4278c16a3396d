// The program perigee-idl: its options, its messages and the files that it writes.
#include "idlc/program/program.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace perigee::idlc {

namespace {

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

/// Runs the program on files in memory.
Outcome run_on(MemoryFiles files, const std::vector<std::string>& words) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = run(words, {files, out, err});
  return {status, out.str(), err.str()};
}

Outcome run_on_stock(std::vector<std::string> words) {
  MemoryFiles files;
  files.add("stock.idl", "#include \"types.idl\"\ninterface Quoter { Price get(); };\n");
  files.add("types.idl", "typedef long Price;\n");
  words.emplace_back("stock.idl");
  return run_on(std::move(files), words);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A folder that the destructor deletes.
class TemporaryFolder final {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "perigee-idl-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const {
    return (path_ / name).string();
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    return SystemFiles().read(*this / name, 1 << 20).value_or("");
  }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("the compiler prints its version and its options") {
  const Outcome version = run_on({}, {"--version"});
  CHECK(version.status == 0);
  CHECK(version.out.starts_with("perigee-idl 0."));
  const Outcome help = run_on({}, {"--help"});
  CHECK(help.status == 0);
  for (const char* option : {"-I", "-D", "-U", "--output-dir", "--dump-model", "--depend-file",
                             "--idl", "-E", "--client-suffix"})
    CHECK(contains(help.out, option));
}

TEST_CASE("errors in the command line have their own exit status") {
  CHECK(run_on({}, {}).status == 2);
  const Outcome unknown = run_on_stock({"--no-such-option"});
  CHECK(unknown.status == 2);
  CHECK(contains(unknown.err, "--no-such-option"));
  CHECK(run_on_stock({"--idl=5"}).status == 2);
  CHECK(run_on_stock({"--client-suffix", "S"}).status == 2);
  CHECK(run_on_stock({"--amh-suffix", "S"}).err ==
        "perigee-idl: the files of asynchronous calls or servants have the same suffix as other "
        "files\n");
  CHECK(run_on_stock({"--one-source", "--client-suffix", "All"}).err ==
        "perigee-idl: the suffix All is reserved for the source of --one-source\n");
  CHECK(run_on_stock({"--depend-file", "x.d", "other.idl"}).status == 2);
}

TEST_CASE("asynchronous calls and servants are generated into separate files") {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"--output-dir", folder / "", "--ami", "--amh", "--async"};
  REQUIRE(run_on_stock(words).status == 0);
  CHECK(folder.count() == 14);
  CHECK(contains(folder.read("stockAmiC.h"), "class QuoterAmiC "));
  CHECK(contains(folder.read("stockAmhS.h"), "class AMH_Quoter "));
  CHECK(contains(folder.read("stockAsync.h"), "class QuoterAsync "));
  CHECK(contains(folder.read("stockAsyncS.h"), "class ASYNC_Quoter : "));
  std::vector<std::string> renamed = words;
  renamed.insert(renamed.end(), {"--amh-suffix", "Later", "--async-server-suffix", "Tasks"});
  REQUIRE(run_on_stock(renamed).status == 0);
  CHECK(contains(folder.read("stockLater.cpp"), "#include \"stockLater.h\""));
  CHECK(contains(folder.read("stockTasks.cpp"), "#include \"stockTasks.h\""));
  renamed.back() = "Later";
  CHECK(run_on_stock(renamed).err ==
        "perigee-idl: the files of asynchronous calls or servants have the same suffix as other "
        "files\n");
}

TEST_CASE("an annotation without effect is reported when files are generated") {
  const TemporaryFolder folder;
  MemoryFiles files;
  files.add("local.idl", "//@perigee::amh\nlocal interface L { void f(); };\n");
  const Outcome outcome = run_on(std::move(files), {"--output-dir", folder / "", "local.idl"});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.err, "amh has no effect on local interface 'L'"));
  CHECK(folder.count() == 4);
}

TEST_CASE("--dump-implied-idl prints implied IDL and generates no files") {
  const Outcome outcome = run_on_stock({"--dump-implied-idl", "--ami"});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "interface AMI_"));
  CHECK_FALSE(contains(outcome.out, "AMH_"));
  CHECK(contains(run_on_stock({"--dump-implied-idl", "--amh"}).out, "local interface AMH_"));
  CHECK_FALSE(contains(run_on_stock({"--dump-implied-idl"}).out, "interface A"));
  CHECK_FALSE(contains(run_on_stock({"--dump-implied-idl", "--async"}).out, "ASYNC_"));
  CHECK(run_on_stock({"--dump-implied-idl", "-E"}).status == 2);
}

TEST_CASE("the compiler creates the output folder and writes the files into it") {
  const TemporaryFolder folder;
  const Outcome outcome = run_on_stock({"-o", folder / "new/folder"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(contains(folder.read("new/folder/stockC.h"), "virtual ::Price get();"));
  CHECK(contains(folder.read("new/folder/stockC.h"), "#include \"typesC.h\""));
  CHECK(contains(folder.read("new/folder/stockS.cpp"), "#include \"stockS.h\""));
}

TEST_CASE("options set the suffixes and extensions in file names and includes") {
  const TemporaryFolder folder;
  CHECK(run_on_stock({"-o", folder / "", "--client-suffix", "_c", "--server-suffix", "_s",
                      "--header-extension", ".hh", "--source-extension", ".cc"})
            .status == 0);
  CHECK(contains(folder.read("stock_c.hh"), "#include \"types_c.hh\""));
  CHECK(contains(folder.read("stock_s.cc"), "#include \"stock_s.hh\""));
}

TEST_CASE("--keep-include-path keeps the folders of #include") {
  const TemporaryFolder folder;
  MemoryFiles files;
  files.add("main.idl", "#include \"parts/stock.idl\"\ninterface History : Quoter {};\n");
  files.add("parts/stock.idl", "interface Quoter {};\n");
  CHECK(run_on(files, {"-o", folder / "", "--any", "main.idl"}).status == 0);
  CHECK(contains(folder.read("mainC.h"), "#include \"stockC.h\"\n"));
  CHECK(contains(folder.read("mainS.h"), "#include \"stockS.h\"\n"));
  CHECK(contains(folder.read("mainA.h"), "#include \"stockA.h\"\n"));
  CHECK(run_on(files, {"-o", folder / "", "--any", "--keep-include-path", "main.idl"}).status == 0);
  CHECK(contains(folder.read("mainC.h"), "#include \"parts/stockC.h\"\n"));
  CHECK(contains(folder.read("mainS.h"), "#include \"parts/stockS.h\"\n"));
  CHECK(contains(folder.read("mainA.h"), "#include \"parts/stockA.h\"\n"));
  CHECK(contains(folder.read("mainA.h"), "#include \"mainC.h\"\n"));
}

TEST_CASE("headers with equal names are an error unless their folders are kept") {
  const TemporaryFolder folder;
  MemoryFiles files;
  files.add("types.idl", "#include \"a/types.idl\"\nconst A b = 1;\n");
  files.add("a/types.idl", "typedef long A;\n");
  files.add("b/types.idl", "typedef long B;\n");
  files.add("main.idl", "#include <orb.idl>\n#include \"a/types.idl\"\n#include \"b/types.idl\"\n");
  const Outcome own = run_on(files, {"-o", folder / "", "types.idl"});
  CHECK(own.status == 1);
  CHECK(own.err ==
        "types.idl:1:1: error: the header of 'a/types.idl' would have the same name as that of "
        "this file, "
        "typesC.h\n"
        "  #include \"a/types.idl\"\n"
        "  ^\n"
        "  hint: --keep-include-path keeps the folders of #include in generated code\n");
  const Outcome two = run_on(files, {"-o", folder / "", "main.idl"});
  CHECK(contains(
      two.err,
      "main.idl:3:1: error: the header of 'b/types.idl' would have the same name as that of "
      "'a/types.idl', typesC.h\n"));
  CHECK(folder.count() == 0);
  for (const std::string name : {"types.idl", "main.idl"})
    CHECK(run_on(files, {"-o", folder / "", "--keep-include-path", name}).status == 0);
}

TEST_CASE("a file that is included by two paths does not clash with itself") {
  const TemporaryFolder folder;
  MemoryFiles files;
  files.add("main.idl", "#include \"types.idl\"\n#include \"./types.idl\"\n");
  for (const std::string path : {"types.idl", "./types.idl"})
    files.add(path, "#ifndef T\n#define T\ntypedef long A;\n#endif\n");
  CHECK(run_on(files, {"-o", folder / "", "main.idl"}).status == 0);
}

TEST_CASE("the source of --one-source includes the other sources") {
  const TemporaryFolder folder;
  CHECK(
      run_on_stock({"-o", folder / "", "--one-source", "--any", "--server-suffix", "_s"}).status ==
      0);
  CHECK(contains(folder.read("stockAll.cpp"),
                 "#include \"stockC.cpp\"\n#include \"stock_s.cpp\"\n#include \"stockA.cpp\"\n"));
}

TEST_CASE("--demux changes how skeletons find operations, and nothing else") {
  const TemporaryFolder folder;
  REQUIRE(run_on_stock({"-o", folder / ""}).status == 0);
  const std::string client = folder.read("stockC.cpp");
  const std::string server = folder.read("stockS.cpp");
  CHECK(contains(server, "skeleton::find_operation("));
  for (const auto& [way, function] :
       std::map<std::string, std::string>{{"linear", "skeleton::find_linear_operation("},
                                          {"hash", "skeleton::find_hashed_operation("},
                                          {"sorted", "skeleton::find_sorted_operation("}}) {
    CAPTURE(way);
    REQUIRE(run_on_stock({"-o", folder / "", "--demux", way}).status == 0);
    CHECK(contains(folder.read("stockS.cpp"), function));
    CHECK(folder.read("stockC.cpp") == client);
  }
  REQUIRE(run_on_stock({"-o", folder / "", "--demux", "perfect"}).status == 0);
  CHECK(folder.read("stockS.cpp") == server);
  CHECK(run_on_stock({"--demux", "magic"}).status == 2);
}

TEST_CASE("with --client-only, the files of servants are left out") {
  const TemporaryFolder folder;
  CHECK(run_on_stock({"-o", folder / "", "--client-only", "--one-source", "--ami", "--amh",
                      "--async", "--any"})
            .status == 0);
  CHECK(contains(folder.read("stockAll.cpp"),
                 "#include \"stockC.cpp\"\n#include \"stockA.cpp\"\n#include \"stockAmiC.cpp\"\n"
                 "#include \"stockAsync.cpp\"\n"));
  CHECK(folder.count() == 9);  // four headers, their sources, and stockAll.cpp
}

TEST_CASE("with --client-only, the compiler ignores the annotation @perigee::async") {
  const TemporaryFolder folder;
  MemoryFiles files;
  files.add("main.idl", "@perigee::async interface Account { long balance(); };\n");
  CHECK(run_on(std::move(files), {"-o", folder / "", "--client-only", "main.idl"}).status == 0);
  CHECK(folder.count() == 2);
}

TEST_CASE("the dependency file lists all files that were read as dependencies of the output") {
  const TemporaryFolder folder;
  const std::string depend_file = folder / "stock.d";
  CHECK(run_on_stock({"-o", folder / "", "--depend-file", depend_file}).status == 0);
  const std::string rule = folder.read("stock.d");
  CHECK(contains(rule, (folder / "stockC.h") + " "));
  CHECK(contains(rule, (folder / "stockS.cpp") + ":"));
  CHECK(contains(rule, "\n  stock.idl"));
  CHECK(contains(rule, "\n  types.idl"));
}

TEST_CASE("an IDL error is reported with its position, and no file is written") {
  const TemporaryFolder folder;
  MemoryFiles files;
  files.add("bad.idl", "interface I {\n  lung f();\n};\n");
  const Outcome outcome = run_on(std::move(files), {"bad.idl", "-o", folder / ""});
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.err, "bad.idl:2:3: error: "));
  CHECK(folder.count() == 0);
}

TEST_CASE("an unsupported feature is reported with its position, and no file is written") {
  const TemporaryFolder folder;
  MemoryFiles files;
  files.add("value.idl", "component C {};\ninterface I : C {};\n");
  const Outcome outcome = run_on(std::move(files), {"value.idl", "-o", folder / ""});
  CHECK(outcome.status == 1);
  CHECK(
      contains(outcome.err,
               "value.idl:2:11: error: interfaces with components as bases are not generated yet"));
  CHECK(folder.count() == 0);
}

TEST_CASE("a file that does not exist is an error") {
  const Outcome outcome = run_on({}, {"missing.idl"});
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.err, "missing.idl"));
}

TEST_CASE("a folder that cannot be created is an error with the reason") {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "not a folder";
  const Outcome outcome = run_on_stock({"-o", folder / "file/below"});
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.err, "perigee-idl: cannot make the folder"));
}

TEST_CASE("macros are defined and undefined on the command line") {
  MemoryFiles files;
  files.add("m.idl", "#ifdef EXTRA\nconst long extra = EXTRA;\n#endif\nconst long always = 1;\n");
  CHECK(contains(run_on(files, {"--dump-model", "-DEXTRA=7", "m.idl"}).out, "extra"));
  CHECK(contains(run_on(files, {"--dump-model", "-D", "EXTRA=7", "m.idl"}).out, "extra"));
  const Outcome undefined = run_on(files, {"--dump-model", "-DEXTRA", "-UEXTRA", "m.idl"});
  CHECK(undefined.status == 0);
  CHECK_FALSE(contains(undefined.out, "extra"));
}

TEST_CASE("included files are searched in the folders of -I") {
  MemoryFiles files;
  files.add("main.idl", "#include <types.idl>\nconst Price one = 1;\n");
  files.add("lib/types.idl", "typedef long Price;\n");
  CHECK(run_on(files, {"--dump-model", "main.idl"}).status == 1);
  CHECK(run_on(files, {"--dump-model", "-Ilib", "main.idl"}).status == 0);
  CHECK(run_on(files, {"--dump-model", "-I", "lib", "main.idl"}).status == 0);
}

TEST_CASE("-E prints the preprocessed text") {
  MemoryFiles files;
  files.add("m.idl", "#define N 3\nconst long n = N;\n");
  const Outcome outcome = run_on(files, {"-E", "m.idl"});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "const long n = 3"));
}

TEST_CASE("keywords that are newer than IDL 3 are names unless --idl=4 is given") {
  MemoryFiles files;
  files.add("m.idl", "struct S { long map; };\n");
  CHECK(run_on(files, {"--dump-model", "m.idl"}).status == 0);
  CHECK(run_on(files, {"--dump-model", "--idl=4", "m.idl"}).status == 1);
}

TEST_CASE("a handler that would inherit a name twice is an error, and no file is written") {
  const TemporaryFolder folder;
  MemoryFiles files;
  files.add("both.idl",
            "interface A { void f(); };\ninterface B { void f_excep(); };\n"
            "interface D : A, B {};\n");
  for (const char* option : {"--ami", "--amh"}) {
    const Outcome outcome = run_on(files, {"--output-dir", folder / "", option, "both.idl"});
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.err, "both.idl:3:11: error: "));
    CHECK(folder.count() == 0);
    CHECK(run_on(files, {"--dump-implied-idl", option, "both.idl"}).out.empty());
  }
  CHECK(run_on(files, {"--output-dir", folder / "", "--async", "both.idl"}).status == 0);
}

}  // namespace perigee::idlc
