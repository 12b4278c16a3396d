// The details of docs/migrating.md after the migration: unions, arrays, mutexes, time limits.
#include "bankS.h"
#include "weatherS.h"
#include <perigee/corba.h>
#include <perigee/ipc/sock.h>
#include <perigee/orb/policy_manager.h>
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

class Station_i : public CORBA::servant_traits<Weather::Station>::base_type {
 public:
  Weather::Grid temperatures() override {
    Weather::Grid grid = {};
    for (auto& row : grid) row.fill(20.5);
    return grid;
  }
  Weather::Reading latest(bool broken) override {
    Weather::Reading reading;
    if (broken)
      reading.failure("no sensor");
    else
      reading.degrees(20.5);
    return reading;
  }
};

std::string text_of(const Weather::Reading& reading) {
  std::ostringstream out;
  switch (reading._d()) {
    case 0:
      out << reading.degrees();
      break;
    case 1:
      out << reading.failure();
      break;
  }
  return out.str();
}

class Tickets {
 public:
  void add() {
    const std::lock_guard lock(mutex_);
    ++free_;
    changed_.notify_one();
  }
  void take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return free_ > 0; });
    --free_;
  }

 private:
  std::mutex mutex_;  // guards free_
  std::condition_variable changed_;
  int free_ = 0;
};

void limit_calls(const OrbRef& orb, std::chrono::milliseconds time) {
  auto manager = IDL::traits<CORBA::PolicyManager>::narrow(
      orb->resolve_initial_references("ORBPolicyManager"));
  manager->set_policy_overrides({perigee::make_timeout(time)},
                                CORBA::SetOverrideType::ADD_OVERRIDE);
}

}  // namespace

TEST_CASE("the arrays and unions of the migration guide are values") {
  std::vector<std::string> arguments;
  auto orb = CORBA::ORB_init(arguments, "weather");
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto station = CORBA::make_reference<Station_i>()->_this();

  Weather::Grid grid = station->temperatures();
  Weather::Grid copy = grid;
  copy[1][2] = 0;
  CHECK(grid[1][2] == 20.5);

  CHECK(text_of(station->latest(false)) == "20.5");
  Weather::Reading reading = station->latest(true);
  CHECK(text_of(reading) == "no sensor");
  CHECK_THROWS_AS((void)reading.degrees(), CORBA::BAD_PARAM);
  orb->destroy();
}

TEST_CASE("the mutex and the condition of the migration guide are those of the standard library") {
  Tickets tickets;
  tickets.add();
  tickets.take();
}

TEST_CASE("the time limits of the migration guide hold for a reference, and for an ORB") {
  const auto mute = perigee::ipc::sock::Acceptor::open(perigee::ipc::InetAddr::loopback(0));
  std::vector<std::string> arguments;
  auto orb = CORBA::ORB_init(arguments, "limits");
  auto account = IDL::traits<Bank::Account>::unchecked_narrow(
      orb->string_to_object("corbaloc::" + to_string(*mute->local_address()) + "/Account"));

  auto quick = perigee::with_timeout(account, 30ms);
  CHECK_THROWS_AS((void)quick->balance(), CORBA::TIMEOUT);
  limit_calls(orb, 30ms);
  CHECK_THROWS_AS((void)account->balance(), CORBA::TIMEOUT);
  orb->destroy();
}
