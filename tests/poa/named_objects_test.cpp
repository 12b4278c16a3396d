// Objects whose whole key is a name: the IORTable and the INSPOA.
#include "poa/fakes.h"
#include "poa/test_orb.h"
#include <perigee/orb/stub.h>
#include <perigee/poa/ior_table.h>

using namespace perigee;
using namespace perigee::test;
using PortableServer::string_to_ObjectId;

namespace {

Octets key_of(std::string_view name) {
  const auto octets = octets_of(name);
  return {octets.begin(), octets.end()};
}

FakeRequest ask(const TestOrb& orb, std::string_view name) {
  FakeRequest request(key_of(name));
  orb.dispatcher().dispatch(request);
  return request;
}

struct TableFixture {
  TestOrb orb;
  CORBA::object_reference<IORTable::Table> table =
      IDL::traits<IORTable::Table>::narrow(orb.core().resolve_initial_reference("IORTable"));
};

class Locator final : public IDL::traits<IORTable::Locator>::base_type {
 public:
  std::string locate(const std::string& object_key) override {
    if (object_key == "far") return "corbaloc::127.0.0.1:1/far";
    throw IORTable::NotFound();
  }
};

}  // namespace

TEST_CASE("a name in the IORTable forwards to its reference") {
  TableFixture f;
  f.table->bind("Bank", "corbaloc::127.0.0.1:1/elsewhere");
  CHECK(ask(f.orb, "Bank").answer() == "forward");
  CHECK(f.orb.dispatcher().locate(key_of("Bank")).status == orb::Location::Status::forward);
  CHECK(ask(f.orb, "Bank2").answer() == "system OBJECT_NOT_EXIST");
  CHECK_THROWS_AS(f.table->bind("Bank", "corbaloc::127.0.0.1:1/other"), IORTable::AlreadyBound);
  f.table->rebind("Bank", "corbaloc::127.0.0.1:1/other");
  f.table->unbind("Bank");
  CHECK(ask(f.orb, "Bank").answer() == "system OBJECT_NOT_EXIST");
  CHECK_THROWS_AS(f.table->unbind("Bank"), IORTable::NotFound);
  CHECK_THROWS_AS(f.table->bind("Bank", "nonsense"), CORBA::BAD_PARAM);
}

TEST_CASE("a locator is asked for names that are not in the table") {
  TableFixture f;
  f.table->set_locator(CORBA::make_reference<Locator>());
  CHECK(ask(f.orb, "far").answer() == "forward");
  CHECK(ask(f.orb, "farther").answer() == "system OBJECT_NOT_EXIST");
  CHECK(f.orb.dispatcher().locate(key_of("farther")).status == orb::Location::Status::unknown);
}

TEST_CASE("an id of the INSPOA is a whole key, in this life of the server and the next") {
  for (int life = 0; life < 2; ++life) {
    const TestOrb orb;
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(orb.core().resolve_initial_reference("INSPOA"));
    CHECK(poa == IDL::traits<PortableServer::POA>::narrow(
                     orb.core().resolve_initial_reference("omniINSPOA")));
    poa->the_POAManager()->activate();
    const auto id = string_to_ObjectId("Bank");
    CHECK(ask(orb, "Bank").answer() == "system OBJECT_NOT_EXIST");
    poa->activate_object_with_id(id, make_servant());
    CHECK(orb.key_of(poa->id_to_reference(id)) == key_of("Bank"));
    CHECK(poa->reference_to_id(poa->id_to_reference(id)) == id);
    CHECK(ask(orb, "Bank").answer() == "reply");
    poa->deactivate_object(id);
    CHECK(ask(orb, "Bank").answer() == "system OBJECT_NOT_EXIST");
  }
}

TEST_CASE("ids of the INSPOA cannot be keys of other adapters, and it has no children") {
  const TestOrb orb;
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(orb.core().resolve_initial_reference("INSPOA"));
  CHECK_THROWS_AS(poa->activate_object_with_id({0xf1, 1}, make_servant()), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(poa->activate_object_with_id({}, make_servant()), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(poa->create_POA("child", nullptr, {}), CORBA::NO_PERMISSION);
  const auto other = orb.root()->servant_to_reference(make_servant());
  CHECK_THROWS_AS((void)poa->reference_to_id(other), PortableServer::POA::WrongAdapter);
}

TEST_CASE("a client finds a name by corbaloc, over the wire") {
  TestOrb server;
  server.serve();
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(server.core().resolve_initial_reference("INSPOA"));
  poa->the_POAManager()->activate();
  poa->activate_object_with_id(string_to_ObjectId("Bank"), make_servant());
  const auto reference = poa->id_to_reference(string_to_ObjectId("Bank"));
  const TestOrb client;
  const std::string url = "corbaloc::" + server.endpoint_of(reference).address + "/Bank";
  const auto object = client.core().string_to_object(url);
  CHECK(object->_is_a("IDL:Test/Acting:1.0"));
  CHECK(!object->_non_existent());
  const auto table =
      IDL::traits<IORTable::Table>::narrow(server.core().resolve_initial_reference("IORTable"));
  table->bind("Alias", url);
  const auto alias = client.core().string_to_object(
      "corbaloc::" + server.endpoint_of(reference).address + "/Alias");
  CHECK(alias->_is_a("IDL:Test/Acting:1.0"));
}
