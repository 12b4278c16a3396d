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

TEST_CASE("an InterfaceDef is inserted into an any and extracted") {
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

TEST_CASE("is_a knows the common base of each kind of interface") {
  const Served served;
  const std::string object = "IDL:omg.org/CORBA/Object:1.0";
  const std::string abstract_base = "IDL:omg.org/CORBA/AbstractBase:1.0";
  const std::string local_object = "IDL:omg.org/CORBA/LocalObject:1.0";
  const std::string value_base = "IDL:omg.org/CORBA/ValueBase:1.0";
  const auto abstract = served.repository->create_abstract_interface("IDL:A:1.0", "A", "1.0", {});
  CHECK(abstract->is_a(abstract_base));
  CHECK_FALSE(abstract->is_a(object));
  const auto local = served.repository->create_local_interface("IDL:L:1.0", "L", "1.0", {});
  CHECK(local->is_a(local_object));
  CHECK_FALSE(local->is_a(abstract_base));
  const auto desk = served.make_interface("Desk");
  CHECK(desk->is_a(object));
  CHECK_FALSE(desk->is_a(abstract_base));
  CHECK_FALSE(desk->is_a(local_object));
  CHECK_FALSE(desk->is_a(value_base));
  const auto derived = served.make_interface("Derived", {abstract});
  CHECK(derived->is_a(object));
  CHECK(derived->is_a(abstract_base));
  const auto value = served.repository->create_value("IDL:V:1.0", "V", "1.0", false, false, nullptr,
                                                     false, {}, {desk}, {});
  CHECK(value->is_a(value_base));
  CHECK(value->is_a("IDL:Desk:1.0"));
  CHECK_FALSE(value->is_a(object));
}

}  // namespace perigee::test
