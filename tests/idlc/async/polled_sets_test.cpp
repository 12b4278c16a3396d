// Sets of pollers, reply handlers of pollers, and pollers that are dropped.
#include "held_calls.h"
#include "orb/server/raw_client.h"
#include "support/await_stop.h"
#include <perigee/orb/with_policies.h>
#include <perigee/poa/stop_token.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {

namespace {

using perigee::polling::wait_for_ever;

using PollerRef = CORBA::amic_traits<Polls::Desk>::poller_ref_type;
using SetRef = CORBA::object_reference<CORBA::PollableSet>;

const std::vector<std::string> strategies = {"auto", "reactive", "thread-per-connection",
                                             "thread-pool"};

int32_t result_of(const CORBA::valuetype_reference<CORBA::Pollable>& ready) {
  int32_t result = 0;
  const auto poller = IDL::traits<Polls::AMI_AMI_DeskPoller>::narrow(ready);
  poller->hold(0, result);
  return result;
}

/// Writes down what `hold` gives.
class HoldHandler : public CORBA::amic_traits<Polls::Desk>::replyhandler_base_type {
 public:
  using Excep = IDL::traits<Messaging::ExceptionHolder>::ref_type;

  void hold(int32_t ami_return_val) override { result = ami_return_val; }
  void hold_excep(Excep holder) override {
    try {
      holder->raise_exception();
    } catch (const Polls::Refused& refused) {
      result = -refused.code();
    } catch (const CORBA::Exception&) {
      result = -1;
    }
  }
  void get_name(const std::string&) override {}
  void get_name_excep(Excep) override {}
  void ping() override {}
  void ping_excep(Excep) override {}
  void turn(int64_t) override {}
  void turn_excep(Excep) override {}
  void trade(int32_t, int32_t, const Polls::Numbers&) override {}
  void trade_excep(Excep) override {}
  void get_limit(int32_t) override {}
  void get_limit_excep(Excep) override {}
  void set_limit() override {}
  void set_limit_excep(Excep) override {}
  void chain(CORBA::valuetype_reference<Polls::Item>) override {}
  void chain_excep(Excep) override {}
  void itself(CORBA::object_reference<Polls::Base>) override {}
  void itself_excep(Excep) override {}
  void fail() override {}
  void fail_excep(Excep) override {}
  void take() override {}
  void take_excep(Excep) override {}
  void is_ready(bool) override {}
  void is_ready_excep(Excep) override {}
  void operation_name(const std::string&, int32_t) override {}
  void operation_name_excep(Excep) override {}

  std::atomic<int32_t> result{0};
};

template <typename Poll>
void check_used_up(Poll&& poll) {
  try {
    poll();
    FAIL("the poller is not used up");
  } catch (const CORBA::OBJECT_NOT_EXIST& error) {
    CHECK(error.minor() == (CORBA::OMGVMCID | 5));
  }
}

}  // namespace

TEST_CASE("a set gives the pollers of a hundred calls as their replies come") {
  for (const std::string& strategy : strategies) {
    CAPTURE(strategy);
    const HeldCalls calls(strategy);
    const auto desk = calls.desk(HeldCalls::Side::remote);
    SetRef set;
    for (int32_t value = 0; value < 100; ++value) {
      const PollerRef poller = desk->sendp_hold(value);
      if (set)
        set->add_pollable(poller);
      else
        set = poller->create_pollable_set();
    }
    CHECK(set->number_left() == 100);
    CHECK_THROWS_AS(set->get_ready_pollable(0), CORBA::NO_RESPONSE);
    CHECK_THROWS_AS(set->get_ready_pollable(1), CORBA::TIMEOUT);
    std::thread answering([&] {
      for (int32_t value = 99; value >= 0; --value) calls.reply(value);
    });
    int32_t sum = 0;
    for (int32_t count = 0; count < 100; ++count)
      sum += result_of(set->get_ready_pollable(wait_for_ever));
    answering.join();
    CHECK(sum == 5050);
    CHECK(set->number_left() == 0);
    CHECK_THROWS_AS(set->get_ready_pollable(0), CORBA::PollableSet::NoPossiblePollable);
  }
}

