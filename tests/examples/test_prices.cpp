// The price lists of examples/stock: parsing, and errors for mistakes.
#include "prices.h"

#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>

namespace {

Prices read(const std::string& text) {
  std::istringstream input(text);
  return Prices::read(input, "p.txt");
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a line gives a symbol its price; comments and blank lines are skipped") {
  const Prices prices = read("# prices\n\nACME 142 # in cents\n  IOR\t0\n");
  CHECK(prices.find("ACME") == 142);
  CHECK(prices.find("IOR") == 0);
  CHECK(prices.find("acme") == std::nullopt);
}

TEST_CASE("the last line needs no end of line") { CHECK(read("A 1\nB 2").find("B") == 2); }

TEST_CASE("each mistake is reported with file and line") {
  CHECK(error_of("A 1\nB\n") == "p.txt:2: no price for 'B'");
  CHECK(error_of("A one\n") == "p.txt:1: 'one' is not a price");
  CHECK(error_of("A 1x\n") == "p.txt:1: '1x' is not a price");
  CHECK(error_of("A -1\n") == "p.txt:1: '-1' is not a price");
  CHECK(error_of("A 2147483648\n") == "p.txt:1: '2147483648' is not a price");
  CHECK(error_of("A 1 2\n") == "p.txt:1: '2' after the price");
  CHECK(error_of("A 1\n#\nA 2\n") == "p.txt:3: 'A' has a price already");
}

TEST_CASE("a missing file is an error that names it") {
  CHECK_THROWS_WITH_AS(Prices::read_file("no/such/file"), "no/such/file: cannot be opened",
                       std::runtime_error);
}
