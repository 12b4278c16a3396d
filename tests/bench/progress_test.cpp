// The progress bar: its text, and that it is erased at the end.
#include "harness/progress.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

namespace perigee::bench {
namespace {

TEST_CASE("the line is drawn and erased at the end") {
  std::ostringstream output;
  {
    Progress progress("cubit", 4, output, 80);
    progress.step("void");
    CHECK(output.str().find("cubit [....") != std::string::npos);
    CHECK(output.str().find("0% void") != std::string::npos);
  }
  CHECK(output.str().ends_with("\r\033[K"));
}

TEST_CASE("the line is shorter than the terminal, because a wrapped line could not be redrawn") {
  std::ostringstream output;
  Progress progress("cubit", 4, output, 20);
  progress.step("a very long name of a step");
  const std::string line = output.str();
  CHECK(line.find("\033[K") - 1 <= 19);
}

TEST_CASE("nothing is written where there is no terminal, nor before the first step") {
  std::ostringstream nowhere;
  std::ostringstream terminal;
  {
    Progress hidden("cubit", 4, nowhere, 0);
    hidden.step("void");
    const Progress unused("cubit", 4, terminal, 80);
  }
  CHECK(nowhere.str().empty());
  CHECK(terminal.str().empty());
}

TEST_CASE("steps beyond the announced number are drawn, too") {
  std::ostringstream output;
  Progress progress("cubit", 0, output, 80);
  for (int step = 0; step < 3; ++step) progress.step("void");
  CHECK(output.str().find("void") != std::string::npos);
}

TEST_CASE("a step counts as many times as its weight says") {
  std::ostringstream output;
  Progress progress("papers", 10, output, 80);
  progress.step("first", 5);
  progress.refresh();
  CHECK(output.str().find("0% ") != std::string::npos);
  progress.step("second", 5);
  output.str({});
  progress.refresh();
  CHECK(output.str().find(" left, second") != std::string::npos);
  CHECK(output.str().find("[############") != std::string::npos);  // half of the bar, or more
  CHECK(output.str().find("100%") == std::string::npos);
}

}  // namespace
}  // namespace perigee::bench
