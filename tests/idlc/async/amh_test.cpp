// Generated asynchronous servants: all kinds of operations, answered on another thread.
#include "chosenAmhS.h"
#include "deskAmhS.h"
#include "deskS.h"
#include "places.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <type_traits>

namespace perigee::test {

namespace {

template <typename Interface>
using Rh = typename CORBA::amh_traits<Interface>::response_handler_ref_type;
template <typename Interface>
using Holder = typename CORBA::amh_traits<Interface>::exception_holder_type;

static_assert(std::is_same_v<CORBA::amh_traits<Desk::Both>::base_type, POA::Desk::AMH_Both>);
static_assert(
    std::is_same_v<Rh<Desk::Base>, CORBA::object_reference<Desk::AMH_BaseResponseHandler>>);
static_assert(std::is_base_of_v<Desk::AMH_BaseResponseHandler, Desk::AMH_BothResponseHandler>);
static_assert(std::is_base_of_v<POA::Desk::AMH_Base, POA::Desk::AMH_Both>);

const std::vector<std::string> strategies = {"auto", "thread-per-connection", "reactive"};

/// Replies to all requests on another thread.
class Both final : public CORBA::amh_traits<Desk::Both>::base_type {
 public:
  void get_name(Rh<Desk::Base> handler) override {
    later().add([handler] { handler->get_name("both"); });
  }
  void ping(Rh<Desk::Base> handler) override {
    later().add([handler] { handler->ping(); });
  }
  void get_last(Rh<Desk::Left> handler) override {
    later().add([handler, last = last_] { handler->get_last(last); });
  }
  void set_last(Rh<Desk::Left> handler, const Desk::Order& attr_last) override {
    if (attr_last.amount() < 0)
      return handler->set_last_excep(Holder<Desk::Left>(Desk::Refused("negative", 3)));
    last_ = attr_last;
    later().add([handler] { handler->set_last(); });
  }
  void turn(Rh<Desk::Left> handler, int32_t value) override {
    later().add([handler, value] { handler->turn(-int64_t{value}); });
  }
  void tell(Rh<Desk::Right> handler, const std::string& text, const Desk::Orders& all) override {
    told = static_cast<int>(text.size() + all.size());
    told.notify_all();
    handler->tell();  // the reply to a oneway is not sent
  }
  void stop(Rh<Desk::Right> handler) override {
    handler.reset();  // dropped
  }
  void trade(Rh<Desk::Both> handler, const Desk::Order& _cxx_what, int32_t price,
             const Desk::Orders& all) override {
    Desk::Orders more = all;
    more.push_back(_cxx_what);
    later().add([handler, more, price] {
      handler->trade(static_cast<int32_t>(more.size()), 2 * price, {1, 2, 3}, more);
    });
  }
  void exchange(Rh<Desk::Both> handler, CORBA::object_reference<Desk::Listener> other) override {
    later().add([handler, other] { handler->exchange(other, other); });
  }
  void put(Rh<Desk::Both> handler, pinned<uint8_t> data, pinned<char> text) override {
    if (data.size() == 3 && text == "put") return handler->put();
    throw CORBA::BAD_PARAM();
  }
  void keep(Rh<Desk::Both> handler, pinned<uint8_t> data) override {
    kept.assign(data.begin(), data.end());
    handler->keep();
  }
  void greet(Rh<Desk::Both> handler, const std::string& who,
             CORBA::object_reference<CORBA::Context> _context_) override {
    later().add([handler, who, _context_] {
      const CORBA::ContextValues values = _context_->get_values("", 0, "language");
      handler->greet(who + " in " + values.at("language"));
    });
  }

  void only(Rh<Desk::Both> handler, int32_t number) override {
    handler->only(Desk::Order("only", number));
  }

  std::atomic<int> told = 0;
  Desk::Data kept;

