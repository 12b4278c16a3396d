// Operations of CORBA::ORB that programs for TAOX11 use.
#include "two_orbs.h"
#include "valuesS.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <type_traits>

namespace {

using namespace std::chrono_literals;
using perigee::test::TwoOrbs;

class StoreImpl : public CORBA::servant_traits<Compat::Store>::base_type {
 public:
  Compat::Few trim(const Compat::Few& values) override { return values; }
  Compat::Couple marry(const Compat::Couple& ages) override { return ages; }
  Compat::Code tag(const Compat::Code& text) override { return text; }
};

}  // namespace

TEST_CASE("run returns after its duration, with and without threads of the server") {
  for (const std::string strategy : {"thread-per-connection", "reactive", "thread-pool"}) {
    CAPTURE(strategy);
    TwoOrbs orbs(strategy);
    const auto begin = std::chrono::steady_clock::now();
    orbs.server->run(20ms);
    orbs.client->run(20ms);
    const auto time = std::chrono::steady_clock::now() - begin;
    CHECK(time >= 40ms);
    CHECK(time < 20s);
  }
}

TEST_CASE("run with a duration serves requests, and returns when the ORB is shut down") {
  for (const std::string strategy : {"thread-per-connection", "reactive", "thread-pool"}) {
    CAPTURE(strategy);
    TwoOrbs orbs(strategy);
    const auto servant = CORBA::make_reference<StoreImpl>();
    const std::string url = orbs.server->object_to_string(
        orbs.poa->id_to_reference(orbs.poa->activate_object(servant)));
    std::thread caller([&] {
      const auto store = IDL::traits<Compat::Store>::narrow(orbs.client->string_to_object(url));
      CHECK(store->tag("abc") == "abc");
      orbs.server->shutdown();
    });
    orbs.server->run(std::chrono::hours(10));
    caller.join();
  }
}

TEST_CASE("perform_work waits for its duration if there is no work, and does not spin") {
  for (const std::string strategy : {"reactive", "thread-pool"}) {
    CAPTURE(strategy);
    TwoOrbs orbs(strategy);
    while (orbs.server->work_pending()) orbs.server->perform_work();
    const auto begin = std::chrono::steady_clock::now();
    int calls = 0;
    while (std::chrono::steady_clock::now() - begin < 50ms) {
      orbs.server->perform_work(50ms);
      orbs.client->perform_work(1ms);
      ++calls;
    }
    CHECK(calls < 20);
  }
}

TEST_CASE("a thread in perform_work takes over the loop that another thread leaves") {
  TwoOrbs orbs("reactive");
  const auto servant = CORBA::make_reference<StoreImpl>();
  const std::string url =
      orbs.server->object_to_string(orbs.poa->id_to_reference(orbs.poa->activate_object(servant)));
  std::atomic<bool> over{false};
  const auto work = [&] {
    while (!over) orbs.server->perform_work(std::chrono::hours(1));
  };
  std::thread first(work);
  std::thread second(work);
  const auto store = IDL::traits<Compat::Store>::narrow(orbs.client->string_to_object(url));
  for (int count = 0; count < 100; ++count) CHECK(store->tag("abc") == "abc");
  over = true;
  orbs.server->shutdown();  // ends the waits
  first.join();
  second.join();
}

TEST_CASE("run in an upcall of a reactive server raises BAD_INV_ORDER") {
  class Running : public StoreImpl {
   public:
    explicit Running(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(std::move(orb)) {}
    Compat::Code tag(const Compat::Code& text) override {
      orb_->run(1ms);
      return text;
    }

   private:
    IDL::traits<CORBA::ORB>::ref_type orb_;
  };
  TwoOrbs orbs("reactive");
  const auto servant = CORBA::make_reference<Running>(orbs.server);
  const std::string url =
      orbs.server->object_to_string(orbs.poa->id_to_reference(orbs.poa->activate_object(servant)));
  std::thread caller([&] {
    const auto store = IDL::traits<Compat::Store>::narrow(orbs.client->string_to_object(url));
    CHECK_THROWS_AS(store->tag("abc"), CORBA::BAD_INV_ORDER);
    orbs.server->shutdown();
  });
  orbs.server->run();
  caller.join();
}

TEST_CASE("perform_work with a duration serves requests") {
  TwoOrbs orbs("reactive");
  const auto servant = CORBA::make_reference<StoreImpl>();
  const std::string url =
      orbs.server->object_to_string(orbs.poa->id_to_reference(orbs.poa->activate_object(servant)));
  std::atomic<bool> over{false};
  std::thread caller([&] {
    const auto store = IDL::traits<Compat::Store>::narrow(orbs.client->string_to_object(url));
    CHECK(store->tag("abc") == "abc");
    over = true;
  });
  while (!over) orbs.server->perform_work(10ms);
  caller.join();
}

TEST_CASE("ORB has the nested names that programs for TAOX11 use") {
  static_assert(std::is_same_v<CORBA::ORB::InvalidName, CORBA::InvalidName>);
  static_assert(std::is_same_v<CORBA::ORB::ObjectId, std::string>);
  TwoOrbs orbs;
  const CORBA::ORB::ObjectIdList names = orbs.server->list_initial_services();
  CHECK(std::ranges::find(names, CORBA::ORB::ObjectId("RootPOA")) != names.end());
  CHECK_THROWS_AS(orbs.server->resolve_initial_references("Nothing"), CORBA::ORB::InvalidName);
}

TEST_CASE("a registered initial reference is unregistered, and others are not") {
  TwoOrbs orbs;
  const auto object =
      orbs.poa->id_to_reference(orbs.poa->activate_object(CORBA::make_reference<StoreImpl>()));
  orbs.server->register_initial_reference("Store", object);
  CHECK(orbs.server->unregister_initial_reference("Store")->_is_equivalent(object));
  CHECK_THROWS_AS(orbs.server->resolve_initial_references("Store"), CORBA::InvalidName);
  CHECK_THROWS_AS(orbs.server->unregister_initial_reference("Store"), CORBA::InvalidName);
  CHECK_THROWS_AS(orbs.server->unregister_initial_reference("RootPOA"), CORBA::InvalidName);
}

TEST_CASE("get_service_information returns false for every service") {
  TwoOrbs orbs;
  CORBA::ServiceInformation information;
  CHECK(!orbs.server->get_service_information(1, information));
  CHECK(information.service_options.empty());
}
