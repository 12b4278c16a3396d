// Dependency files.
#include "idlc/program/program.h"

#include <doctest/doctest.h>

namespace perigee::idlc {

TEST_CASE("a make rule names all targets and dependencies, and tolerates deleted dependencies") {
  CHECK(make_rule({"aC.h", "aC.cpp"}, {"a.idl", "b.idl"}) ==
        "aC.h aC.cpp: \\\n  a.idl \\\n  b.idl\n\nb.idl:\n");
}

TEST_CASE("a make rule escapes characters that are special to make") {
  CHECK(make_rule({"my file.h"}, {"$x#1.idl"}) == "my\\ file.h: \\\n  $$x\\#1.idl\n");
  CHECK(make_rule({"a:b.h"}, {"c:d.idl", "e:f.idl"}) ==
        "a\\:b.h: \\\n  c\\:d.idl \\\n  e\\:f.idl\n\ne\\:f.idl:\n");
}

}  // namespace perigee::idlc