TEST_CASE("a set gives the pollers of collocated calls as their replies come") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::collocated);
  const PollerRef first = desk->sendp_hold(1);
  const PollerRef second = desk->sendp_hold(2);
  const SetRef set = first->create_pollable_set();
  set->add_pollable(second);
  calls.reply(2);
  CHECK(set->get_ready_pollable(wait_for_ever) == second);
  calls.reply(1);
  CHECK(set->get_ready_pollable(wait_for_ever) == first);
}

TEST_CASE("threads add pollers to a set while others take and drop them") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::collocated);
  const auto set = CORBA::make_reference<CORBA::PollableSet>();
  constexpr int calls_of_thread = 2000;
  std::atomic<int> left{2 * calls_of_thread};
  const auto add = [&desk, &set] {
    for (int count = 0; count < calls_of_thread; ++count)
      set->add_pollable(desk->sendp_trade("gold", count));
  };
  const auto take = [&set, &left] {
    while (left > 0) {
      try {
        (void)set->get_ready_pollable(0);
        --left;
      } catch (const CORBA::PollableSet::NoPossiblePollable&) {
        std::this_thread::yield();
      } catch (const CORBA::NO_RESPONSE&) {
        std::this_thread::yield();
      }
    }
  };
  std::vector<std::thread> threads;
  for (int count = 0; count < 2; ++count) threads.emplace_back(add);
  for (int count = 0; count < 2; ++count) threads.emplace_back(take);
  for (std::thread& thread : threads) thread.join();
  CHECK(set->number_left() == 0);
}

TEST_CASE("a set waits for the whole time-out") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::collocated);  // holds the call at once
  const SetRef set = desk->sendp_hold(1)->create_pollable_set();
  const auto start = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(set->get_ready_pollable(3), CORBA::TIMEOUT);
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(3));
}

TEST_CASE("a thread that waits for a set sees that another thread empties the set") {
  const HeldCalls calls("auto");
  const PollerRef poller = calls.desk(HeldCalls::Side::remote)->sendp_hold(1);
  const SetRef set = poller->create_pollable_set();
  std::thread removing([&set, &poller, &calls] {
    calls.await(1);
    set->remove(poller);
  });
  CHECK_THROWS_AS(set->get_ready_pollable(wait_for_ever), CORBA::PollableSet::NoPossiblePollable);
  removing.join();
}

TEST_CASE("a set refuses pollables that it cannot wait for") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  const PollerRef poller = desk->sendp_hold(1);
  const SetRef set = poller->create_pollable_set();
  CHECK_THROWS_AS(set->add_pollable(nullptr), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(set->add_pollable(poller), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(set->add_pollable(calls.desk(HeldCalls::Side::collocated)->sendp_ping()),
                  CORBA::BAD_PARAM);
  CHECK_THROWS_AS((void)CORBA::make_reference<CORBA::PollableSet>()->create_dii_pollable(),
                  CORBA::BAD_INV_ORDER);
  const auto other = desk->sendp_ping();
  CHECK_THROWS_AS(set->remove(other), CORBA::PollableSet::UnknownPollable);
  other->ping(wait_for_ever);
  check_used_up([&] { set->add_pollable(other); });
  set->remove(poller);
  CHECK(set->number_left() == 0);
  CHECK_THROWS_AS(set->get_ready_pollable(wait_for_ever), CORBA::PollableSet::NoPossiblePollable);
}

TEST_CASE("a poller whose reply was taken leaves its set") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  const PollerRef poller = desk->sendp_hold(1);
  const SetRef set = poller->create_pollable_set();
  calls.reply(1);
  int32_t result = 0;
  poller->hold(wait_for_ever, result);
  CHECK_THROWS_AS(set->get_ready_pollable(wait_for_ever), CORBA::PollableSet::NoPossiblePollable);
  CHECK(set->number_left() == 0);
}

TEST_CASE("a handler that is set before the reply has come gets the reply") {
  const HeldCalls calls("auto");
  for (const auto side : {HeldCalls::Side::remote, HeldCalls::Side::collocated}) {
    const auto desk = calls.desk(side);
    const auto handler = CORBA::make_reference<HoldHandler>();
    const PollerRef poller = desk->sendp_hold(7);
    CHECK(!poller->associated_handler());
    poller->associated_handler(handler);
    CHECK(poller->associated_handler() == handler);
    int32_t result = 0;
    check_used_up([&] { poller->hold(wait_for_ever, result); });
    calls.reply(7);
    check_used_up([&] { (void)poller->is_ready(wait_for_ever); });
    const auto& orb = side == HeldCalls::Side::remote ? calls.places.client : calls.places.server;
    stub::drive_until(*orb, [&] { return handler->result == 8; });
    CHECK(handler->result == 8);
    CHECK_FALSE(poller->associated_handler());  // else a handler with the poller would be a cycle
  }
}

