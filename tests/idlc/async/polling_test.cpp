// Generated pollers: results and exceptions of all kinds, time-outs, handlers that are set later,
// and several calls in flight. The servant replies to `hold` when the test asks for it.
#include "held_calls.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {

namespace {

using perigee::polling::wait_for_ever;

using DeskPoller = CORBA::amic_traits<Polls::Desk>::poller_ref_type;
static_assert(std::is_same_v<DeskPoller, IDL::traits<Polls::AMI_AMI_DeskPoller>::ref_type>);
static_assert(std::is_base_of_v<Polls::AMI_LeftPoller, Polls::AMI_AMI_DeskPoller>);
static_assert(std::is_base_of_v<Messaging::Poller, Polls::AMI_BasePoller>);

const std::vector<std::string> strategies = {"auto", "reactive", "thread-per-connection",
                                             "thread-pool"};

/// Runs a check with an object over TCP, and with an object of the same process.
template <typename Check>
void both_ways(const HeldCalls& calls, Check&& check) {
  for (const bool is_remote : {true, false}) {
    CAPTURE(is_remote);
    check(*calls.desk(is_remote ? HeldCalls::Side::remote : HeldCalls::Side::collocated));
  }
}

template <typename Exception, typename Poll>
Exception exception_of(Poll&& poll) {
  try {
    poll();
  } catch (const Exception& exception) {
    return exception;
  }
  FAIL("no exception of the expected type");
  std::terminate();
}

template <typename Poll>
std::uint32_t minor_of_used_up(Poll&& poll) {
  return exception_of<CORBA::OBJECT_NOT_EXIST>(poll).minor();
}

}  // namespace

TEST_CASE("a poller gives the results of all directions") {
  for (const std::string& strategy : strategies) {
    CAPTURE(strategy);
    const HeldCalls calls(strategy);
    both_ways(calls, [](Polls::DeskAmiC& desk) {
      const auto poller = desk.sendp_trade("gold", 21);
      int32_t result = 0;
      int32_t price = 0;
      Polls::Numbers all = {7};
      poller->trade(wait_for_ever, result, price, all);
      CHECK(result == 4);
      CHECK(price == 42);
      CHECK(all == Polls::Numbers{21, 42});
      CHECK_FALSE(poller->is_from_poller());
    });
  }
}

TEST_CASE("attributes, inherited operations, references and values can be polled") {
  const HeldCalls calls("auto");
  both_ways(calls, [](Polls::DeskAmiC& desk) {
    std::string name;
    desk.sendp_get_name()->get_name(wait_for_ever, name);
    CHECK(name == "desk");
    desk.sendp_ping()->ping(wait_for_ever);
    int64_t turned = 0;
    desk.sendp_turn(5)->turn(wait_for_ever, turned);
    CHECK(turned == -5);
    int32_t limit = 0;
    desk.sendp_set_limit(9)->set_limit(wait_for_ever);
    desk.sendp_get_limit()->get_limit(wait_for_ever, limit);
    CHECK(limit == 9);
    CORBA::object_reference<Polls::Base> itself;
    desk.sendp_itself()->itself(wait_for_ever, itself);
    REQUIRE(itself);
    CHECK(itself->name() == "desk");
  });
}

TEST_CASE("a poller gives values, with cycles, to the program") {
  const HeldCalls calls("auto");
  both_ways(calls, [](Polls::DeskAmiC& desk) {
    const auto first = CORBA::make_reference<OBV_Polls::Item>(1, nullptr);
    first->next(first);
    CORBA::valuetype_reference<Polls::Item> got;
    const auto poller = desk.sendp_chain(first);
    poller->chain(wait_for_ever, got);
    first->next(nullptr);
    REQUIRE(got);
    CHECK(got->number() == 1);
    CHECK(got->next() == got);
    got->next(nullptr);
  });
}

TEST_CASE("operations whose names pollers use themselves get a prefix") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  bool is_ready = false;
  desk->sendp_is_ready(3)->ami_is_ready(wait_for_ever, is_ready);
  CHECK(is_ready);
  std::string name;
  int32_t timeout = 0;
  const auto poller = desk->sendp_operation_name(3);
  CHECK(poller->operation_name() == "operation_name");
  poller->ami_operation_name(wait_for_ever, name, timeout);
  CHECK(name == "3");
  CHECK(timeout == 4);
}

TEST_CASE("a poller raises the exceptions that a synchronous call would raise") {
  const HeldCalls calls("auto");
  both_ways(calls, [](Polls::DeskAmiC& desk) {
    int64_t turned = 0;
    const auto refused = desk.sendp_turn(0);
    CHECK(exception_of<Polls::Refused>([&] { refused->turn(wait_for_ever, turned); }).code() == 3);
    CHECK_FALSE(refused->is_from_poller());
    const auto limit = desk.sendp_set_limit(-1);
    CHECK(exception_of<Polls::Refused>([&] { limit->set_limit(wait_for_ever); }).why() ==
          "negative");
    const auto unlisted = desk.sendp_fail(0);
    CHECK_THROWS_AS(unlisted->fail(wait_for_ever), CORBA::UNKNOWN);
    const auto system = desk.sendp_fail(1);
    const auto error = exception_of<CORBA::BAD_PARAM>([&] { system->fail(wait_for_ever); });
    CHECK(error.minor() == 77);
    CHECK(error.completed() == CORBA::COMPLETED_YES);
    CHECK_FALSE(system->is_from_poller());
  });
}

