// The clients that may change the Interface Repository.
#include "served.h"

namespace perigee::test {

namespace {

repository::Options with(repository::Writers writers) {
  repository::Options options;
  options.writers = writers;
  return options;
}

}  // namespace

TEST_CASE("without writers, only the program itself writes") {
  const Served served(with(repository::Writers::none));
  CHECK_THROWS_AS((void)served.make_struct("Point"), CORBA::NO_PERMISSION);
  const auto own = served.server.reference()->create_module("IDL:M:1.0", "M", "1.0");
  CHECK(served.repository->lookup("M")->_is_equivalent(own));  // reading is allowed
  const auto read = IDL::traits<CORBA::ModuleDef>::narrow(served.repository->lookup("M"));
  CHECK_THROWS_AS(read->destroy(), CORBA::NO_PERMISSION);
  CHECK_THROWS_AS(read->name("N"), CORBA::NO_PERMISSION);
}

TEST_CASE("clients of the same host write, unless the server excludes them") {
  const Served local(with(repository::Writers::local));
  CHECK(local.make_struct("Point"));
  const Served all(with(repository::Writers::all));
  CHECK(all.make_struct("Point"));
}

}  // namespace perigee::test
