// Generated calls that coroutines await: all kinds of operations, their results and exceptions,
// stopped calls, and the middle tier of docs/mapping.md.
#include "chosenAsync.h"
#include "deskAmiC.h"
#include "deskAsync.h"
#include "desk_servant.h"
#include "places.h"
#include "stockAsync.h"
#include "stockAsyncS.h"
#include <perigee/async/run.h>
#include <perigee/orb/messaging_policies.h>

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <stop_token>
#include <string>
#include <type_traits>

namespace perigee::test {

namespace {

using BothRef = CORBA::object_reference<Desk::Both>;
using Traits = CORBA::async_traits<Desk::Both>;

static_assert(std::is_same_v<decltype(BothRef()->_async()), Traits::client_type>);
static_assert(std::is_same_v<Traits::client_type, Desk::BothAsync>);
static_assert(std::is_base_of_v<Desk::BaseAsync, Desk::BothAsync>);
static_assert(std::is_same_v<decltype(BothRef()->_async().ping()), call<void>>);
static_assert(std::is_same_v<decltype(BothRef()->_async().turn(1)), call<int64_t>>);
static_assert(std::is_same_v<Traits::trade_results, Desk::BothAsync::trade_results>);
static_assert(std::is_same_v<Traits::trade_results, Traits::base_type::trade_results>);
static_assert(std::is_same_v<Traits::base_type, POA::Desk::ASYNC_Both>);
// Operations that ordinary servants implement can be awaited, too.
static_assert(
    std::is_same_v<decltype(CORBA::object_reference<Clerk>()->_async().quick(1)), call<int32_t>>);

/// Runs a task with an object over TCP and with an object in the process.
template <typename Servant = DeskServant, typename Work>
void both_ways(Work work) {
  const auto servant = CORBA::make_reference<Servant>();
  for (const std::string strategy : {"auto", "thread-per-connection", "reactive"}) {
    CAPTURE(strategy);
    const Places places(strategy);
    const auto objects = places.both_ways<Desk::Both>(servant);
    run(places.client, work(objects[0]));
    run(places.server, work(objects[1]));
  }
}

task<void> check_results(BothRef object) {
  co_await object->_async().ping();
  Desk::Orders all;
  all.push_back(Desk::Order("A", 1));
  Desk::Order order("B", 2);
  Desk::BothAsync::trade_results traded =
      co_await object->_async().trade(std::move(order), 21, std::move(all));
  CHECK(traded.return_value() == 2);
  CHECK(traded.price() == 42);
  CHECK(traded.note() == Desk::Data{1, 2, 3});
  REQUIRE(traded.all().size() == 2);
  CHECK(traded.all()[1].symbol() == "B");
  const Desk::Order only = co_await object->_async().only(5);
  CHECK(only.symbol() == "only5");
  Traits::exchange_results exchanged = co_await object->_async().exchange(nullptr);
  CHECK_FALSE(exchanged.return_value());
  CHECK_FALSE(exchanged.any_object());
}

task<void> check_inherited(BothRef object) {
  const std::string name = co_await object->_async().name();
  CHECK(name == "servant");
  Desk::Order order("C", 3);
  co_await object->_async().last(std::move(order));
  const Desk::Order last = co_await object->_async().last();
  CHECK(last.amount() == 3);
  const CORBA::object_reference<Desk::Left> base = object;
  const int64_t turned = co_await base->_async().turn(5);
  CHECK(turned == -5);
}

task<void> check_arguments(BothRef object) {
  call<void> put;
  call<std::string> greeted;
  {
    Desk::Data data = {1, 2, 3};
    const auto context = CORBA::make_reference<CORBA::Context>();
    context->set_one_value("language", "Greek");
    put = object->_async().put(data, "put");
    greeted = object->_async().greet("you", context);
    data.clear();
  }
  const std::string greeting = co_await greeted;
  CHECK(greeting == "you in Greek");
  co_await put;
}

task<std::string> refused(call<void> started) {
  try {
    co_await started;
  } catch (const Desk::Refused& refused) {
    co_return refused.why();
  }
  co_return "accepted";
}

task<std::string> failure(call<int64_t> started) {
  try {
    co_await started;
  } catch (const CORBA::SystemException& exception) {
    co_return exception._name();
  }
  co_return "answered";
}

task<void> check_exceptions(BothRef object) {
  Desk::Order negative("E", -1);
  const std::string why = co_await refused(object->_async().last(std::move(negative)));
  CHECK(why == "negative");
  const std::string name = co_await failure(object->_async().turn(0));
  CHECK(name == "UNKNOWN");  // the operation does not declare this exception
}

/// Counts its calls, and replies to `turn(1)` when `turn(2)` has come.
class Meeting : public DeskServant {
 public:
  task<void> tell(std::string text, Desk::Orders all) override {
    told = static_cast<int>(text.size() + all.size());
    told.notify_all();
    co_return;
  }
  task<int64_t> turn(int32_t value) override {
    if (value == 2) second_.complete();
    if (value == 1) co_await second_;
    co_return -value;
  }