 private:
  Desk::Order last_;
};

/// Runs the test with an object over TCP and with an object in the process, under each strategy.
template <typename Test>
void everywhere(Test&& test) {
  for (const std::string& strategy : strategies) {
    CAPTURE(strategy);
    const auto servant = CORBA::make_reference<Both>();
    const Places places(strategy);
    for (const auto& object : places.both_ways<Desk::Both>(servant)) test(*object, *servant);
  }
}

}  // namespace

TEST_CASE("values of all directions come back in replies of another thread") {
  everywhere([](Desk::Both& object, Both&) {
    int32_t price = 21;
    Desk::Data note;
    Desk::Orders all = {Desk::Order("A", 1)};
    CHECK(object.trade(Desk::Order("B", 2), price, note, all) == 2);
    CHECK(price == 42);
    CHECK(note == Desk::Data{1, 2, 3});
    CHECK(all == Desk::Orders{Desk::Order("A", 1), Desk::Order("B", 2)});
  });
}

TEST_CASE("an out parameter may be the only result") {
  everywhere([](Desk::Both& object, Both&) {
    Desk::Order result;
    object.only(5, result);
    CHECK(result == Desk::Order("only", 5));
  });
}

TEST_CASE("attributes can be read and set, and inherited operations called") {
  everywhere([](Desk::Both& object, Both&) {
    object.ping();
    CHECK(object.name() == "both");
    object.last(Desk::Order("C", 3));
    CHECK(object.last() == Desk::Order("C", 3));
    CHECK(object.turn(5) == -5);
  });
}

TEST_CASE("references and contexts pass") {
  everywhere([](Desk::Both& object, Both&) {
    IDL::traits<CORBA::Object>::ref_type copy;
    CHECK_FALSE(object.exchange(nullptr, copy));
    CHECK_FALSE(copy);
    const auto context = CORBA::make_reference<CORBA::Context>();
    context->set_one_value("language", "Greek");
    CHECK(object.greet("you", context) == "you in Greek");
  });
}

TEST_CASE("arguments that an ordinary servant borrows are pinned") {
  everywhere([](Desk::Both& object, Both& servant) {
    object.put(Desk::Data{1, 2, 3}, "put");
    object.keep(Desk::Data{4, 5});
    CHECK(servant.kept == Desk::Data{4, 5});
    CHECK_THROWS_AS(object.put(Desk::Data(), "put"), CORBA::BAD_PARAM);
  });
}

TEST_CASE("a reply to a oneway is not sent to the client") {
  everywhere([](Desk::Both& object, Both& servant) {
    servant.told = 0;
    object.tell("word", {Desk::Order("D", 4)});
    servant.told.wait(0);
    CHECK(servant.told == 5);
    object.ping();  // the connection still works
  });
}

TEST_CASE("a handler that is dropped replies NO_RESPONSE") {
  everywhere([](Desk::Both& object, Both&) {
    CHECK_THROWS_AS(object.stop(), CORBA::NO_RESPONSE);
    object.ping();
  });
}

TEST_CASE("the exception of an exception holder is the reply, with its members") {
  everywhere([](Desk::Both& object, Both&) {
    try {
      object.last(Desk::Order("E", -1));
      FAIL("accepted");
    } catch (const Desk::Refused& refused) {
      CHECK(refused.why() == "negative");
      CHECK(refused.code() == 3);
    }
  });
}

TEST_CASE("clients cannot tell the servants apart") {
  everywhere([](Desk::Both& object, Both& servant) {
    for (const char* id : {"IDL:Desk/Both:1.0", "IDL:Desk/Left:1.0", "IDL:Desk/Base:1.0"})
      CHECK(object._is_a(id));
    CHECK_FALSE(object._is_a("IDL:Desk/AMH_Both:1.0"));
    CHECK_FALSE(object._non_existent());
    CHECK(servant._primary_interface() == "IDL:Desk/Both:1.0");
  });
}

namespace {

/// Ends each request in a different way.
class Odd final : public CORBA::amh_traits<Desk::Left>::base_type {
 public:
  void get_name(Rh<Desk::Base>) override { throw Desk::Unknown(); }  // not in raises
  void ping(Rh<Desk::Base> handler) override {
    // The handler is for another operation, and stays usable.
    CHECK_THROWS_AS(handler->get_name("wrong"), CORBA::BAD_OPERATION);
    CHECK_THROWS_AS(handler->get_name_excep(Holder<Desk::Base>(Desk::Unknown())),
                    CORBA::BAD_OPERATION);
    handler->ping();
    CHECK_THROWS_AS(handler->ping(), CORBA::BAD_INV_ORDER);
    CHECK_THROWS_AS(handler->ping_excep(Holder<Desk::Base>(CORBA::TRANSIENT())),
                    CORBA::BAD_INV_ORDER);
    throw CORBA::NO_MEMORY();  // too late
  }
  void get_last(Rh<Desk::Left> handler) override {
    // The handler has the functions of inherited operations, too, but it is for get_last.
    CHECK_THROWS_AS(handler->ping(), CORBA::BAD_OPERATION);
    handler->get_last_excep(Holder<Desk::Left>(std::make_exception_ptr(std::runtime_error("x"))));
  }
  void set_last(Rh<Desk::Left> handler, const Desk::Order&) override {
    handler->set_last_excep(Holder<Desk::Left>(Desk::Unknown()));  // not in raises
  }
  void turn(Rh<Desk::Left> handler, int32_t value) override {
    if (value == 0) throw Desk::Unknown();
    if (value == 1)
      return handler->turn_excep(Holder<Desk::Left>(std::make_exception_ptr(Desk::Unknown())));
    handler->turn_excep(Holder<Desk::Left>(CORBA::NO_PERMISSION(7, CORBA::COMPLETED_NO)));
  }
};

}  // namespace

TEST_CASE("exceptions are replied like those of ordinary servants") {
  for (const std::string& strategy : strategies) {
    const Places places(strategy);
    for (const auto& object : places.both_ways<Desk::Left>(CORBA::make_reference<Odd>())) {
      CHECK_THROWS_AS(object->name(), CORBA::UNKNOWN);
      CHECK_NOTHROW(object->ping());
      CHECK_THROWS_AS(object->last(), CORBA::UNKNOWN);
      CHECK_THROWS_AS(object->last(Desk::Order()), CORBA::UNKNOWN);
      CHECK_THROWS_AS(object->turn(0), Desk::Unknown);
      CHECK_THROWS_AS(object->turn(1), Desk::Unknown);
      CHECK_THROWS_AS(object->turn(2), CORBA::NO_PERMISSION);
    }
  }
}

TEST_CASE("an exception holder raises the exception that it was made from") {
  const Holder<Desk::Both> holder{Desk::Refused("why", 1)};
  const Holder<Desk::Both> copy = holder;
  CHECK_THROWS_AS(copy.raise_trade(), Desk::Refused);
  CHECK_THROWS_AS(Holder<Desk::Left>(std::make_exception_ptr(Desk::Unknown())).raise_turn(),
                  Desk::Unknown);
  const CORBA::Exception& transient = CORBA::TRANSIENT();
  CHECK_THROWS_AS(Holder<Desk::Left>(transient).raise_get_last(), CORBA::TRANSIENT);
}

namespace {

class ChosenManager final : public CORBA::amh_traits<Manager>::base_type {
 public:
  int32_t quick(int32_t a) override { return a + 1; }
  void slow(Rh<Clerk> handler, int32_t a) override {
    later().add([handler, a] { handler->slow(a + 2); });
  }
  void get_name(Rh<Clerk> handler) override { handler->get_name(name_); }
  void set_name(Rh<Clerk> handler, const std::string& attr_name) override {
    name_ = attr_name;
    handler->set_name();
  }
  int32_t number() override { return number_; }
  void number(int32_t _value) override { number_ = _value; }
  void manage(Rh<Manager> handler) override { handler->manage(); }

