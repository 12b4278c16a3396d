// POA managers, and requests on several threads.
#include "poa/dispatcher.h"
#include "poa/fakes.h"
#include "poa/recording_hooks.h"
#include "poa/test_orb.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using State = PortableServer::POAManager::State;

namespace {

std::uint32_t omg(std::uint32_t code) { return CORBA::OMGVMCID | code; }

Octets activate(const TestOrb& orb, ActingServant::Action action = nullptr) {
  return orb.key_of(orb.root()->servant_to_reference(make_servant(std::move(action))));
}

}  // namespace

TEST_CASE("a new manager holds requests, and its operations change its state") {
  const TestOrb orb;
  const auto manager = orb.root()->the_POAManager();
  CHECK(manager->get_state() == State::HOLDING);
  manager->activate();
  CHECK(manager->get_state() == State::ACTIVE);
  manager->discard_requests(true);
  CHECK(manager->get_state() == State::DISCARDING);
  manager->hold_requests(true);
  CHECK(manager->get_state() == State::HOLDING);
  manager->deactivate(true, true);
  CHECK(manager->get_state() == State::INACTIVE);
  CHECK_THROWS_AS(manager->activate(), PortableServer::POAManager::AdapterInactive);
}

TEST_CASE("a manager factory makes managers with ids, and finds and lists all managers") {
  const TestOrb orb;
  const auto factory = orb.root()->the_POAManagerFactory();
  const auto root_manager = orb.root()->the_POAManager();
  CHECK(root_manager->get_id() == "RootPOAManager");
  CHECK(factory->find("RootPOAManager") == root_manager);
  const auto named = factory->create_POAManager("POAManager1", {});
  CHECK(named->get_id() == "POAManager1");
  CHECK(named->get_state() == State::HOLDING);
  CHECK_THROWS_AS((void)factory->create_POAManager("POAManager1", {}),
                  PortableServer::POAManagerFactory::ManagerAlreadyExists);
  const auto poa = orb.root()->create_POA("named", named, {});
  CHECK(poa->the_POAManager() == named);
  const auto other = orb.root()->create_POA("other", nullptr, {})->the_POAManager();
  CHECK(other->get_id() != "POAManager1");
  CHECK(factory->find(other->get_id()) == other);
  CHECK(poa->the_POAManagerFactory()->list() ==
        PortableServer::POAManagerSeq{named, other, root_manager});
  CHECK_FALSE(factory->find("none"));
}

TEST_CASE("a POAManager exists as long as an adapter or a reference uses it, and has no policies") {
  const TestOrb orb;
  const auto factory = orb.root()->the_POAManagerFactory();
  const auto poa = orb.root()->create_POA("named", factory->create_POAManager("kept", {}), {});
  CHECK(factory->find("kept"));
  (void)factory->create_POAManager("dropped", {});
  CHECK_FALSE(factory->find("dropped"));
  CHECK(factory->create_POAManager("dropped", {}));
  const CORBA::PolicyList policies = {
      poa->create_thread_policy(PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL)};
  CHECK_THROWS_AS((void)factory->create_POAManager("policies", policies), CORBA::PolicyError);
}

TEST_CASE("the states of a POAManager have names") {
  CHECK(_enumerator_name(State::HOLDING) == "HOLDING");
  CHECK(_enumerator_name(State::ACTIVE) == "ACTIVE");
  CHECK(_enumerator_name(State::DISCARDING) == "DISCARDING");
  CHECK(_enumerator_name(State::INACTIVE) == "INACTIVE");
}

TEST_CASE("a discarding manager replies TRANSIENT, an inactive manager OBJ_ADAPTER") {
  const TestOrb orb;
  const Octets key = activate(orb);
  orb.root()->the_POAManager()->discard_requests(false);
  FakeRequest discarded(key);
  orb.dispatcher().dispatch(discarded);
  CHECK(discarded.answer() == "system TRANSIENT");
  CHECK(discarded.minor() == omg(1));
  orb.root()->the_POAManager()->deactivate(true, false);
  FakeRequest refused(key);
  orb.dispatcher().dispatch(refused);
  CHECK(refused.answer() == "system OBJ_ADAPTER");
  CHECK(refused.completed() == CORBA::COMPLETED_NO);
}

