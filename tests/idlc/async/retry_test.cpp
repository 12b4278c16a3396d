// Coroutines that repeat a refused call, like the servant in docs/async.md. Policies of
// asynchronous calls.
#include "deskAmiC.h"
#include "places.h"
#include "stockAsync.h"
#include "stockAsyncS.h"
#include <perigee/async.h>
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <utility>

namespace perigee::test {

namespace {

using namespace std::chrono_literals;

/// Refuses two requests of three.
class BusySink final : public CORBA::async_traits<Stock::Quoter>::base_type {
 public:
  task<int32_t> get_quote(std::string stock_name) override {
    if (stock_name.empty()) throw Stock::Invalid_Stock_Symbol();
    if (++requests_ % 3 != 0) throw CORBA::TRANSIENT();
    co_return static_cast<int32_t>(stock_name.size());
  }

 private:
  std::atomic<int> requests_ = 0;
};

class Quoter final : public CORBA::async_traits<Stock::Quoter>::base_type {
 public:
  Quoter(OrbRef orb, IDL::traits<Stock::Quoter>::ref_type sink)
      : orb_(std::move(orb)), sink_(std::move(sink)) {}

  perigee::task<int32_t> get_quote(std::string stock_name) override {
    const perigee::RetrySchedule schedule{.attempts_max = 3, .first_delay = 1ms};
    const auto attempt = [this, &stock_name] { return sink_->_async().get_quote(stock_name); };
    co_return co_await perigee::retry(orb_, attempt, schedule);
  }

 private:
  const OrbRef orb_;
  const IDL::traits<Stock::Quoter>::ref_type sink_;
};

task<int32_t> ask_in_time(IDL::traits<Stock::Quoter>::ref_type quoter) {
  const int32_t price = co_await with_timeout(quoter, 1min)->_async().get_quote("IBM");
  co_return price;
}

}  // namespace

TEST_CASE("a middle tier repeats its calls to a sink that refuses them, under each strategy") {
  const Places sinks("auto");
  const auto sink = sinks.both_ways<Stock::Quoter>(CORBA::make_reference<BusySink>()).back();
  for (const std::string strategy : {"auto", "thread-pool", "reactive", "reactor-per-core"}) {
    CAPTURE(strategy);
    const Places middle(strategy);
    const auto next = IDL::traits<Stock::Quoter>::narrow(
        middle.server->string_to_object(sinks.server->object_to_string(sink)));
    const auto quoter = CORBA::make_reference<Quoter>(middle.server, next);
    for (const auto& object : middle.both_ways<Stock::Quoter>(quoter)) {
      CHECK(object->get_quote("IBM") == 3);
      CHECK_THROWS_AS(object->get_quote(""), Stock::Invalid_Stock_Symbol);
    }
  }
}

TEST_CASE("a task of a client repeats its call on the loop of perigee::run") {
  const Places places("auto");
  for (const auto& object : places.both_ways<Stock::Quoter>(CORBA::make_reference<BusySink>())) {
    const auto quoter = CORBA::make_reference<Quoter>(places.client, object);
    CHECK(run(places.client, quoter->get_quote("IBM")) == 3);
  }
}

TEST_CASE("references for asynchronous calls get policies like all references") {
  static_assert(StubWithPolicies<Desk::BothAmiC>);
  const Places places("auto");
  const auto sink = places.both_ways<Stock::Quoter>(CORBA::make_reference<BusySink>()).back();
  const auto servant = CORBA::make_reference<Quoter>(places.server, sink);
  for (const auto& quoter : places.both_ways<Stock::Quoter>(servant))
    CHECK(run(places.client, ask_in_time(quoter)) == 3);
}

}  // namespace perigee::test
