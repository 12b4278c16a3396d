// The states of objects that a servant activator makes, and the turns at the activator.
#include "poa/servant_activation.h"

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace perigee::poa;
using State = ServantActivation::State;
using Reason = ServantActivation::Reason;

namespace {

const auto* servant_at(int& place) {
  return reinterpret_cast<const PortableServer::Servant*>(&place);  // only compared
}

void begin_leaving(ServantActivation& activation, const std::string& id,
                   const PortableServer::Servant* servant, Reason reason) {
  activation.begin_leaving(ServantActivation::make_leaving_nodes(id, servant), reason);
}

bool needs_other_thread(const ServantActivation& activation, const std::string& id) {
  bool needs = false;
  std::thread([&] { needs = !activation.needs_this_thread(id); }).join();
  return needs;
}

}  // namespace

TEST_CASE("an object passes through incarnating, leaving and etherealizing") {
  int place = 0;
  const auto* const servant = servant_at(place);
  ServantActivation activation;
  CHECK(activation.state_of("a") == std::nullopt);
  activation.begin_incarnating("a");
  CHECK(activation.state_of("a") == State::incarnating);
  CHECK(activation.needs_this_thread("a"));
  CHECK(needs_other_thread(activation, "a"));
  CHECK(activation.check_invariants());
  activation.end("a");  // active: the map of the adapter has it
  CHECK(activation.state_of("a") == std::nullopt);
  begin_leaving(activation, "a", servant, Reason::cleanup);
  CHECK(activation.state_of("a") == State::leaving);
  CHECK_FALSE(activation.needs_this_thread("a"));
  CHECK(activation.check_invariants());
  const auto leaving = activation.begin_etherealizing("a", servant);
  REQUIRE(leaving);
  CHECK(leaving->reason == Reason::cleanup);
  CHECK_FALSE(leaving->servant_leaves_again);
  CHECK(activation.state_of("a") == State::etherealizing);
  CHECK(activation.needs_this_thread("a"));
  CHECK(activation.check_invariants());
  activation.end("a");
  CHECK(activation.state_of("a") == std::nullopt);
  CHECK(activation.check_invariants());
}

TEST_CASE("only an object that leaves with the servant is etherealized") {
  int place = 0;
  int other_place = 0;
  ServantActivation activation;
  CHECK_FALSE(activation.begin_etherealizing("a", servant_at(place)));
  activation.begin_incarnating("a");
  CHECK_FALSE(activation.begin_etherealizing("a", servant_at(place)));
  activation.end("a");
  begin_leaving(activation, "a", servant_at(place), Reason::deactivated);
  CHECK_FALSE(activation.begin_etherealizing("a", servant_at(other_place)));
  CHECK(activation.state_of("a") == State::leaving);
  CHECK(activation.begin_etherealizing("a", servant_at(place)));
  CHECK_FALSE(activation.begin_etherealizing("a", servant_at(place)));
}

TEST_CASE("a servant leaves again if another of its ids is still leaving") {
  int place = 0;
  const auto* const servant = servant_at(place);
  ServantActivation activation;
  begin_leaving(activation, "a", servant, Reason::deactivated);
  begin_leaving(activation, "b", servant, Reason::deactivated);
  CHECK(activation.check_invariants());
  CHECK(activation.begin_etherealizing("b", servant)->servant_leaves_again);
  CHECK_FALSE(activation.begin_etherealizing("a", servant)->servant_leaves_again);
  CHECK(activation.check_invariants());
}

TEST_CASE("one thread at a time has the turn at the activator, also in nested calls") {
  std::mutex mutex;
  ServantActivation activation;
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  const auto take_turns = [&] {
    for (int turn = 0; turn < 200; ++turn) {
      std::unique_lock lock(mutex);
      activation.begin_turn(lock);
      activation.begin_turn(lock);  // a nested call
      lock.unlock();
      if (inside.fetch_add(1) != 0) overlapped = true;
      std::this_thread::yield();
      inside.fetch_sub(1);
      lock.lock();
      activation.end_turn();
      activation.end_turn();
    }
  };
  std::vector<std::thread> threads;
  for (int count = 0; count < 3; ++count) threads.emplace_back(take_turns);
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(overlapped);
}

TEST_CASE("a transition needs the thread that has the turn at the activator") {
  int place = 0;
  std::mutex mutex;
  ServantActivation activation;
  begin_leaving(activation, "a", servant_at(place), Reason::deactivated);
  std::unique_lock lock(mutex);
  activation.begin_turn(lock);
  CHECK(activation.needs_this_thread("a"));
  CHECK(needs_other_thread(activation, "a"));
  CHECK_FALSE(activation.needs_this_thread("b"));  // not in transition
  activation.end_turn();
  CHECK_FALSE(activation.needs_this_thread("a"));
}

TEST_CASE("an object has replies to send until the last reply is sent") {
  ServantActivation activation;
  activation.begin_deferred("a");
  activation.begin_deferred("a");
  activation.end_deferred("a");
  CHECK(activation.has_deferred("a"));
  CHECK(activation.check_invariants());
  activation.end_deferred("a");
  CHECK_FALSE(activation.has_deferred("a"));
  CHECK(activation.check_invariants());
}
