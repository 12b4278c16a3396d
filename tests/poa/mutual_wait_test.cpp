// Threads that would wait for each other: each request ends, possibly with TRANSIENT.
// A thread that hangs is left behind, with all that it uses, so that the test can fail.
#include "poa/fakes.h"
#include "poa/test_orb.h"

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

using namespace perigee;
using namespace perigee::test;
using namespace PortableServer;
using ServantRef = CORBA::servant_reference<Servant>;
using PoaRef = CORBA::object_reference<POA>;

namespace {

constexpr std::chrono::seconds patience{10};

/// Runs a function on a thread, which is joined if it ends, and detached if it hangs.
class Runner {
 public:
  explicit Runner(std::function<void()> function) {
    std::packaged_task<void()> task(std::move(function));
    done_ = task.get_future();
    thread_ = std::thread(std::move(task));
  }
  ~Runner() {
    if (ends())
      thread_.join();
    else
      thread_.detach();
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  [[nodiscard]] bool ends() const { return done_.wait_for(patience) == std::future_status::ready; }

 private:
  std::future<void> done_;
  std::thread thread_;
};

class Incarnator final : public IDL::traits<ServantActivator>::base_type {
 public:
  ServantRef incarnate(const ObjectId& id, PoaRef) override { return make(id); }
  void etherealize(const ObjectId&, PoaRef, ServantRef, bool, bool) override {}
  std::function<ServantRef(const ObjectId&)> make;
};

class ChildMaker final : public IDL::traits<AdapterActivator>::base_type {
 public:
  bool unknown_adapter(PoaRef parent, const std::string& name) override {
    return make(parent, name);
  }
  std::function<bool(const PoaRef&, const std::string&)> make;
};

/// An adapter whose activator incarnates every object that the test does not refuse.
struct Scene {
  explicit Scene(ThreadPolicyValue threads) {
    auto& root = *orb.root();
    root.the_POAManager()->activate();
    poa = root.create_POA(
        "scene", root.the_POAManager(),
        {root.create_lifespan_policy(LifespanPolicyValue::PERSISTENT),
         root.create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
         root.create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER),
         root.create_thread_policy(threads)});
    poa->set_servant_manager(incarnator);
    poa->the_activator(child_maker);
  }
  std::string ask(const ObjectId& id) {
    FakeRequest request(orb.key_of(poa->create_reference_with_id(id, "IDL:Test/Acting:1.0")));
    orb.dispatcher().dispatch(request);
    return request.answer();
  }
  /// The answer to a request for the object, after another thread has begun to incarnate it. Until
  /// then, `make` must refuse the calling thread.
  std::string ask_until_others_incarnate(const ObjectId& id) {
    std::string answer;
    do {
      std::this_thread::yield();
      answer = ask(id);
    } while (answer == "system NO_PERMISSION");
    return answer;
  }
  TestOrb orb;
  CORBA::object_reference<Incarnator> incarnator = CORBA::make_reference<Incarnator>();
  CORBA::object_reference<ChildMaker> child_maker = CORBA::make_reference<ChildMaker>();
  PoaRef poa;
  std::promise<void> first_entered;
  std::promise<void> second_entered;
  std::promise<void> go_on;
  std::string first;
  std::string second;
  std::string nested;
};

/// The scene ends with the last thread that uses it.
std::shared_ptr<Scene> make_scene(ThreadPolicyValue threads) {
  return std::make_shared<Scene>(threads);
}

/// The key of the object {1} of the adapter scene/leaf, from an earlier run of the server.
Octets leaf_key() {
  const TestOrb earlier;
  auto& root = *earlier.root();
  const CORBA::PolicyList persistent = {
      root.create_lifespan_policy(LifespanPolicyValue::PERSISTENT),
      root.create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)};
  const auto scene = root.create_POA("scene", nullptr, persistent);
  const auto leaf = scene->create_POA("leaf", nullptr, persistent);
  return earlier.key_of(leaf->create_reference_with_id({1}, "IDL:Test/Acting:1.0"));
}

}  // namespace

TEST_CASE("incarnate may call active objects; a call that needs the activator gets TRANSIENT") {
  const auto scene = make_scene(ThreadPolicyValue::ORB_CTRL_MODEL);
  Scene* const s = scene.get();
  s->poa->activate_object_with_id({3}, make_servant());
  std::string ready;
  bool refused = false;
  const auto work = [s, &ready, &refused] {
    ready = s->ask({3});
    s->nested = s->ask_until_others_incarnate({2});
    try {
      s->poa->activate_object_with_id({2}, make_servant());
    } catch (const CORBA::BAD_INV_ORDER&) {
      refused = true;
    }
  };
  bool working = false;  // guarded by the activator's turn
  s->incarnator->make = [s, work, &working](const ObjectId& id) -> ServantRef {
    if (working) throw CORBA::NO_PERMISSION();
    if (id == ObjectId{1}) {
      working = true;
      s->first_entered.set_value();
      work();
      working = false;
    }
    return make_servant();
  };
  const Runner first([scene] { scene->first = scene->ask({1}); });
  s->first_entered.get_future().wait();
  const Runner second([scene] { scene->second = scene->ask({2}); });
  REQUIRE(first.ends());
  REQUIRE(second.ends());
  CHECK(ready == "reply");
  CHECK(s->nested == "system TRANSIENT");
  CHECK(refused);
  CHECK(s->first == "reply");
  CHECK(s->second == "reply");
}