TEST_CASE("time-outs of pollers: 0 does not wait, other times pass") {
  for (const std::string& strategy : strategies) {
    CAPTURE(strategy);
    const HeldCalls calls(strategy);
    both_ways(calls, [&](Polls::DeskAmiC& desk) {
      const auto poller = desk.sendp_hold(1);
      int32_t result = 0;
      CHECK_THROWS_AS((void)poller->is_from_poller(), CORBA::BAD_INV_ORDER);
      CHECK_FALSE(poller->is_ready(0));
      CHECK_FALSE(poller->is_ready(1));
      const auto none = exception_of<CORBA::NO_RESPONSE>([&] { poller->hold(0, result); });
      CHECK(none.minor() == (CORBA::OMGVMCID | 1));
      CHECK(poller->is_from_poller());
      const auto late = exception_of<CORBA::TIMEOUT>([&] { poller->hold(1, result); });
      CHECK(late.minor() == (CORBA::OMGVMCID | 1));
      calls.reply(1);
      CHECK(poller->is_ready(wait_for_ever));
      CHECK(poller->is_ready(0));
      poller->hold(0, result);
      CHECK(result == 2);
      CHECK_FALSE(poller->is_from_poller());
    });
  }
}

TEST_CASE("a program that asks with the time-out 0 again and again gets the reply") {
  const HeldCalls calls("auto");
  both_ways(calls, [&](Polls::DeskAmiC& desk) {
    const auto poller = desk.sendp_hold(4);
    std::thread answering([&] { calls.reply(4); });
    while (!poller->is_ready(0)) std::this_thread::yield();
    answering.join();
    int32_t result = 0;
    poller->hold(0, result);
    CHECK(result == 5);
  });
}

TEST_CASE("a reply is delivered once") {
  const HeldCalls calls("auto");
  both_ways(calls, [](Polls::DeskAmiC& desk) {
    const auto poller = desk.sendp_turn(1);
    int64_t turned = 0;
    poller->turn(wait_for_ever, turned);
    constexpr std::uint32_t used_up = CORBA::OMGVMCID | 5;
    CHECK(minor_of_used_up([&] { poller->turn(wait_for_ever, turned); }) == used_up);
    CHECK(poller->is_from_poller());
    CHECK(minor_of_used_up([&] { (void)poller->is_ready(0); }) == used_up);
    CHECK(minor_of_used_up([&] { (void)poller->create_pollable_set(); }) == used_up);
    CHECK(minor_of_used_up([&] { poller->associated_handler(nullptr); }) == used_up);
  });
}

TEST_CASE("a poller refuses the operations of other calls") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  int32_t result = 0;
  int32_t limit = 0;
  const auto poller = desk->sendp_get_limit();
  CHECK_THROWS_AS(poller->hold(wait_for_ever, result), CORBA::BAD_OPERATION);
  CHECK(poller->is_from_poller());
  CHECK_THROWS_AS(poller->set_limit(wait_for_ever), CORBA::BAD_OPERATION);
  poller->get_limit(wait_for_ever, limit);
  CHECK(limit == 8);
}

TEST_CASE("a poller knows its object and its operation") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  const auto poller = desk->sendp_get_limit();
  CHECK(poller->operation_name() == "_get_limit");
  CHECK(poller->operation_target()->_is_equivalent(desk));
  CHECK(IDL::traits<Messaging::Poller>::narrow(poller) == poller);
  CHECK(IDL::traits<Polls::AMI_LeftPoller>::narrow(poller) == poller);
}

TEST_CASE("several calls are in flight, and their replies come in any order") {
  for (const std::string& strategy : strategies) {
    CAPTURE(strategy);
    const HeldCalls calls(strategy);
    both_ways(calls, [&](Polls::DeskAmiC& desk) {
      std::vector<DeskPoller> pollers;
      for (int32_t value = 0; value < 8; ++value) pollers.push_back(desk.sendp_hold(value));
      for (const int32_t value : {3, 0, 7, 5, 1, 2, 6, 4}) {
        calls.reply(value);
        int32_t result = 0;
        pollers[static_cast<std::size_t>(value)]->hold(wait_for_ever, result);
        CHECK(result == value + 1);
      }
    });
  }
}

TEST_CASE("marshalling a poller is refused, and the poller stays usable") {
  const HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  const auto poller = desk->sendp_turn(1);
  const auto error = exception_of<CORBA::MARSHAL>([&] { desk->take(poller); });
  CHECK(error.minor() == (CORBA::OMGVMCID | 4));
  CHECK(error.completed() == CORBA::COMPLETED_NO);
  int64_t turned = 0;
  poller->turn(wait_for_ever, turned);
  CHECK(turned == -1);
}

TEST_CASE("a reply that has come can be taken after the end of the ORB") {
  const HeldCalls calls("auto");
  auto desk = calls.desk(HeldCalls::Side::remote);
  const auto name = desk->sendp_get_name();
  const auto itself = desk->sendp_itself();
  CHECK(name->is_ready(wait_for_ever));
  CHECK(itself->is_ready(wait_for_ever));
  desk.reset();
  calls.places.client->destroy();
  std::string text;
  name->get_name(0, text);
  CHECK(text == "desk");
  CORBA::object_reference<Polls::Base> object;
  itself->itself(0, object);
  CHECK(object);
}

TEST_CASE("the end of the ORB ends the calls of pollers") {
  HeldCalls calls("auto");
  const auto desk = calls.desk(HeldCalls::Side::remote);
  const auto poller = desk->sendp_hold(1);
  calls.await(1);
  calls.places.client->shutdown(true);
  int32_t result = 0;
  CHECK_THROWS_AS(poller->hold(wait_for_ever, result), CORBA::BAD_INV_ORDER);
  CHECK_THROWS_AS((void)desk->sendp_hold(2), CORBA::BAD_INV_ORDER);
}

}  // namespace perigee::test
