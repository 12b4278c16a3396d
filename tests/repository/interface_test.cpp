// _get_interface: objects name the definitions of their interfaces.
#include "served.h"

namespace perigee::test {

TEST_CASE("an object gives the definition of its interface in the repository of its server") {
  Served served;
  served.orbs.server->register_initial_reference("InterfaceRepository", served.server.reference());
  const auto module = served.repository->create_module("IDL:omg.org/CORBA:1.0", "CORBA", "1.0");
  const auto definition =
      module->create_interface("IDL:omg.org/CORBA/Repository:1.0", "Repository", "1.0", {});
  const Ref<CORBA::InterfaceDef> found = served.repository->_get_interface();
  REQUIRE(found);
  CHECK(found->_is_equivalent(definition));
  CHECK(found->describe_interface().name() == "Repository");
  CHECK(served.repository->_interface_definition()->_is_equivalent(definition));
  // A call within the process.
  CHECK(served.server.reference()->_get_interface()->_is_equivalent(definition));
}

TEST_CASE("an object without a definition raises INTF_REPOS") {
  Served served;
  const auto ask = [&] { (void)served.repository->_get_interface(); };
  CHECK(minor_of<CORBA::INTF_REPOS>(ask) == 1);  // the server has no repository
  served.orbs.server->register_initial_reference("InterfaceRepository", served.server.reference());
  CHECK(minor_of<CORBA::INTF_REPOS>(ask) == 2);  // the repository is empty
  const auto local = served.orbs.server->resolve_initial_references("RootPOA");
  CHECK(minor_of<CORBA::NO_IMPLEMENT>([&] { (void)local->_interface_definition(); }) == 8);
}

TEST_CASE("a repository that does not answer raises INTF_REPOS") {
  Served served;
  const auto gone = served.make_interface("Gone");
  const auto servant =
      served.orbs.server->string_to_object(served.orbs.client->object_to_string(gone));
  gone->destroy();
  served.orbs.server->register_initial_reference("InterfaceRepository", servant);
  CHECK(minor_of<CORBA::INTF_REPOS>([&] { (void)served.repository->_get_interface(); }) == 1);
}

TEST_CASE("an InterfaceDef fits into an any") {
  const Served served;
  CORBA::Any any;
  any <<= served.make_interface("Desk");
  Ref<CORBA::InterfaceDef> taken;
  REQUIRE((any >>= taken));
  CHECK(taken->name() == "Desk");
}

TEST_CASE("clients of every version of GIOP read and write a repository") {
  for (const char* version : {"1.0", "1.1", "1.2"}) {
    CAPTURE(version);
    const Served served({}, {"-ORBGiopVersion", version});
    const auto point = served.make_struct("Point");
    CHECK(point->describe().kind() == CORBA::DefinitionKind::dk_Struct);
    CHECK(point->type()->member_count() == 2);
  }
}

}  // namespace perigee::test
