// Golden files: the model of each construct (golden/models), and each diagnostic as the user reads
// it (golden/errors). PERIGEE_UPDATE_GOLDEN=1 rewrites them; read the difference before committing
// it.
#include "support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace perigee::idlc::test {
namespace {

namespace fs = std::filesystem;

const fs::path golden = PERIGEE_IDLC_GOLDEN;

bool is_updating() {
  const char* value = std::getenv("PERIGEE_UPDATE_GOLDEN");
  return value != nullptr && std::string(value) == "1";
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) result.push_back(entry.path());
  }
  std::ranges::sort(result);
  return result;
}

/// Cases of one file of golden/errors:
///   === title (at its end [4] for IDL 4, or [-Woptions])
///   the main file
///   %file name      (optional, more files)
///   ---
///   what the compiler says
struct ErrorCase {
  std::string title;
  Files files = {{"main.idl", ""}};
  std::string expected;
};

std::vector<ErrorCase> read_cases(const fs::path& path) {
  std::vector<ErrorCase> cases;
  std::istringstream in(read(path));
  bool is_expectation = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) {
      cases.emplace_back().title = line.substr(4);
      is_expectation = false;
    } else if (cases.empty()) {
      continue;
    } else if (line == "---") {
      is_expectation = true;
    } else if (line.starts_with("%file ")) {
      cases.back().files.emplace_back(line.substr(6), "");
    } else {
      (is_expectation ? cases.back().expected : cases.back().files.back().second) += line + '\n';
    }
  }
  return cases;
}

/// The options in `title [-Wx -Wy]` or `title [-Wx -Wy] [4]`.
void apply_title(const std::string& title, WarningOptions& warnings) {
  const auto start = title.find(" [-W");
  if (start == std::string::npos) return;
  std::istringstream words(title.substr(start + 2, title.find(']', start) - start - 2));
  for (std::string word; words >> word;) CHECK(apply_warning_option(word.substr(2), warnings));
}

std::string text_of(const std::vector<ErrorCase>& cases) {
  std::string out;
  for (const ErrorCase& each : cases) {
    out += "=== " + each.title + '\n' + each.files.front().second;
    for (std::size_t i = 1; i < each.files.size(); ++i) {
      out += "%file " + each.files[i].first + '\n' + each.files[i].second;
    }
    out += "---\n" + each.expected;
  }
  return out;
}

}  // namespace

TEST_CASE("the model of each construct is as its golden file says") {
  const auto sources = files_in(golden / "models", ".idl");
  REQUIRE(sources.size() >= 15);
  for (const fs::path& source : sources) {
    CAPTURE(source.filename().string());
    CompileOptions options;
    options.main_file = source.string();
    options.include_paths = {(golden / "models" / "included").string()};
    if (source.filename().string().starts_with("idl4_")) options.idl_version = IdlVersion::four;
    SystemFiles files;
    const CompileResult result = compile(options, files);
    CHECK(full_text(result.diagnostics) == "");
    REQUIRE(result.ok());
    const fs::path expected = fs::path(source).replace_extension(".model");
    if (is_updating()) write(expected, dump_model(*result.model));
    CHECK(dump_model(*result.model) == read(expected));
  }
}

TEST_CASE("each diagnostic reads as its golden file says") {
  std::size_t case_count = 0;
  for (const fs::path& path : files_in(golden / "errors", ".txt")) {
    std::vector<ErrorCase> cases = read_cases(path);
    for (ErrorCase& each : cases) {
      CAPTURE(path.filename().string());
      CAPTURE(each.title);
      CompileOptions options;
      if (each.title.ends_with("[4]")) options.idl_version = IdlVersion::four;
      apply_title(each.title, options.warnings);
      const CompileResult result = compile_files(each.files, options);
      const std::string text = full_text(result.diagnostics);
      CHECK(!text.empty());
      if (is_updating()) each.expected = text;
      CHECK(text == each.expected);
      ++case_count;
    }
    if (is_updating()) write(path, text_of(cases));
  }
  CHECK(case_count >= 100);
}

}  // namespace perigee::idlc::test
