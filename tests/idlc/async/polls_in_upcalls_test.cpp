// Servants that poll in their upcalls: the thread that waits may serve its loop meanwhile.
#include "held_calls.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace perigee::test {

namespace {

using perigee::polling::wait_for_ever;

using PollerRef = CORBA::amic_traits<Polls::Desk>::poller_ref_type;
using DeskRef = CORBA::amic_traits<Polls::Desk>::ref_type;

/// Runs a function in each upcall.
class Asking final : public CORBA::servant_traits<Polls::Base>::base_type {
 public:
  explicit Asking(std::function<std::string()> ask) : ask_(std::move(ask)) {}

  std::string name() override { return ask_(); }
  void ping() override {}

 private:
  const std::function<std::string()> ask_;
};

std::string traded(const PollerRef& poller, std::uint32_t timeout) {
  int32_t result = 0;
  int32_t price = 0;
  Polls::Numbers all;
  poller->trade(timeout, result, price, all);
  return std::to_string(price);
}

/// A middle tier, whose servant asks the desk of `calls`.
class Middle final {
 public:
  Middle(const std::string& strategy, const HeldCalls& calls,
         std::function<std::string(const DeskRef&)> ask)
      : places_(strategy),
        desk_(CORBA::amic_traits<Polls::Desk>::narrow(places_.server->string_to_object(
            calls.places.client->object_to_string(calls.desk(HeldCalls::Side::remote))))),
        objects_(places_.both_ways<Polls::Base>(CORBA::make_reference<Asking>(
            [this, asked = std::move(ask)] { return asked(desk_); }))) {}

  [[nodiscard]] std::string ask() const { return objects_[0]->name(); }
  [[nodiscard]] const DeskRef& desk() const { return desk_; }

 private:
  Places places_;
  DeskRef desk_;
  std::vector<CORBA::object_reference<Polls::Base>> objects_;
};

template <typename Ask>
void check_in_upcalls(const Ask& ask) {
  for (const char* strategy : {"auto", "reactive", "thread-per-connection", "thread-pool"}) {
    CAPTURE(strategy);
    const HeldCalls calls("auto");
    const Middle middle(strategy, calls, ask);
    CHECK(middle.ask() == "42");
    CHECK(middle.ask() == "42");
  }
}

}  // namespace

TEST_CASE("a servant waits for a poller in its upcall") {
  check_in_upcalls(
      [](const DeskRef& desk) { return traded(desk->sendp_trade("gold", 21), wait_for_ever); });
}

TEST_CASE("a servant that asks with the time-out 0 again and again gets the reply") {
  check_in_upcalls([](const DeskRef& desk) {
    const PollerRef poller = desk->sendp_trade("gold", 21);
    while (!poller->is_ready(0)) std::this_thread::yield();
    return traded(poller, 0);
  });
}

TEST_CASE("a servant waits for a set in its upcall") {
  check_in_upcalls([](const DeskRef& desk) {
    const PollerRef first = desk->sendp_trade("gold", 20);
    const auto set = first->create_pollable_set();
    set->add_pollable(desk->sendp_trade("iron", 1));
    int32_t sum = 0;
    while (set->number_left() != 0)
      sum += std::stoi(traded(
          IDL::traits<Polls::AMI_AMI_DeskPoller>::narrow(set->get_ready_pollable(wait_for_ever)),
          0));
    return std::to_string(sum);
  });
}

TEST_CASE("a servant waits for a poller that another thread has made") {
  for (const char* strategy : {"auto", "reactive", "thread-per-connection", "thread-pool"}) {
    CAPTURE(strategy);
    const HeldCalls calls("auto");
    PollerRef handed;
    const Middle middle(strategy, calls,
                        [&handed](const DeskRef&) { return traded(handed, wait_for_ever); });
    handed = middle.desk()->sendp_trade("gold", 21);
    CHECK(middle.ask() == "42");
  }
}

}  // namespace perigee::test
