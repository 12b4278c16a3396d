// The notices that IOR interceptors get of the creation, the states and the end of POAs.
#include "desk.h"

#include <algorithm>
#include <thread>

namespace perigee::test {

namespace {

using PortableServer::POA;
using PoaRef = CORBA::object_reference<POA>;

/// A server whose IOR interceptor records, and then acts.
struct Watched {
  explicit Watched(PlannedAdapter::Action action = nullptr,
                   const std::vector<std::string>& options = {})
      : orbs({.server_init =
                  [this, action = std::move(action)](const auto& info) {
                    for (const char* const name : {"adapter 1", "adapter 2"})
                      info->add_ior_interceptor(
                          CORBA::make_reference<PlannedAdapter>(name, log_, action));
                  }},
             Kind::plain, options) {
    log_ = &orbs.log;
  }
  [[nodiscard]] Lines lines() const {
    Lines lines;
    for (const std::string& line : orbs.log.lines())
      if (line.starts_with("adapter 1 ")) lines.push_back(line.substr(10));
    return lines;
  }

 private:
  Log* log_ = nullptr;

 public:
  DeskOrbs orbs;
};

}  // namespace

TEST_CASE("the points of IOR interceptors follow the life of a POA") {
  Watched server;
  const PoaRef parent = server.orbs.poa->create_POA("parent", nullptr, {});
  const PoaRef child = parent->create_POA("child", parent->the_POAManager(), {});
  CHECK(server.lines() == Lines{"establish_components", "components_established",
                                "establish_components", "components_established"});
  server.orbs.log.clear();
  const auto manager = parent->the_POAManager();
  manager->activate();
  manager->activate();  // no change
  manager->hold_requests(false);
  manager->discard_requests(false);
  manager->deactivate(false, false);
  CHECK(server.lines() ==
        Lines{"adapter_manager_state_changed 1", "adapter_manager_state_changed 0",
              "adapter_manager_state_changed 2", "adapter_manager_state_changed 3"});
  server.orbs.log.clear();
  parent->destroy(false, false);
  parent->destroy(false, false);
  CHECK(server.lines() == Lines{"adapter_state_changed 4 RootPOA parent child",
                                "adapter_state_changed 4 RootPOA parent"});
}

TEST_CASE("the points of two IOR interceptors run in the order of registration") {
  Watched server;
  (void)server.orbs.poa->create_POA("child", nullptr, {});
  CHECK(server.orbs.log.lines() ==
        Lines{"adapter 1 establish_components", "adapter 2 establish_components",
              "adapter 1 components_established", "adapter 2 components_established"});
}

TEST_CASE("if an IOR interceptor throws in a report, the other interceptors still get the report") {
  int number = 0;
  Watched server([&number](const std::string& point) {
    if (!point.starts_with("adapter_")) return;
    if (++number % 2 == 1) throw CORBA::NO_RESOURCES(99, CORBA::COMPLETED_NO);
    throw 1;
  });
  const PoaRef child = server.orbs.poa->create_POA("child", nullptr, {});
  server.orbs.log.clear();
  child->the_POAManager()->activate();
  child->destroy(false, false);
  CHECK(server.orbs.log.lines() == Lines{"adapter 1 adapter_manager_state_changed 1",
                                         "adapter 2 adapter_manager_state_changed 1",
                                         "adapter 1 adapter_state_changed 4 RootPOA child",
                                         "adapter 2 adapter_state_changed 4 RootPOA child"});
  CHECK(server.orbs.clerk->twice(1) == 2);
}

TEST_CASE("an IOR interceptor changes the manager, calls an object and destroys a POA in reports") {
  CORBA::object_reference<PortableServer::POAManager> manager;
  PoaRef destroyed;
  ClerkRef called;
  std::atomic<int> results{0};
  Watched server([&](const std::string& point) {
    if (point == "adapter_manager_state_changed" && manager) {
      manager->activate();  // at once after hold_requests
      if (const PoaRef other = std::exchange(destroyed, nullptr)) other->destroy(false, false);
    }
    if (point == "adapter_state_changed" && called) results += called->twice(1);
  });
  const PoaRef child = server.orbs.poa->create_POA("child", nullptr, {});
  destroyed = server.orbs.poa->create_POA("other", nullptr, {});
  child->the_POAManager()->activate();
  manager = child->the_POAManager();
  called = server.orbs.clerk;
  manager->hold_requests(false);
  CHECK(manager->get_state() == PortableServer::POAManager::State::ACTIVE);
  CHECK(results == 4);  // both interceptors have called
  manager = nullptr;
  called.reset();
}

TEST_CASE("IORInfo has the id of the manager that reports name, and its state") {
  class Ids final : public PortableInterceptor::IORInterceptor {
   public:
    std::string name() override { return "ids"; }
    void establish_components(Info info) override {
      made.push_back(info->manager_id());
      states.push_back(info->state());
    }
    void adapter_manager_state_changed(PortableInterceptor::AdapterManagerId id,
                                       PortableInterceptor::AdapterState) override {
      changed = id;
    }
    std::vector<PortableInterceptor::AdapterManagerId> made;
    std::vector<PortableInterceptor::AdapterState> states;
    PortableInterceptor::AdapterManagerId changed = 0;
  };
  const auto ids = CORBA::make_reference<Ids>();
  Ids& seen = static_cast<Ids&>(*ids);
  DeskOrbs orbs({.server_init = [&ids](const auto& info) { info->add_ior_interceptor(ids); }});
  const PoaRef child = orbs.poa->create_POA("child", orbs.poa->the_POAManager(), {});
  const PoaRef own = orbs.poa->create_POA("own", nullptr, {});
  REQUIRE(seen.made.size() == 3);
  CHECK(seen.made[0] == seen.made[1]);
  CHECK(seen.made[0] != seen.made[2]);
  CHECK(seen.states == std::vector<PortableInterceptor::AdapterState>{
                           PortableInterceptor::HOLDING, PortableInterceptor::ACTIVE,
                           PortableInterceptor::HOLDING});
  own->the_POAManager()->activate();
  CHECK(seen.changed == seen.made[2]);
}

TEST_CASE("an IOR interceptor cannot add components when all components are established") {
  class Late final : public PortableInterceptor::IORInterceptor {
   public:
    std::string name() override { return "late"; }
    void establish_components(Info info) override { info->add_ior_component({0x48000001, {1}}); }
    void components_established(Info info) override {
      const auto refused = [this](const auto& add) {
        try {
          add();
        } catch (const CORBA::BAD_INV_ORDER& exception) {
          if (exception.minor() == (CORBA::OMGVMCID | 14)) ++refusals;
        }
      };
      refused([&] { info->add_ior_component({0x48000002, {1}}); });
      refused(
          [&] { info->add_ior_component_to_profile({0x48000002, {1}}, IOP::TAG_INTERNET_IOP); });
    }
    int refusals = 0;
  };
  const auto late = CORBA::make_reference<Late>();
  DeskOrbs orbs({.server_init = [&late](const auto& info) { info->add_ior_interceptor(late); }});
  const int of_root = static_cast<Late&>(*late).refusals;
  CHECK(of_root == 2);
  (void)orbs.poa->create_POA("child", nullptr, {});
  CHECK(static_cast<Late&>(*late).refusals == 4);
}

TEST_CASE("the end of the Root POA is reported after that of its children") {
  Watched server;
  (void)server.orbs.poa->create_POA("child", nullptr, {});
  server.orbs.log.clear();
  server.orbs.poa->destroy(false, true);
  CHECK(server.lines() ==
        Lines{"adapter_state_changed 4 RootPOA child", "adapter_state_changed 4 RootPOA"});
}

TEST_CASE("POAs and managers that outlive their ORB report nothing") {
  int reports = 0;
  PoaRef kept;
  CORBA::object_reference<PortableServer::POAManager> manager;
  {
    Watched server([&reports](const std::string& point) {
      if (point.starts_with("adapter_")) ++reports;
    });
    kept = server.orbs.poa->create_POA("kept", nullptr, {});
    manager = kept->the_POAManager();
    manager->activate();  // the end of the ORB makes holding managers discard
    reports = 0;
  }
  CHECK(reports == 0);  // the interceptors end before the POAs
  manager->discard_requests(false);
  CHECK_THROWS_AS((void)kept->create_POA("child", nullptr, {}), CORBA::SystemException);
  kept->destroy(false, false);
  CHECK(reports == 0);
}

TEST_CASE("eight threads change managers and destroy POAs while interceptors get reports") {
  std::atomic<int> reports{0};
  Watched server([&reports](const std::string& point) {
    if (point.starts_with("adapter_")) ++reports;
  });
  const int before = reports;
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index)
    threads.emplace_back([&server, index] {
      for (int turn = 0; turn < 10; ++turn) {
        const PoaRef child = server.orbs.poa->create_POA(
            "child " + std::to_string(index) + " " + std::to_string(turn), nullptr, {});
        child->the_POAManager()->activate();
        child->destroy(false, true);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(reports - before == 8 * 10 * 2 * 2);
}

}  // namespace perigee::test