TEST_CASE("a handler that is set after the reply has come is called at once") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  const auto handler = CORBA::make_reference<HoldHandler>();
  const PollerRef poller = desk->sendp_hold(7);
  calls.refuse(7);
  CHECK(poller->is_ready(wait_for_ever));
  poller->associated_handler(handler);
  CHECK(handler->result == -7);
  CHECK_FALSE(poller->associated_handler());
  int32_t result = 0;
  check_used_up([&] { poller->hold(0, result); });
}

TEST_CASE("a poller's handler can be removed; a handler of another interface is refused") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  const auto handler = CORBA::make_reference<HoldHandler>();
  const PollerRef poller = desk->sendp_hold(7);
  poller->associated_handler(handler);
  poller->associated_handler(nullptr);
  class Other final : public CORBA::amic_traits<Polls::AMI_DeskPoller>::replyhandler_base_type {};
  CHECK_THROWS_AS(poller->associated_handler(CORBA::make_reference<Other>()), CORBA::BAD_PARAM);
  calls.reply(7);
  int32_t result = 0;
  poller->hold(wait_for_ever, result);
  CHECK(result == 8);
  CHECK(handler->result == 0);
}

TEST_CASE("a handler gets the reply of a poller that the program has dropped") {
  const HeldCalls calls("auto");
  const auto handler = CORBA::make_reference<HoldHandler>();
  calls.desk(HeldCalls::Side::remote)->sendp_hold(7)->associated_handler(handler);
  calls.reply(7);
  stub::drive_until(*calls.places.client, [&] { return handler->result != 0; });
  CHECK(handler->result == 8);
}

TEST_CASE("a handler that is an object of another process gets the reply") {
  const HeldCalls calls("auto");
  const auto handler = CORBA::make_reference<HoldHandler>();
  const auto id = calls.places.poa->activate_object(handler);
  const std::string text =
      calls.places.server->object_to_string(calls.places.poa->id_to_reference(id));
  const auto object =
      IDL::traits<Polls::AMI_DeskHandler>::narrow(calls.places.client->string_to_object(text));
  for (const bool is_early : {true, false}) {
    CAPTURE(is_early);
    handler->result = 0;
    const PollerRef poller = calls.desk(HeldCalls::Side::remote)->sendp_hold(7);
    if (is_early) poller->associated_handler(object);
    calls.reply(7);
    if (!is_early) CHECK(poller->is_ready(wait_for_ever));
    if (!is_early) poller->associated_handler(object);
    while (handler->result == 0) calls.places.client->perform_work(std::chrono::milliseconds(1));
    CHECK(handler->result == 8);
  }
  calls.places.poa->deactivate_object(id);
}

namespace {

/// Asks in each call whether a poller is ready, until the next call of the chain has come.
class NestingHandler final : public HoldHandler {
 public:
  NestingHandler(CORBA::amic_traits<Polls::Desk>::ref_type desk, PollerRef waiting)
      : desk_(std::move(desk)), waiting_(std::move(waiting)) {}

  void ping() override {
    const int depth = ++depth_;
    is_deep = depth == depth_limit;
    if (is_deep) return;
    desk_->sendc_ping(CORBA::object_reference<Polls::AMI_DeskHandler>(counted(*this)));
    try {
      while (!refused && !is_deep && depth_ == depth) (void)waiting_->is_ready(0);
    } catch (const CORBA::NO_RESOURCES&) {
      refused = true;
    }
  }

  static constexpr int depth_limit = 1000;
  std::atomic<bool> refused{false};
  std::atomic<bool> is_deep{false};

 private:
  const CORBA::amic_traits<Polls::Desk>::ref_type desk_;
  const PollerRef waiting_;
  std::atomic<int> depth_{0};
};

}  // namespace

