// The operations of contexts and iterators, by clients over TCP.
#include "services/naming/naming_server.h"
#include "support/fake_clock.h"
#include "support/temporary_folder.h"
#include <perigee/iop/ior.h>

#include <CosNamingS.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace perigee::naming::test {

namespace {

using LeasingRef = IDL::traits<PerigeeNaming::LeasingContext>::ref_type;

std::size_t drain(const IteratorRef& iterator, std::uint32_t how_many) {
  std::size_t count = 0;
  for (CosNaming::BindingList more; iterator->next_n(how_many, more);) count += more.size();
  return count;
}

class OtherObject final : public CORBA::servant_traits<CosNaming::BindingIterator>::base_type {
 public:
  bool next_one(CosNaming::Binding& /*b*/) override { return false; }
  bool next_n(std::uint32_t /*how_many*/, CosNaming::BindingList& /*bl*/) override { return false; }
  void destroy() override {}
};

template <typename Context>
IteratorRef iterator_of(const Context& context) {
  CosNaming::BindingList bindings;
  IteratorRef rest;
  context->list(0, bindings, rest);
  return rest;
}

}  // namespace

TEST_CASE("services that cannot start, or have ended, leave nothing in the ORB") {
  const TestOrb orb;
  const auto named =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("INSPOA"));
  const auto poas =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto key = PortableServer::string_to_ObjectId("NameService");
  const auto check_empty = [&] {
    CHECK(poas->the_children().empty());
    CHECK_THROWS_AS((void)named->id_to_servant(key), PortableServer::POA::ObjectNotActive);
  };
  const auto other = poas->create_POA("PerigeeNamingIterators", poas->the_POAManager(), {});
  CHECK_THROWS_AS(NamingService(orb.ref(), make_memory_store()),
                  PortableServer::POA::AdapterAlreadyExists);
  CHECK(poas->the_children().size() == 1);  // the program's own adapter stays
  other->destroy(true, true);
  check_empty();
  for (int count = 0; count < 2; ++count) {
    {
      const NamingService service(orb.ref(), make_memory_store());
    }
    check_empty();
  }
}

TEST_CASE("a service refuses an ORB that has another object NameService, and leaves it there") {
  const TestOrb orb;
  const auto named =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("INSPOA"));
  const auto poas =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto key = PortableServer::string_to_ObjectId("NameService");
  named->activate_object_with_id(key, CORBA::make_reference<OtherObject>());
  CHECK_THROWS_AS(NamingService(orb.ref(), make_memory_store()),
                  PortableServer::POA::ObjectAlreadyActive);
  CHECK(poas->the_children().empty());
  CHECK(named->id_to_servant(key));
}

TEST_CASE("a service does not take the place of another NameService") {
  const TestOrb orb;
  const NamingService first(orb.ref(), make_memory_store());
  CHECK_THROWS_AS(NamingService(orb.ref(), make_memory_store()), CORBA::Exception);
  CHECK(orb->resolve_initial_references("INSPOA"));
  const auto named =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("INSPOA"));
  CHECK(named->id_to_servant(PortableServer::string_to_ObjectId("NameService")));
}

TEST_CASE("NotFound says which component was not found, and why") {
  const Server server;
  const TestOrb client;
  const ContextRef root = server.root(client);
  root->bind(name({"object"}), object(client, "x"));
  (void)root->bind_new_context(name({"context"}));
  CHECK(failure([&] { (void)root->resolve(name({"a", "b", "c"})); }) == "missing_node a b c");
  CHECK(failure([&] { (void)root->resolve(name({"context", "b"})); }) == "missing_node b");
  CHECK(failure([&] { (void)root->resolve(name({"object", "b"})); }) == "not_context object b");
  CHECK(failure([&] { root->rebind(name({"context"}), object(client, "x")); }) ==
        "not_object context");
  CHECK(failure([&] { root->rebind_context(name({"object"}), root); }) == "not_context object");
  CHECK(failure([&] { root->unbind(name({"b"})); }) == "missing_node b");
  CHECK(failure([&] { root->bind(name({"context"}), object(client, "x")); }) == "AlreadyBound");
  CHECK(failure([&] { (void)root->bind_new_context(name({"object"})); }) == "AlreadyBound");
}