TEST_CASE("a manager that is deactivated releases servants only with etherealize_objects") {
  std::atomic<int> alive{0};  // outlives the servants
  const TestOrb orb;
  const auto manager = orb.root()->the_POAManager();
  const auto other = orb.root()->create_POA("other", manager, {});
  (void)other->activate_object(make_servant(nullptr, &alive));
  const Octets key = orb.key_of(orb.root()->servant_to_reference(make_servant(nullptr, &alive)));
  CHECK(alive == 2);
  SUBCASE("with etherealize_objects") {
    manager->deactivate(true, true);
    CHECK(alive == 0);
  }
  SUBCASE("not without etherealize_objects") {
    manager->deactivate(false, true);
    CHECK(alive == 2);
  }
  FakeRequest refused(key);
  orb.dispatcher().dispatch(refused);
  CHECK(refused.answer() == "system OBJ_ADAPTER");
  CHECK(refused.minor() == omg(1));
}

TEST_CASE("an upcall keeps its servant while its manager is deactivated") {
  std::atomic<int> alive{0};  // outlives the servants
  const TestOrb orb;
  const auto manager = orb.root()->the_POAManager();
  manager->activate();
  const auto deactivate = [&](perigee::orb::ServerRequest&) {
    manager->deactivate(true, false);
    CHECK(alive == 1);
  };
  FakeRequest request(
      orb.key_of(orb.root()->servant_to_reference(make_servant(deactivate, &alive))));
  orb.dispatcher().dispatch(request);
  CHECK(request.answer() == "reply");
  CHECK(alive == 0);
}

TEST_CASE("a held request goes on when the manager becomes active") {
  const TestOrb orb;
  FakeRequest request(activate(orb));
  auto done = std::async(std::launch::async, [&] { orb.dispatcher().dispatch(request); });
  orb.root()->the_POAManager()->activate();
  done.get();
  CHECK(request.answer() == "reply");
}

TEST_CASE("a held request for an object that is not yet active waits for it") {
  const TestOrb orb;
  const auto reference = orb.root()->create_reference("IDL:Test/Acting:1.0");
  FakeRequest request(orb.key_of(reference));
  auto done = std::async(std::launch::async, [&] { orb.dispatcher().dispatch(request); });
  orb.root()->activate_object_with_id(orb.root()->reference_to_id(reference), make_servant());
  orb.root()->the_POAManager()->activate();
  done.get();
  CHECK(request.answer() == "reply");
}

TEST_CASE("a request that may not be held gets TRANSIENT") {
  const TestOrb orb;
  FakeRequest request(activate(orb));
  request.refuse_to_wait();
  orb.dispatcher().dispatch(request);
  CHECK(request.answer() == "system TRANSIENT");
  CHECK(request.minor() == omg(1));
}

TEST_CASE("destroying the ORB ends the wait of held requests") {
  auto orb = std::make_unique<TestOrb>();
  FakeRequest request(activate(*orb));
  auto& dispatcher = orb->dispatcher();
  std::promise<void> running;
  auto done = std::async(std::launch::async, [&] {
    running.set_value();
    dispatcher.dispatch(request);
  });
  running.get_future().wait();
  orb->root()->the_POAManager()->discard_requests(false);
  done.get();
  CHECK(request.answer() == "system TRANSIENT");
}

TEST_CASE("destroying a holding POA ends the wait of its collocated requests") {
  TestOrb orb;
  const auto child = orb.root()->create_POA("child", nullptr, {});
  const auto manager = child->the_POAManager();
  const auto id = child->activate_object(make_servant());
  FakeRequest request(orb.key_of(child->id_to_reference(id)));
  std::promise<void> is_held;
  request.when_held([&] { is_held.set_value(); });
  auto& dispatcher = orb.dispatcher();
  auto done = std::async(std::launch::async, [&] { dispatcher.dispatch(request); });
  is_held.get_future().wait();
  SUBCASE("by its own destroy") { child->destroy(true, true); }
  SUBCASE("by the destroy of its parent") { orb.root()->destroy(true, true); }
  const bool ends = done.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  if (!ends) manager->discard_requests(false);  // so that the test ends
  CHECK(ends);
  done.get();
  CHECK(request.answer() == "system OBJECT_NOT_EXIST");
}