TEST_CASE("handlers that ask with the time-out 0 nest only down to a limit") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  const auto handler = CORBA::make_reference<NestingHandler>(desk, desk->sendp_hold(1));
  desk->sendc_ping(handler);
  stub::drive_until(*calls.places.client, [&] { return handler->refused || handler->is_deep; });
  CHECK(handler->refused);
}

TEST_CASE("the release of the last reference to a poller cancels its call") {
  for (const auto side : {HeldCalls::Side::remote, HeldCalls::Side::collocated}) {
    const HeldCalls calls("auto");
    PollerRef poller = calls.desk(side)->sendp_hold(7);
    const auto handler = calls.take(7);
    const std::stop_token stop = perigee::stop_token_of(handler);
    CHECK_FALSE(stop.stop_requested());
    poller.reset();
    await_stop(stop);
    handler->hold(0);
  }
}

TEST_CASE("several threads wait for one poller, and one of them takes the reply") {
  for (const std::string& strategy : strategies) {
    CAPTURE(strategy);
    const HeldCalls calls(strategy);
    const PollerRef poller = calls.desk(HeldCalls::Side::remote)->sendp_hold(7);
    std::atomic<int> taken{0};
    std::atomic<int> refused{0};
    const auto take = [&poller, &taken, &refused] {
      try {
        (void)poller->is_ready(wait_for_ever);
        int32_t result = 0;
        poller->hold(wait_for_ever, result);
        ++taken;
      } catch (const CORBA::OBJECT_NOT_EXIST&) {
        ++refused;
      }
    };
    std::vector<std::thread> threads;
    for (int count = 0; count < 4; ++count) threads.emplace_back(take);
    calls.reply(7);
    for (std::thread& thread : threads) thread.join();
    CHECK(taken == 1);
    CHECK(refused == 3);
  }
}

TEST_CASE("the death of the server ends the calls of pollers") {
  const OrbRef orb = make_orb();
  {
    RawServer server;
    const auto object = orb->string_to_object(server.reference());
    const auto desk = CORBA::amic_traits<Polls::Desk>::unchecked_narrow(object);
    const PollerRef poller = desk->sendp_hold(7);
    std::thread dying([&server] {
      RawClient connection = server.accept();
      (void)connection.reply();  // reads the request
    });
    int32_t result = 0;
    CHECK_THROWS_AS(poller->hold(wait_for_ever, result), CORBA::SystemException);
    CHECK_FALSE(poller->is_from_poller());
    dying.join();
  }
  orb->destroy();
}

TEST_CASE("the time limit of a policy ends the call, not only the wait") {
  const HeldCalls calls("auto");
  for (const auto side : {HeldCalls::Side::remote, HeldCalls::Side::collocated}) {
    const auto desk = perigee::with_timeout(calls.desk(side), std::chrono::milliseconds(1));
    const PollerRef poller = desk->sendp_hold(static_cast<int32_t>(side));
    int32_t result = 0;
    CHECK_THROWS_AS(poller->hold(wait_for_ever, result), CORBA::TIMEOUT);
    CHECK_FALSE(poller->is_from_poller());
    check_used_up([&] { poller->hold(0, result); });
  }
}

TEST_CASE("a poller follows forwards") {
  const HeldCalls first("auto");
  const HeldCalls second("auto");
  const auto target = first.places.server->string_to_object(
      second.places.client->object_to_string(second.desk(HeldCalls::Side::remote)));
  for (const auto side : {HeldCalls::Side::remote, HeldCalls::Side::collocated}) {
    CAPTURE(static_cast<int>(side));
    const PollerRef poller = first.desk(side)->sendp_hold(7);
    std::thread answering([&] {
      first.take(7)->hold_excep(PolledDesk::Holder<Polls::Desk>(
          std::make_exception_ptr(PortableServer::ForwardRequest(target))));
      second.reply(7);
    });
    int32_t result = 0;
    poller->hold(wait_for_ever, result);
    answering.join();
    CHECK(result == 8);
  }
}

TEST_CASE("a servant that drops its response handler ends the call of the poller") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  const PollerRef poller = desk->sendp_hold(7);
  (void)calls.take(7);
  int32_t result = 0;
  CHECK_THROWS_AS(poller->hold(wait_for_ever, result), CORBA::NO_RESPONSE);
  CHECK_FALSE(poller->is_from_poller());
}

}  // namespace perigee::test
