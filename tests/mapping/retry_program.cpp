// The program of docs/policies.md that repeats calls.
#include "bankS.h"
#include <perigee/corba.h>
#include <perigee/orb/retry.h>
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using AccountRef = IDL::traits<Bank::Account>::ref_type;

// Refuses its first two requests.
class Busy final : public CORBA::servant_traits<Bank::Account>::base_type {
 public:
  double balance() override {
    if (++requests_ <= 2) throw CORBA::TRANSIENT();
    return 100;
  }
  void withdraw(double) override {}
  Bank::Entries history() override { return {}; }

 private:
  int requests_ = 0;
};

double patient_balance(const AccountRef& account, perigee::Sleeper& sleeper) {
  const auto quick = perigee::with_timeout(account, 2s);  // for each attempt
  const perigee::RetrySchedule schedule{
      .attempts_max = 8, .first_delay = 50ms, .delay_max = 1s, .time_max = 10s};
  return perigee::retry([&] { return quick->balance(); }, schedule, sleeper);
}

class TestSleeper final : public perigee::Sleeper {
 public:
  [[nodiscard]] perigee::TimePoint now() const noexcept override { return now_; }
  void sleep(perigee::Duration time) override { now_ += time; }

 private:
  perigee::TimePoint now_;
};

}  // namespace

TEST_CASE("the program of docs/policies.md repeats a call that the server refuses at first") {
  std::vector<std::string> arguments;
  auto orb = CORBA::ORB_init(arguments, "retry");
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const AccountRef account = CORBA::make_reference<Busy>()->_this();

  TestSleeper sleeper;
  const auto before = sleeper.now();
  CHECK(patient_balance(account, sleeper) == 100);
  CHECK(sleeper.now() - before >= 75ms);  // two delays: 50 and 100 ms, each shortened by up to half
  CHECK(sleeper.now() - before <= 150ms);
  orb->destroy();
}