 private:
  std::string name_;
  int32_t number_ = 0;
};

}  // namespace

TEST_CASE("operations without AMH reply when they return") {
  for (const std::string& strategy : strategies) {
    const Places places(strategy);
    for (const auto& object : places.both_ways<Manager>(CORBA::make_reference<ChosenManager>())) {
      CHECK(object->quick(1) == 2);
      CHECK(object->slow(1) == 3);
      object->name("n");
      CHECK(object->name() == "n");
      object->number(4);
      CHECK(object->number() == 4);
      object->manage();
    }
  }
}

namespace {

/// An ordinary servant of an interface that also has asynchronous servants.
class Plain final : public CORBA::servant_traits<Desk::Base>::base_type {
 public:
  std::string name() override { return "plain"; }
  void ping() override {}
};

class Asynchronous final : public CORBA::amh_traits<Desk::Base>::base_type {
 public:
  void get_name(Rh<Desk::Base> handler) override { handler->get_name("asynchronous"); }
  void ping(Rh<Desk::Base> handler) override { handler->ping(); }
};

}  // namespace

TEST_CASE("ordinary and asynchronous servants of one interface share a POA") {
  const Places places("reactive");
  const auto plain = places.both_ways<Desk::Base>(CORBA::make_reference<Plain>());
  const auto servant = CORBA::make_reference<Asynchronous>();
  const auto asynchronous = places.both_ways<Desk::Base>(servant);
  for (std::size_t way = 0; way < 2; ++way) {
    CHECK(plain[way]->name() == "plain");
    CHECK(asynchronous[way]->name() == "asynchronous");
  }
  CHECK(servant->_this()->_is_equivalent(asynchronous[1]));
}

}  // namespace perigee::test