TEST_CASE("bad arguments raise exceptions, and change nothing") {
  const Server server;
  const TestOrb client;
  const ContextRef root = server.root(client);
  CHECK(failure([&] { (void)root->resolve({}); }) == "InvalidName");
  CHECK(failure([&] { root->bind(name({"a"}), nullptr); }) == "BAD_PARAM");
  CHECK(failure([&] { root->bind_context(name({"a"}), nullptr); }) == "BAD_PARAM");
  CHECK(failure([&] { root->destroy(); }) == "NO_PERMISSION");
  const std::string long_id(1'025, 'x');
  CHECK(failure([&] { root->bind(name({long_id.c_str()}), root); }) == "IMP_LIMIT");
  CHECK(failure([&] { (void)root->resolve(Name(101, NameComponent("a", ""))); }) == "IMP_LIMIT");
  CHECK(failure([&] { (void)root->to_name(std::string(65'537, 'x')); }) == "IMP_LIMIT");
  CHECK(failure([&] { (void)root->to_name("a//b"); }) == "InvalidName");
  CHECK(failure([&] { (void)root->to_url("nonsense", "a"); }) == "InvalidAddress");
  CHECK(failure([&] { (void)root->to_url(":host", "a//b"); }) == "InvalidName");
  CHECK_FALSE(iterator_of(root));
}

TEST_CASE("texts and names are converted, and a text is resolved") {
  const Server server;
  const TestOrb client;
  const ContextRef root = server.root(client);
  const Name spoken{NameComponent("a/b", "k.1"), NameComponent("", "")};
  CHECK(root->to_string(spoken) == "a\\/b.k\\.1/.");
  CHECK(root->to_name("a\\/b.k\\.1/.") == spoken);
  (void)root->bind_new_context({spoken[0]});
  root->bind(spoken, object(client, "found"));
  CHECK(root->resolve_str("a\\/b.k\\.1/.")->_is_equivalent(object(client, "found")));
}

TEST_CASE("a destroyed context raises OBJECT_NOT_EXIST, and a name through it CannotProceed") {
  const Server server;
  const TestOrb client;
  const ContextRef root = server.root(client);
  const auto gone = root->bind_new_context(name({"gone"}));
  gone->destroy();
  CHECK(failure([&] { (void)gone->resolve(name({"a"})); }) == "OBJECT_NOT_EXIST");
  CHECK(failure([&] { gone->bind(name({"a"}), root); }) == "OBJECT_NOT_EXIST");
  CHECK(failure([&] {
          (void)iterator_of(IDL::traits<CosNaming::NamingContextExt>::unchecked_narrow(gone));
        }) == "OBJECT_NOT_EXIST");
  CHECK(failure([&] { gone->destroy(); }) == "OBJECT_NOT_EXIST");
  CHECK(failure([&] { (void)root->resolve(name({"gone", "a", "b"})); }) == "CannotProceed a b");
  const auto leasing = IDL::traits<PerigeeNaming::LeasingContext>::narrow(root);
  const Name through = name({"gone", "a"});
  const std::function<void()> changes[] = {[&] { root->bind(through, root); },
                                           [&] { root->rebind(through, root); },
                                           [&] { root->bind_context(through, root); },
                                           [&] { root->rebind_context(through, root); },
                                           [&] { root->unbind(through); },
                                           [&] { (void)root->bind_new_context(through); },
                                           [&] { leasing->bind_leased(through, root, 1); },
                                           [&] { leasing->rebind_leased(through, root, 1); },
                                           [&] { leasing->renew(through, 1); }};
  for (const auto& change : changes) CHECK(failure(change) == "CannotProceed a");
}

TEST_CASE("a reference to a context of another store does not lead to a context") {
  const TestOrb client;
  const Server first;
  const Server second;
  (void)second.root(client)->new_context();  // its number is that of the context of the first store
  // The key of a context of the first store, at the address of the second server.
  auto ior = iop::parse_ior_string(client->object_to_string(first.root(client)->new_context()));
  const auto other = iop::parse_ior_string(client->object_to_string(second.root(client)));
  auto profile = iop::decode_iiop_profile(ior.value().profiles.at(0)).value();
  profile.port = iop::decode_iiop_profile(other.value().profiles.at(0)).value().port;
  ior.value().profiles = {iop::encode_profile(profile)};
  const auto moved = IDL::traits<NamingContext>::unchecked_narrow(
      client->string_to_object(iop::to_ior_string(ior.value())));
  CHECK(failure([&] { (void)moved->resolve(name({"a"})); }) == "OBJECT_NOT_EXIST");
}

TEST_CASE("all operations of a reference to context 0 raise OBJECT_NOT_EXIST") {
  const perigee::test::TemporaryFolder folder;
  const Server memory;
  const Server file({}, open_sqlite_store(folder.file("names.db")).value());
  const TestOrb client;
  for (const Server* server : {&memory, &file}) {
    const ContextRef root = server->root(client);
    const auto made = root->new_context();
    auto ior = iop::parse_ior_string(client->object_to_string(made)).value();
    made->destroy();  // now the store has no context except the root
    auto profile = iop::decode_iiop_profile(ior.profiles.at(0)).value();
    std::fill(profile.object_key.end() - 8, profile.object_key.end(), std::byte{0});
    ior.profiles = {iop::encode_profile(profile)};
    const auto none = IDL::traits<PerigeeNaming::LeasingContext>::unchecked_narrow(
        client->string_to_object(iop::to_ior_string(ior)));
    const Name a = name({"a"});
    const std::function<void()> calls[] = {[&] { none->bind(a, root); },
                                           [&] { none->rebind(a, root); },
                                           [&] { none->bind_context(a, root); },
                                           [&] { none->rebind_context(a, root); },
                                           [&] { (void)none->resolve(a); },
                                           [&] { none->unbind(a); },
                                           [&] { (void)none->new_context(); },
                                           [&] { (void)none->bind_new_context(a); },
                                           [&] { none->destroy(); },
                                           [&] { (void)iterator_of(none); },
                                           [&] { none->bind_leased(a, root, 1); },
                                           [&] { none->rebind_leased(a, root, 1); },
                                           [&] { none->renew(a, 1); }};
    for (const auto& call : calls) CHECK(failure(call) == "OBJECT_NOT_EXIST");
  }
}

TEST_CASE("contexts that contain each other are walked as far as the name leads") {
  const Server server;
  const TestOrb client;
  const ContextRef root = server.root(client);
  const auto inner = root->bind_new_context(name({"in"}));
  inner->bind_context(name({"out"}), root);
  root->bind_context(name({"self"}), root);
  root->bind(name({"x"}), object(client, "x"));
  CHECK(root->resolve(name({"in", "out", "in", "out", "self", "self", "x"}))
            ->_is_equivalent(object(client, "x")));
}

TEST_CASE("resolve sees a change at once, although it was cached") {
  const perigee::test::TemporaryFolder folder;
  const Server server({}, open_sqlite_store(folder.file("names.db")).value());
  const TestOrb client;
  const ContextRef root = server.root(client);
  for (int count = 0; count < 20; ++count) {
    const ObjectRef bound = object(client, std::to_string(count));
    root->rebind(name({"a"}), bound);
    CHECK(root->resolve(name({"a"}))->_is_equivalent(bound));
  }
  root->unbind(name({"a"}));
  CHECK(failure([&] { (void)root->resolve(name({"a"})); }) == "missing_node a");
}

TEST_CASE("an iterator returns each binding once, although others come and go") {
  const Server server;
  const TestOrb client;
  const ContextRef root = server.root(client);
  for (char id = 'a'; id <= 'j'; ++id) root->bind(name({std::string(1, id).c_str()}), root);
  CosNaming::BindingList first;
  IteratorRef rest;
  root->list(4, first, rest);
  CHECK(first.size() == 4);
  root->unbind(name({"d"}));  // the position of the iterator
  root->unbind(name({"e"}));
  root->bind(name({"aa"}), root);  // before the position
  root->bind(name({"ee"}), root);
  CHECK(drain(rest, 3) == 6);
  CosNaming::Binding none;
  CHECK_FALSE(rest->next_one(none));
  CHECK(failure([&] {
          CosNaming::BindingList list;
          (void)rest->next_n(0, list);
        }) == "BAD_PARAM");
  rest->destroy();
  CHECK(failure([&] { (void)rest->next_one(none); }) == "OBJECT_NOT_EXIST");
}

TEST_CASE("the longest unused iterator of a client ends when the client makes too many") {
  Options options;
  options.limits.iterators_per_client_max = 3;
  const Server server(options);
  const TestOrb client;
  const ContextRef root = server.root(client);
  root->bind(name({"a"}), root);
  std::vector<IteratorRef> iterators;
  for (int count = 0; count < 3; ++count) iterators.push_back(iterator_of(root));
  CHECK(drain(iterators[0], 1) == 1);  // now the second iterator is the least recently used
  iterators.push_back(iterator_of(root));
  CHECK(failure([&] { (void)drain(iterators[1], 1); }) == "OBJECT_NOT_EXIST");
  for (const std::size_t left : {0U, 2U, 3U})
    CHECK(failure([&] { (void)drain(iterators[left], 1); }) == "none");
}

TEST_CASE("an iterator ends if it was not used for the time of the limit") {
  perigee::test::FakeClock clock;
  Options options;
  options.clock = &clock;
  const Server server(options);
  const TestOrb client;
  const ContextRef root = server.root(client);
  root->bind(name({"a"}), root);
  const IteratorRef old = iterator_of(root);
  clock.advance(options.limits.iterator_idle_max + std::chrono::seconds(1));
  const IteratorRef young = iterator_of(root);
  CHECK(failure([&] { (void)drain(old, 1); }) == "OBJECT_NOT_EXIST");
  CHECK(drain(young, 1) == 1);
}

TEST_CASE("a page has at most as many bindings as the limit") {
  Options options;
  options.limits.page_max = 5;
  const Server server(options);
  const TestOrb client;
  const ContextRef root = server.root(client);
  for (int count = 0; count < 12; ++count) root->bind(name({std::to_string(count).c_str()}), root);
  CosNaming::BindingList first;
  IteratorRef rest;
  root->list(4'000'000'000, first, rest);
  CHECK(first.size() == 5);
  CosNaming::BindingList more;
  CHECK(rest->next_n(4'000'000'000, more));
  CHECK(more.size() == 5);
  CHECK(drain(rest, 4'000'000'000) == 2);
}

TEST_CASE("clients that fit no rule may read names, but not change them") {
  Options options;
  options.may_change.clear();
  const Server server(options);
  const TestOrb client;
  const ContextRef root = server.root(client);
  CHECK(failure([&] { root->bind(name({"a"}), root); }) == "NO_PERMISSION");
  CHECK(failure([&] { root->rebind(name({"a"}), root); }) == "NO_PERMISSION");
  CHECK(failure([&] { root->bind_context(name({"a"}), root); }) == "NO_PERMISSION");
  CHECK(failure([&] { root->rebind_context(name({"a"}), root); }) == "NO_PERMISSION");
  CHECK(failure([&] { root->unbind(name({"a"})); }) == "NO_PERMISSION");
  CHECK(failure([&] { (void)root->new_context(); }) == "NO_PERMISSION");
  CHECK(failure([&] { (void)root->bind_new_context(name({"a"})); }) == "NO_PERMISSION");
  CHECK(failure([&] { root->destroy(); }) == "NO_PERMISSION");
  const LeasingRef leasing = IDL::traits<PerigeeNaming::LeasingContext>::narrow(root);
  CHECK(failure([&] { leasing->bind_leased(name({"a"}), root, 1); }) == "NO_PERMISSION");
  CHECK(failure([&] { leasing->rebind_leased(name({"a"}), root, 1); }) == "NO_PERMISSION");
  CHECK(failure([&] { leasing->renew(name({"a"}), 1); }) == "NO_PERMISSION");
  CHECK(failure([&] { (void)root->resolve(name({"a"})); }) == "missing_node a");
  CHECK_FALSE(iterator_of(root));
}

TEST_CASE("a lease ends a binding unless the server renews it") {
  std::atomic<WallTime> now = 1'000'000;
  Options options;
  options.wall_clock = [&now] { return now.load(); };
  const Server server(options);
  const TestOrb client;
  const ContextRef root = server.root(client);
  const LeasingRef leasing = IDL::traits<PerigeeNaming::LeasingContext>::narrow(root);
  REQUIRE(leasing);
  CHECK(failure([&] { leasing->bind_leased(name({"a"}), root, 0); }) == "BAD_PARAM");
  leasing->bind_leased(name({"a"}), root, 10);
  CHECK(failure([&] { leasing->bind_leased(name({"a"}), root, 10); }) == "AlreadyBound");
  now += 9'999;
  CHECK(failure([&] { (void)root->resolve(name({"a"})); }) == "none");
  leasing->renew(name({"a"}), 10);
  now += 9'999;
  CHECK(failure([&] { (void)root->resolve(name({"a"})); }) == "none");
  now += 1;
  CHECK(failure([&] { (void)root->resolve(name({"a"})); }) == "missing_node a");
  CHECK(failure([&] { leasing->renew(name({"a"}), 10); }) == "missing_node a");
  leasing->rebind_leased(name({"a"}), root, 5);
  root->rebind(name({"a"}), root);  // without a lease
  now += 1'000'000;
  CHECK(failure([&] { (void)root->resolve(name({"a"})); }) == "none");
}

TEST_CASE("bindings whose leases have ended leave the store when another lease begins") {
  std::atomic<WallTime> now = 1'000'000;
  Options options;
  options.wall_clock = [&now] { return now.load(); };
  auto memory = make_memory_store();
  Store& store = *memory;
  const Server server(options, std::move(memory));
  const TestOrb client;
  const LeasingRef leasing =
      IDL::traits<PerigeeNaming::LeasingContext>::narrow(server.root(client));
  leasing->bind_leased(name({"a"}), leasing, 10);
  now += 120'000;
  CHECK(store.find(root_context, {"a", ""}).value());
  leasing->bind_leased(name({"b"}), leasing, 10);
  CHECK_FALSE(store.find(root_context, {"a", ""}).value());
  CHECK(store.find(root_context, {"b", ""}).value());
}

TEST_CASE("a change without a lease and a list remove bindings whose leases have ended") {
  std::atomic<WallTime> now = 1'000'000;
  Options options;
  options.wall_clock = [&now] { return now.load(); };
  auto memory = make_memory_store();
  Store& store = *memory;
  const Server server(options, std::move(memory));
  const TestOrb client;
  const ContextRef root = server.root(client);
  const LeasingRef leasing = IDL::traits<PerigeeNaming::LeasingContext>::narrow(root);
  leasing->bind_leased(name({"a"}), root, 10);
  now += 120'000;
  root->bind(name({"b"}), root);
  CHECK_FALSE(store.find(root_context, {"a", ""}).value());
  leasing->bind_leased(name({"a"}), root, 10);
  now += 120'000;
  (void)iterator_of(root);
  CHECK_FALSE(store.find(root_context, {"a", ""}).value());
}

TEST_CASE("a sweep goes on until it has removed all bindings whose leases have ended") {
  const perigee::test::TemporaryFolder folder;
  auto file = open_sqlite_store(folder.file("names.db")).value();
  Store& store = *file;
  constexpr int count = 2'500;
  std::latch made(count);
  for (int number = 0; number < count; ++number)
    store.change({.name = {std::to_string(number), ""}, .expires = 1'000 + number},
                 [&made](const auto& /*result*/) { made.count_down(); });
  made.wait();
  const Server server({}, std::move(file));
  const TestOrb client;
  (void)iterator_of(server.root(client));
  // The sweep removes the earliest end first.
  const Component last{std::to_string(count - 1), ""};
  while (store.find(root_context, last).value()) std::this_thread::yield();
}

TEST_CASE("several clients bind at the same time, and each binding is there") {
  const perigee::test::TemporaryFolder folder;
  const Server server({}, open_sqlite_store(folder.file("names.db")).value());
  const TestOrb client;
  const ContextRef root = server.root(client);
  std::atomic<int> bound = 0;
  std::vector<std::thread> clients;
  for (int number = 0; number < 8; ++number)
    clients.emplace_back([&, number] {
      for (int count = 0; count < 25; ++count) try {
          // Pairs of clients use the same names: one bind of each name succeeds.
          root->bind(name({std::to_string(number / 2 * 100 + count).c_str()}), root);
          ++bound;
        } catch (const NamingContext::AlreadyBound&) {
          CHECK(root->resolve(name({std::to_string(number / 2 * 100 + count).c_str()})));
        }
    });
  for (std::thread& thread : clients) thread.join();
  CHECK(bound == 100);
  CHECK(drain(iterator_of(root), 1'000) == 100);
}

}  // namespace perigee::naming::test
