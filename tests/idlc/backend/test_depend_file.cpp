// Dependency files.
#include "idlc/program/program.h"

#include <doctest/doctest.h>

namespace perigee::idlc {

TEST_CASE("a make rule names all targets, all dependencies, and survives deleted ones") {
  CHECK(make_rule({"aC.h", "aC.cpp"}, {"a.idl", "b.idl"}) ==
        "aC.h aC.cpp: \\\n  a.idl \\\n  b.idl\n\nb.idl:\n");
}

TEST_CASE("a make rule escapes what make would not read as part of a name") {
  CHECK(make_rule({"my file.h"}, {"$x#1.idl"}) == "my\\ file.h: \\\n  $$x\\#1.idl\n");
}

}  // namespace perigee::idlc
