// Text from untrusted sources.
#include <perigee/base/printable.h>

#include <doctest/doctest.h>

using perigee::printable;

TEST_CASE("characters that are not printable are escaped, and so is the escape character") {
  CHECK(printable("a\x1b[31m\\\xff\x7f~ \n") == "a\\x1b[31m\\x5c\\xff\\x7f~ \\x0a");
}