TEST_CASE("a held request stays held while any number of other POAs are destroyed") {
  const TestOrb orb;
  const auto manager = orb.root()->the_POAManager();
  FakeRequest request(activate(orb));
  int held_count = 0;
  request.when_held([&] {
    if (++held_count > 2000) return manager->activate();
    orb.root()->create_POA("other", manager, {})->destroy(true, false);
  });
  orb.dispatcher().dispatch(request);
  CHECK(held_count == 2001);
  CHECK(request.answer() == "reply");
}

TEST_CASE("a request that would be held by a POA that is being destroyed gets TRANSIENT") {
  const TestOrb orb;
  const auto poa = orb.root()->create_POA("parent", nullptr, {});
  const auto child = poa->create_POA("child", nullptr, {});
  FakeRequest request(orb.key_of(poa->id_to_reference(poa->activate_object(make_servant()))));
  request.when_held([&] { poa->the_POAManager()->discard_requests(false); });
  // Sends the request when the child's servant ends, while the parent still has its object.
  const auto at_end = [&](const int*) { orb.dispatcher().dispatch(request); };
  std::shared_ptr<int> end(nullptr, at_end);
  child->activate_object(make_servant([end](orb::ServerRequest&) {}));
  end.reset();
  poa->destroy(true, false);
  CHECK(request.answer() == "system TRANSIENT");
  CHECK(request.minor() == omg(4));
}

TEST_CASE("hold_requests waits for the upcalls that are in progress") {
  const TestOrb orb;
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<bool> left{false};
  const Octets key = activate(orb, [&](orb::ServerRequest&) {
    entered.set_value();
    leave.get_future().wait();
    left = true;
  });
  orb.root()->the_POAManager()->activate();
  FakeRequest request(key);
  auto served = std::async(std::launch::async, [&] { orb.dispatcher().dispatch(request); });
  entered.get_future().wait();
  auto held =
      std::async(std::launch::async, [&] { orb.root()->the_POAManager()->hold_requests(true); });
  leave.set_value();
  held.get();
  CHECK(left);
  served.get();
  CHECK(request.answer() == "reply");
}

TEST_CASE("destroy waits until the last upcall has released its servant") {
  const TestOrb orb;
  orb.root()->the_POAManager()->activate();
  const auto poa = orb.root()->create_POA("child", orb.root()->the_POAManager(), {});
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<int> alive{0};
  const auto id = poa->activate_object(make_servant(
      [&](orb::ServerRequest&) {
        entered.set_value();
        leave.get_future().wait();
      },
      &alive));
  FakeRequest request(orb.key_of(poa->id_to_reference(id)));
  auto served = std::async(std::launch::async, [&] { orb.dispatcher().dispatch(request); });
  entered.get_future().wait();
  auto destroyed = std::async(std::launch::async, [&] { poa->destroy(true, true); });
  CHECK(alive == 1);
  leave.set_value();
  destroyed.get();
  CHECK(alive == 0);
  served.get();
  CHECK(request.answer() == "reply");
}