  std::atomic<int> told = 0;

 private:
  completion<> second_;
};

task<std::string> name_of(BothRef object) {
  std::string name = co_await object->_async().name();
  co_return name;
}

task<int64_t> both_turns(BothRef object) {
  call<int64_t> first = object->_async().turn(1);
  call<int64_t> second = object->_async().turn(2);
  const int64_t a = co_await first;
  const int64_t b = co_await second;
  co_return a + b;
}

/// Replies to `turn` when the call is stopped.
class Patient : public DeskServant {
 public:
  task<int64_t> turn(int32_t value) override {
    const std::stop_token stop = co_await stop_token_of_this_task();
    completion<> over;
    arrived = true;
    arrived.notify_all();
    const std::stop_callback on_stop(stop, [&over] { over.complete(); });
    co_await over;
    stopped = true;
    stopped.notify_all();
    co_return value;
  }

  std::atomic<bool> arrived = false;
  std::atomic<bool> stopped = false;
};

template <typename Servant>
BothRef remote(const Places& places, const CORBA::servant_reference<Servant>& servant) {
  return places.both_ways<Desk::Both>(servant).front();
}

}  // namespace

TEST_CASE("a task awaits the results of an operation: none, one, or several") {
  both_ways(check_results);
}

TEST_CASE("attributes and inherited operations can be awaited") { both_ways(check_inherited); }

TEST_CASE("a call that a task awaits owns its arguments, borrowed ones too") {
  both_ways(check_arguments);
}

TEST_CASE("co_await throws the exception of an operation, and UNKNOWN for an undeclared one") {
  both_ways(check_exceptions);
}

TEST_CASE("calls that are started one after the other run at the same time") {
  const auto servant = CORBA::make_reference<Meeting>();
  const Places places("thread-per-connection");
  CHECK(run(places.client, both_turns(remote(places, servant))) == -3);
}

TEST_CASE("a call begins without being awaited, and a thread can wait for it") {
  const auto servant = CORBA::make_reference<DeskServant>();
  const Places places("reactive");
  for (const auto& object : places.both_ways<Desk::Both>(servant)) {
    CHECK(object->_async().name().get() == "servant");
    CHECK(object->_async().turn(4).get() == -4);
  }
}

TEST_CASE("a oneway ends when it is sent") {
  const auto servant = CORBA::make_reference<Meeting>();
  const Places places("thread-per-connection");
  const BothRef object = remote(places, servant);
  object->_async().tell("word", {Desk::Order("D", 4)}).get();
  servant->told.wait(0);
  CHECK(servant->told == 5);
}

TEST_CASE("calls through a stub for reply handlers can be awaited, too") {
  const auto servant = CORBA::make_reference<DeskServant>();
  const Places places("thread-per-connection");
  const auto object = CORBA::amic_traits<Desk::Both>::narrow(remote(places, servant));
  CHECK(object->_async().name().get() == "servant");
}

TEST_CASE("a call holds its reference") {
  const auto servant = CORBA::make_reference<Meeting>();
  const Places places("thread-per-connection");
  BothRef object = remote(places, servant);
  call<int64_t> started = object->_async().turn(1);
  object.reset();
  CHECK(run(places.server, servant->turn(2)) == -2);
  CHECK(started.get() == -1);
}

TEST_CASE("a stop request ends a task's call, and reaches the servant's coroutine") {
  const auto servant = CORBA::make_reference<Patient>();
  const Places places("thread-per-connection");
  const BothRef object = remote(places, servant);
  std::stop_source stop;
  const std::jthread stopper([&] {
    servant->arrived.wait(false);
    stop.request_stop();
  });
  CHECK(run(places.client, failure(object->_async().turn(1)), stop.get_token()) == "NO_RESPONSE");
  servant->stopped.wait(false);
}

TEST_CASE("dropping a call cancels it") {
  const auto servant = CORBA::make_reference<Patient>();
  const Places places("thread-per-connection");
  const BothRef object = remote(places, servant);
  {
    const call<int64_t> dropped = object->_async().turn(1);
    const call<std::string> other = object->_async().name();
    stub::drive_until(*places.client, [&] { return other.is_over(); });
    servant->arrived.wait(false);
  }
  CHECK(object->_async().name().get() == "servant");  // sends the CancelRequest
  servant->stopped.wait(false);
}

TEST_CASE("a time limit ends a call, and the servant's coroutine gets a stop request") {
  const auto servant = CORBA::make_reference<Patient>();
  const Places places("thread-per-connection");
  constexpr TimeBase::TimeT one_tenth = 1'000'000;  // of a second, in units of 100 ns
  const auto limit = CORBA::make_reference<Messaging::RelativeRoundtripTimeoutPolicy>(one_tenth);
  const BothRef object = IDL::traits<Desk::Both>::narrow(
      remote(places, servant)
          ->_set_policy_overrides({limit}, CORBA::SetOverrideType::SET_OVERRIDE));
  CHECK(run(places.client, failure(object->_async().turn(1))) == "TIMEOUT");
  servant->stopped.wait(false);
}

TEST_CASE("the loop of a reactive server resumes calls of threads that do not wait for them") {
  const Places sinks("thread-per-connection");
  const auto servant = CORBA::make_reference<DeskServant>();
  const std::string reference =
      sinks.server->object_to_string(sinks.both_ways<Desk::Both>(servant).back());
  for (int round = 0; round != 10; ++round) {  // each makes a connection
    const Places caller("reactive");
    const auto object = IDL::traits<Desk::Both>::narrow(caller.server->string_to_object(reference));
    std::promise<std::string> told;
    const auto ended = [](void* context, async::outcome<std::string>& name) noexcept {
      static_cast<std::promise<std::string>*>(context)->set_value(name.take());
    };
    async::start(name_of(object), &told, ended);
    CHECK(told.get_future().get() == "servant");
  }
}

TEST_CASE("nil cannot be called") {
  const BothRef nil;
  CHECK_THROWS_AS(static_cast<void>(nil->_async()), CORBA::INV_OBJREF);
}

namespace {

class Sink final : public CORBA::async_traits<Stock::Quoter>::base_type {
 public:
  task<int32_t> get_quote(std::string stock_name) override {
    if (stock_name.empty()) throw Stock::Invalid_Stock_Symbol();
    co_return static_cast<int32_t>(stock_name.size());
  }
};

class Quoter final : public CORBA::async_traits<Stock::Quoter>::base_type {
 public:
  explicit Quoter(IDL::traits<Stock::Quoter>::ref_type sink) : sink_(std::move(sink)) {}
  perigee::task<int32_t> get_quote(std::string stock_name) override {
    co_return co_await sink_->_async().get_quote(std::move(stock_name));
  }

 private:
  IDL::traits<Stock::Quoter>::ref_type sink_;
};

}  // namespace

TEST_CASE("a middle tier is a coroutine that awaits the next server") {
  const Places sinks("thread-per-connection");
  const auto sink = sinks.both_ways<Stock::Quoter>(CORBA::make_reference<Sink>()).back();
  for (const std::string strategy :
       {"auto", "thread-per-connection", "thread-pool", "reactive", "reactor-per-core"}) {
    CAPTURE(strategy);
    const Places middle(strategy);
    const auto next = IDL::traits<Stock::Quoter>::narrow(
        middle.server->string_to_object(sinks.server->object_to_string(sink)));
    const auto quoter = CORBA::make_reference<Quoter>(next);
    for (const auto& object : middle.both_ways<Stock::Quoter>(quoter)) {
      CHECK(object->get_quote("IBM") == 3);
      CHECK_THROWS_AS(object->get_quote(""), Stock::Invalid_Stock_Symbol);
    }
  }
}

}  // namespace perigee::test