TEST_CASE("an upcall of a single-thread adapter may ask for a child that a request waits to make") {
  const auto scene = make_scene(ThreadPolicyValue::SINGLE_THREAD_MODEL);
  Scene* const s = scene.get();
  const auto upcall = std::make_shared<std::thread::id>();
  s->child_maker->make = [upcall](const PoaRef& parent, const std::string& name) {
    if (std::this_thread::get_id() == *upcall) return false;
    const auto leaf = parent->create_POA(name, parent->the_POAManager(), {});
    return static_cast<bool>(leaf);
  };
  // The test cannot see the second request arrive: 300 tries are enough time for it.
  s->poa->activate_object_with_id({1}, make_servant([s, upcall](orb::ServerRequest&) {
                                    *upcall = std::this_thread::get_id();
                                    s->first_entered.set_value();
                                    for (int round = 0; round < 300; ++round) {
                                      CHECK_THROWS_AS((void)s->poa->find_POA("leaf", true),
                                                      POA::AdapterNonExistent);
                                      std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                    }
                                  }));
  const Octets leaf = leaf_key();
  const Runner first([scene] { scene->first = scene->ask({1}); });
  s->first_entered.get_future().wait();
  const Runner second([scene, leaf] {
    FakeRequest request(leaf);
    scene->orb.dispatcher().dispatch(request);
    scene->second = request.answer();
  });
  REQUIRE(first.ends());
  REQUIRE(second.ends());
  CHECK(s->first == "reply");
  CHECK(s->second == "system OBJECT_NOT_EXIST");  // the leaf has no object
  CHECK(s->poa->find_POA("leaf", false));
}

TEST_CASE("unknown_adapter of a single-thread adapter does not wait for an incarnation") {
  const auto scene = make_scene(ThreadPolicyValue::SINGLE_THREAD_MODEL);
  Scene* const s = scene.get();
  bool making = false;  // guarded by the adapter's single thread
  s->child_maker->make = [s, &making](const PoaRef&, const std::string&) {
    making = true;
    s->first_entered.set_value();
    s->nested = s->ask_until_others_incarnate({2});
    making = false;
    return false;
  };
  s->incarnator->make = [&making](const ObjectId&) -> ServantRef {
    if (making) throw CORBA::NO_PERMISSION();
    return make_servant();
  };
  const Runner first([scene] {
    CHECK_THROWS_AS((void)scene->poa->find_POA("leaf", true), POA::AdapterNonExistent);
  });
  s->first_entered.get_future().wait();
  const Runner second([scene] { scene->second = scene->ask({2}); });
  REQUIRE(first.ends());
  REQUIRE(second.ends());
  CHECK(s->nested == "system TRANSIENT");
  CHECK(s->second == "reply");
}

TEST_CASE("upcalls of deactivated objects that call each other end") {
  const auto scene = make_scene(ThreadPolicyValue::ORB_CTRL_MODEL);
  Scene* const s = scene.get();
  const auto go_on = s->go_on.get_future().share();
  std::string answers[2];
  s->poa->activate_object_with_id({1}, make_servant([s, go_on, &answers](orb::ServerRequest&) {
                                    s->first_entered.set_value();
                                    go_on.wait();
                                    answers[0] = s->ask({2});
                                  }));
  s->poa->activate_object_with_id({2}, make_servant([s, go_on, &answers](orb::ServerRequest&) {
                                    s->second_entered.set_value();
                                    go_on.wait();
                                    answers[1] = s->ask({1});
                                  }));
  s->incarnator->make = [](const ObjectId&) { return make_servant(); };
  const Runner first([scene] { scene->first = scene->ask({1}); });
  const Runner second([scene] { scene->second = scene->ask({2}); });
  s->first_entered.get_future().wait();
  s->second_entered.get_future().wait();
  s->poa->deactivate_object({1});
  s->poa->deactivate_object({2});
  s->go_on.set_value();
  REQUIRE(first.ends());
  REQUIRE(second.ends());
  const bool one_gave_way = answers[0] == "system TRANSIENT" || answers[1] == "system TRANSIENT";
  CHECK(one_gave_way);
  CHECK(s->first == "reply");
  CHECK(s->second == "reply");
}