TEST_CASE("SINGLE_THREAD_MODEL makes upcalls of one adapter take turns") {
  const TestOrb orb;
  orb.root()->the_POAManager()->activate();
  using PortableServer::ThreadPolicyValue;
  const auto poa = orb.root()->create_POA(
      "single", orb.root()->the_POAManager(),
      {orb.root()->create_thread_policy(ThreadPolicyValue::SINGLE_THREAD_MODEL)});
  int unguarded = 0;  // the thread sanitizer and the count show if two upcalls overlap
  const auto action = [&](orb::ServerRequest&) { ++unguarded; };
  const Octets keys[] = {
      orb.key_of(poa->id_to_reference(poa->activate_object(make_servant(action)))),
      orb.key_of(poa->id_to_reference(poa->activate_object(make_servant(action))))};
  std::vector<std::thread> threads;
  for (const Octets& key : keys)
    threads.emplace_back([&orb, &key] {
      for (int call = 0; call < 500; ++call) {
        FakeRequest request(key);
        orb.dispatcher().dispatch(request);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(unguarded == 1000);
}

TEST_CASE("concurrent activation, deactivation and requests end with every servant released") {
  const TestOrb orb;
  orb.root()->the_POAManager()->activate();
  std::atomic<int> alive{0};
  std::atomic<bool> done{false};
  std::mutex mutex;
  Octets key = activate(orb);
  const auto call = [&] {
    while (!done) {
      std::unique_lock lock(mutex);
      FakeRequest request(key);
      lock.unlock();
      orb.dispatcher().dispatch(request);
      const bool fine =
          request.answer() == "reply" || request.answer() == "system OBJECT_NOT_EXIST";
      CHECK(fine);
    }
  };
  std::thread first(call);
  std::thread second(call);
  for (int round = 0; round < 500; ++round) {
    const auto id = orb.root()->activate_object(make_servant(nullptr, &alive));
    {
      const std::lock_guard lock(mutex);
      key = orb.key_of(orb.root()->id_to_reference(id));
    }
    orb.root()->deactivate_object(id);
  }
  done = true;
  first.join();
  second.join();
  CHECK(alive == 0);
}

TEST_CASE("hooks see every upcall, also an upcall that throws") {
  const TestOrb orb;
  RecordingHooks hooks;
  auto& dispatcher = static_cast<poa::Dispatcher&>(orb.dispatcher());
  const Octets good = activate(orb);
  const Octets bad = activate(orb, [](orb::ServerRequest&) { throw 1; });
  orb.root()->the_POAManager()->activate();
  dispatcher.set_hooks(&hooks);
  for (const Octets& key : {good, bad}) {
    FakeRequest request(key);
    dispatcher.dispatch(request);
  }
  dispatcher.set_hooks(nullptr);
  CHECK(hooks.seen == std::vector<std::string>{"contexts act", "serve act", "reply act",
                                               "contexts act", "serve act", "UNKNOWN act"});
}

TEST_CASE("hold_requests waits for upcalls on objects that were deactivated meanwhile") {
  const TestOrb orb;
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<bool> left{false};
  const auto reference = orb.root()->servant_to_reference(make_servant([&](orb::ServerRequest&) {
    entered.set_value();
    leave.get_future().wait();
    left = true;
  }));
  orb.root()->the_POAManager()->activate();
  FakeRequest request(orb.key_of(reference));
  auto served = std::async(std::launch::async, [&] { orb.dispatcher().dispatch(request); });
  entered.get_future().wait();
  orb.root()->deactivate_object(orb.root()->reference_to_id(reference));
  std::promise<void> holding;
  auto held = std::async(std::launch::async, [&] {
    holding.set_value();
    orb.root()->the_POAManager()->hold_requests(true);
    return left.load();
  });
  holding.get_future().wait();
  while (orb.root()->the_POAManager()->get_state() != State::HOLDING) std::this_thread::yield();
  leave.set_value();
  CHECK(held.get());
  served.get();
}

TEST_CASE("destroying the ORB waits for collocated upcalls") {
  TestOrb orb;
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<bool> left{false};
  const Octets key = activate(orb, [&](orb::ServerRequest&) {
    entered.set_value();
    leave.get_future().wait();
    left = true;
  });
  orb.root()->the_POAManager()->activate();
  FakeRequest request(key);
  auto& dispatcher = orb.dispatcher();
  auto served = std::async(std::launch::async, [&] { dispatcher.dispatch(request); });
  entered.get_future().wait();
  auto destroyed = std::async(std::launch::async, [&] {
    orb.core().destroy();
    return left.load();
  });
  while (!orb.core().stopped()) std::this_thread::yield();
  leave.set_value();
  CHECK(destroyed.get());
  served.get();
}
