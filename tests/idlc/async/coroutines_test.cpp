// Generated servants of coroutines: all kinds of operations, resumed on another thread.
#include "chosenAsyncS.h"
#include "deskAsyncS.h"
#include "places.h"

#include <doctest/doctest.h>

#include <atomic>
#include <coroutine>
#include <type_traits>

namespace perigee::test {

namespace {

using Base = CORBA::async_traits<Desk::Both>::base_type;
using TradeResults = CORBA::async_traits<Desk::Both>::trade_results;

static_assert(std::is_same_v<TradeResults, Base::trade_results>);
static_assert(std::is_base_of_v<POA::Desk::ASYNC_Base, Base>);
static_assert(std::is_same_v<CORBA::async_traits<Desk::Both>::ref_type,
                             CORBA::servant_reference<POA::Desk::ASYNC_Both>>);

/// Resumes on the other thread.
class Switch final {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    later().add([waiting] { waiting.resume(); });
  }
  void await_resume() const noexcept {}
};

class Coroutines final : public Base {
 public:
  task<std::string> name() override {
    co_await Switch();
    co_return "coroutines";
  }
  task<void> ping() override { co_await Switch(); }
  task<Desk::Order> last() override { co_return last_; }
  task<void> last(Desk::Order _value) override {
    co_await Switch();
    if (_value.amount() < 0) throw Desk::Refused("negative", 3);
    last_ = _value;
  }
  task<int64_t> turn(int32_t value) override {
    if (value == 0) throw Desk::Refused("not in raises", 0);
    if (value == 1) throw CORBA::NO_PERMISSION();
    co_return -int64_t{value};
  }
  task<void> tell(std::string text, Desk::Orders all) override {
    co_await Switch();
    told = static_cast<int>(text.size() + all.size());
    told.notify_all();
  }
  task<void> stop() override { return {}; }  // not a coroutine
  task<trade_results> trade(Desk::Order _cxx_what, int32_t price, Desk::Orders all) override {
    co_await Switch();
    all.push_back(_cxx_what);
    trade_results results(static_cast<int32_t>(all.size()), 2 * price, {1, 2, 3}, all);
    co_return results;
  }
  task<exchange_results> exchange(CORBA::object_reference<Desk::Listener> other) override {
    co_await Switch();
    co_return exchange_results(other, other);
  }
  task<void> put(pinned<uint8_t> data, pinned<char> text) override {
    co_await Switch();
    if (data.size() != 3 || text != "put") throw CORBA::BAD_PARAM();
  }
  task<void> keep(pinned<uint8_t> data) override {
    co_await Switch();
    kept.assign(data.begin(), data.end());
  }
  task<std::string> greet(std::string who,
                          CORBA::object_reference<CORBA::Context> _context_) override {
    co_await Switch();
    const CORBA::ContextValues values = _context_->get_values("", 0, "language");
    co_return who + " in " + values.at("language");
  }
  task<Desk::Order> only(int32_t number) override { co_return Desk::Order("only", number); }

  std::atomic<int> told = 0;
  Desk::Data kept;

 private:
  Desk::Order last_;
};

template <typename Test>
void everywhere(Test&& test) {
  for (const std::string strategy : {"auto", "thread-per-connection", "reactive"}) {
    CAPTURE(strategy);
    const auto servant = CORBA::make_reference<Coroutines>();
    const Places places(strategy);
    for (const auto& object : places.both_ways<Desk::Both>(servant)) test(*object, *servant);
  }
}

}  // namespace

TEST_CASE("a coroutine's results are the reply: none, one, or several") {
  everywhere([](Desk::Both& object, Coroutines&) {
    object.ping();
    CHECK(object.name() == "coroutines");
    int32_t price = 21;
    Desk::Data note;
    Desk::Orders all = {Desk::Order("A", 1)};
    CHECK(object.trade(Desk::Order("B", 2), price, note, all) == 2);
    CHECK(price == 42);
    CHECK(note == Desk::Data{1, 2, 3});
    CHECK(all == Desk::Orders{Desk::Order("A", 1), Desk::Order("B", 2)});
    Desk::Order result;
    object.only(5, result);
    CHECK(result == Desk::Order("only", 5));
  });
}

TEST_CASE("attributes are coroutines, too") {
  everywhere([](Desk::Both& object, Coroutines&) {
    object.last(Desk::Order("C", 3));
    CHECK(object.last() == Desk::Order("C", 3));
  });
}

TEST_CASE("a coroutine's parameters are its own") {
  everywhere([](Desk::Both& object, Coroutines& servant) {
    object.put(Desk::Data{1, 2, 3}, "put");
    object.keep(Desk::Data{4, 5});
    CHECK(servant.kept == Desk::Data{4, 5});
    IDL::traits<CORBA::Object>::ref_type copy;
    CHECK_FALSE(object.exchange(nullptr, copy));
    const auto context = CORBA::make_reference<CORBA::Context>();
    context->set_one_value("language", "Greek");
    CHECK(object.greet("you", context) == "you in Greek");
  });
}

TEST_CASE("an exception that leaves a coroutine is replied like an ordinary servant's") {
  everywhere([](Desk::Both& object, Coroutines&) {
    try {
      object.last(Desk::Order("E", -1));
      FAIL("accepted");
    } catch (const Desk::Refused& refused) {
      CHECK(refused.why() == "negative");
    }
    CHECK_THROWS_AS(object.turn(0), CORBA::UNKNOWN);
    CHECK_THROWS_AS(object.turn(1), CORBA::NO_PERMISSION);
    CHECK(object.turn(2) == -2);
    CHECK_THROWS_AS(object.stop(), CORBA::UNKNOWN);
  });
}

TEST_CASE("a oneway starts a coroutine, and gets no reply at its end") {
  everywhere([](Desk::Both& object, Coroutines& servant) {
    servant.told = 0;
    object.tell("word", {Desk::Order("D", 4)});
    servant.told.wait(0);
    CHECK(servant.told == 5);
    object.ping();
  });
}

namespace {

class ChosenClerk final : public CORBA::async_traits<Clerk>::base_type {
 public:
  int32_t quick(int32_t a) override { return a + 1; }
  task<int32_t> slow(int32_t a) override { co_return a + 2; }
  task<std::string> name() override { co_return name_; }
  task<void> name(std::string _value) override {
    name_ = std::move(_value);
    co_return;
  }
  int32_t number() override { return 7; }
  void number(int32_t) override {}

 private:
  std::string name_;
};

}  // namespace

TEST_CASE("operations without coroutines are ordinary functions") {
  const Places places("reactive");
  for (const auto& object : places.both_ways<Clerk>(CORBA::make_reference<ChosenClerk>())) {
    CHECK(object->quick(1) == 2);
    CHECK(object->slow(1) == 3);
    object->name("n");
    CHECK(object->name() == "n");
    CHECK(object->number() == 7);
  }
}

}  // namespace perigee::test
