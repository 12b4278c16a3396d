// Names that lead through several naming services.
#include "services/naming/naming_server.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace perigee::naming::test {

TEST_CASE("all operations go on in the context of another naming service") {
  const Server near;
  const Server far;
  const TestOrb client;
  const ContextRef root = near.root(client);
  const ContextRef other = far.root(client);
  root->bind_context(name({"far"}), other);
  const ObjectRef bound = object(client, "x");
  root->bind(name({"far", "a"}), bound);
  CHECK(other->resolve(name({"a"}))->_is_equivalent(bound));
  CHECK(root->resolve(name({"far", "a"}))->_is_equivalent(bound));
  root->rebind(name({"far", "a"}), object(client, "y"));
  CHECK(other->resolve(name({"a"}))->_is_equivalent(object(client, "y")));
  const auto made = root->bind_new_context(name({"far", "c"}));
  made->bind(name({"inner"}), bound);
  CHECK(other->resolve(name({"c", "inner"}))->_is_equivalent(bound));
  root->bind_context(name({"far", "d"}), made);
  root->rebind_context(name({"far", "d"}), root);
  CHECK(root->resolve(name({"far", "d"}))->_is_equivalent(root));
  root->unbind(name({"far", "a"}));
  CHECK(failure([&] { (void)other->resolve(name({"a"})); }) == "missing_node a");
  CHECK(failure([&] { (void)root->resolve(name({"far", "c", "b", "e"})); }) == "missing_node b e");
  const auto leasing = IDL::traits<PerigeeNaming::LeasingContext>::narrow(root);
  leasing->bind_leased(name({"far", "leased"}), bound, 100);
  leasing->rebind_leased(name({"far", "leased"}), bound, 100);
  leasing->renew(name({"far", "leased"}), 100);
  CHECK(other->resolve(name({"leased"}))->_is_equivalent(bound));
}

TEST_CASE("a loop between two naming services ends with the name") {
  const Server near;
  const Server far;
  const TestOrb client;
  const ContextRef root = near.root(client);
  root->bind_context(name({"a"}), far.root(client));
  far.root(client)->bind_context(name({"a"}), root);
  root->bind(name({"x"}), object(client, "x"));
  const Name even(20, NameComponent("a", ""));
  Name found = even;
  found.emplace_back("x", "");
  CHECK(root->resolve(found)->_is_equivalent(object(client, "x")));
  Name missing = even;
  missing.emplace_back("y", "");
  CHECK(failure([&] { (void)root->resolve(missing); }) == "missing_node y");
}

TEST_CASE("a context that cannot be reached raises CannotProceed with the rest of the name") {
  const Server server;
  const TestOrb client;
  const ContextRef root = server.root(client);
  root->bind_context(name({"gone"}), IDL::traits<CosNaming::NamingContext>::unchecked_narrow(
                                         object(client, "NameService")));
  CHECK(failure([&] { (void)root->resolve(name({"gone", "a", "b"})); }) == "CannotProceed a b");
  CHECK(failure([&] { root->bind(name({"gone", "a"}), root); }) == "CannotProceed a");
  CHECK(root->resolve(name({"gone"}))->_is_equivalent(object(client, "NameService")));
}

TEST_CASE("a context that does not reply raises CannotProceed when the time is over") {
  Options options;
  options.limits.foreign_call_time_max = std::chrono::milliseconds(50);
  const Server server(options);
  const TestOrb client;
  const ContextRef root = server.root(client);
  // The object exists in the other server, but its adapter holds the requests.
  const TestOrb holding;
  const auto adapter =
      IDL::traits<PortableServer::POA>::narrow(holding->resolve_initial_references("RootPOA"));
  const auto held = IDL::traits<CosNaming::NamingContext>::unchecked_narrow(
      client->string_to_object(holding->object_to_string(
          adapter->create_reference("IDL:omg.org/CosNaming/NamingContext:1.0"))));
  IDL::traits<PortableServer::POA>::narrow(holding->resolve_initial_references("INSPOA"))
      ->the_POAManager()
      ->activate();  // the server accepts connections
  root->bind_context(name({"held"}), held);
  CHECK(failure([&] { (void)root->resolve(name({"held", "a"})); }) == "CannotProceed a");
}

TEST_CASE("too many calls of other naming services raise TRANSIENT") {
  Options options;
  options.limits.foreign_calls_max = 0;
  const Server server(options);
  const TestOrb client;
  const ContextRef root = server.root(client);
  root->bind_context(name({"far"}), IDL::traits<CosNaming::NamingContext>::unchecked_narrow(
                                        object(client, "NameService")));
  CHECK(failure([&] { (void)root->resolve(name({"far", "a"})); }) == "TRANSIENT");
}

}  // namespace perigee::naming::test
