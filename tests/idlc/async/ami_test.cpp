// Generated asynchronous calls: all kinds of operations, their results and exceptions given to
// handlers.
#include "chosenAmiC.h"
#include "deskAmiC.h"
#include "desk_servant.h"
#include "places.h"
#include "support/log_lines.h"

#include <doctest/doctest.h>

#include <mutex>
#include <string>
#include <type_traits>

namespace perigee::test {

namespace {

using Traits = CORBA::amic_traits<Desk::Both>;

static_assert(std::is_same_v<Traits::ref_type, CORBA::object_reference<Desk::BothAmiC>>);
static_assert(std::is_base_of_v<Desk::AMI_BothHandler, Traits::replyhandler_base_type>);
static_assert(std::is_base_of_v<CORBA::amic_traits<Desk::Left>::replyhandler_base_type,
                                Traits::replyhandler_base_type>);
static_assert(std::is_base_of_v<Desk::Both, Desk::BothAmiC>);
static_assert(std::is_base_of_v<Desk::BaseAmiC, Desk::BothAmiC>);
static_assert(std::is_base_of_v<Messaging::ReplyHandler, Desk::AMI_BothHandler>);

/// The results that a handler got from the thread that drives the loop; another thread reads them.
class Told final {
 public:
  void operator+=(const std::string& text) {
    const std::lock_guard lock(mutex_);
    text_ += text;
  }
  [[nodiscard]] bool empty() const { return text().empty(); }
  [[nodiscard]] std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    text_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

/// Writes its results down.
class Handler final : public Traits::replyhandler_base_type {
 public:
  using Excep = IDL::traits<Messaging::ExceptionHolder>::ref_type;

  void get_name(const std::string& ami_return_val) override { told += "name=" + ami_return_val; }
  void get_name_excep(Excep holder) override { fail(holder); }
  void ping() override { told += "ping"; }
  void ping_excep(Excep holder) override { fail(holder); }
  void get_last(const Desk::Order& ami_return_val) override {
    told += "last=" + ami_return_val.symbol();
  }
  void get_last_excep(Excep holder) override { fail(holder); }
  void set_last() override { told += "set"; }
  void set_last_excep(Excep holder) override { fail(holder); }
  void turn(int64_t ami_return_val) override { told += std::to_string(ami_return_val); }
  void turn_excep(Excep holder) override { fail(holder); }
  void stop() override {
    told += "stop";
    throw CORBA::NO_MEMORY();  // is logged
  }
  void stop_excep(Excep holder) override { fail(holder); }
  void trade(int32_t ami_return_val, int32_t price, const Desk::Data& note,
             const Desk::Orders& all) override {
    told += std::to_string(ami_return_val) + ' ' + std::to_string(price) + ' ' +
            std::to_string(note.size()) + ' ' + std::to_string(all.size());
  }
  void trade_excep(Excep holder) override { fail(holder); }
  void exchange(CORBA::object_reference<Desk::Listener> ami_return_val,
                CORBA::object_reference<CORBA::Object> any_object) override {
    told += ami_return_val || any_object ? "objects" : "nil";
  }
  void exchange_excep(Excep holder) override { fail(holder); }
  void put() override { told += "put"; }
  void put_excep(Excep holder) override { fail(holder); }
  void keep() override { told += "keep"; }
  void keep_excep(Excep holder) override { fail(holder); }
  void greet(const std::string& ami_return_val) override { told += ami_return_val; }
  void greet_excep(Excep holder) override { fail(holder); }
  void only(const Desk::Order& result) override { told += result.symbol(); }
  void only_excep(Excep holder) override { fail(holder); }

  Told told;

 private:
  void fail(const Excep& holder) {
    try {
      holder->raise_exception();
    } catch (const Desk::Refused& refused) {
      told += "refused " + refused.why();
    } catch (const CORBA::Exception& exception) {
      told += exception._name();
    }
  }
};

/// Checks the results of one call in its handler, over TCP and within the process.
template <typename Call>
void check_told(const std::string& expected, Call&& call) {
  const auto servant = CORBA::make_reference<DeskServant>();
  const Places places("thread-per-connection");
  const auto objects = places.both_ways<Desk::Both>(servant);
  for (const bool is_remote : {true, false}) {
    CAPTURE(is_remote);
    const auto handler = CORBA::make_reference<Handler>();
    const auto object = Traits::narrow(objects[is_remote ? 0 : 1]);
    REQUIRE(object);
    call(*object, handler);
    stub::drive_until(*(is_remote ? places.client : places.server),
                      [&] { return !handler->told.empty(); });
    CHECK(handler->told.text() == expected);
  }
}

}  // namespace

TEST_CASE("results of all directions are given to the handler") {
  check_told("2 42 3 2", [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
    object.sendc_trade(handler, Desk::Order("B", 2), 21, {Desk::Order("A", 1)});
  });
  check_told("only5", [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
    object.sendc_only(handler, 5);
  });
  check_told("nil", [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
    object.sendc_exchange(handler, nullptr);
  });
}

TEST_CASE("attributes and inherited operations can be called asynchronously") {
  check_told("name=servant",
             [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
               object.sendc_get_name(handler);
             });
  check_told("set", [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
    object.sendc_set_last(handler, Desk::Order("C", 3));
  });
  check_told("-5", [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
    object.sendc_turn(handler, 5);
  });
}

TEST_CASE("an exception that a handler throws is logged with its operation") {
  LogLines lines(log::Level::warning);
  check_told("stop", [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
    object.sendc_stop(handler);
  });
  CHECK(lines.have("orb: stop: its reply handler has thrown NO_MEMORY"));
}

TEST_CASE("a call owns its arguments") {
  check_told("put", [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
    Desk::Data data = {1, 2, 3};
    std::string text = "put";
    object.sendc_put(handler, data, text);
    data.clear();
    text.clear();
  });
  check_told("you in Greek",
             [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
               const auto context = CORBA::make_reference<CORBA::Context>();
               context->set_one_value("language", "Greek");
               object.sendc_greet(handler, "you", context);
             });
}

TEST_CASE("exceptions are given to the handler in a holder") {
  check_told("refused negative",
             [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
               object.sendc_set_last(handler, Desk::Order("E", -1));
             });
  check_told("UNKNOWN", [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
    object.sendc_turn(handler, 0);  // an exception that the operation does not declare
  });
}

namespace {

/// A reply handler that is an object. Its own ORB calls it by the reference `here`, and a client's
/// ORB by the reference `there`.
struct HandlerObject {
  explicit HandlerObject(const Places& places)
      : handler(CORBA::make_reference<Handler>()), id(places.poa->activate_object(handler)) {
    const auto object = places.poa->id_to_reference(id);
    const std::string reference = places.server->object_to_string(object);
    here = Traits::replyhandler_traits::narrow(object);
    there = Traits::replyhandler_traits::narrow(places.client->string_to_object(reference));
  }

  CORBA::object_reference<Handler> handler;
  PortableServer::ObjectId id;
  Traits::replyhandler_ref_type here;
  Traits::replyhandler_ref_type there;
};

}  // namespace

TEST_CASE("a handler that is activated is an object, which gets results over the wire") {
  const Places places("thread-per-connection");
  const HandlerObject object(places);
  REQUIRE(object.there);
  CHECK(object.there->_is_a("IDL:omg.org/Messaging/ReplyHandler:1.0"));
  CHECK(object.there->_is_a("IDL:Desk/AMI_LeftHandler:1.0"));
  CHECK_FALSE(object.there->_is_a("IDL:Desk/Left:1.0"));
  object.there->turn(-5);
  object.there->trade(2, 42, {1, 2, 3}, {Desk::Order("A", 1)});
  CHECK(object.handler->told.text() == "-52 42 3 1");
}

TEST_CASE("exceptions sent to a handler object have the types that the called operation declares") {
  const Places places("thread-per-connection");
  const HandlerObject object(places);
  object.there->set_last_excep(
      stub::hold_exception(std::make_exception_ptr(Desk::Refused("tired", 3))));
  CHECK(object.handler->told.text() == "refused tired");
  object.handler->told.clear();
  object.there->turn_excep(
      stub::hold_exception(std::make_exception_ptr(Desk::Refused("no such", 3))));
  object.there->ping_excep(stub::hold_exception(std::make_exception_ptr(CORBA::NO_MEMORY(7))));
  CHECK(object.handler->told.text() == "UNKNOWNNO_MEMORY");
}

TEST_CASE("a reference to a handler object can be passed to calls instead of a handler") {
  const auto servant = CORBA::make_reference<DeskServant>();
  const Places places("thread-per-connection");
  const auto objects = places.both_ways<Desk::Both>(servant);
  const HandlerObject object(places);
  const auto sender = Traits::narrow(objects[0]);
  sender->sendc_turn(object.there, 5);
  stub::drive_until(*places.client, [&] { return !object.handler->told.empty(); });
  CHECK(object.handler->told.text() == "-5");
}

TEST_CASE("results of any size and in any number of pieces reach a handler object") {
  constexpr std::size_t many = 20'000;
  const auto servant = CORBA::make_reference<DeskServant>();
  for (const char* version : {"1.0", "1.1", "1.2"}) {
    CAPTURE(version);
    const Places places("thread-per-connection",
                        {"-ORBGiopVersion", version, "-ORBFragmentSize", "1024"});
    const auto objects = places.both_ways<Desk::Both>(servant);
    const HandlerObject object(places);
    const auto sender = Traits::narrow(objects[0]);
    sender->sendc_trade(object.there, Desk::Order("B", 2), 21,
                        Desk::Orders(many, Desk::Order("symbol", 1)));
    stub::drive_until(*places.client, [&] { return !object.handler->told.empty(); });
    const std::string size = std::to_string(many + 1);
    CHECK(object.handler->told.text() == size + " 42 3 " + size);
  }
}

TEST_CASE("an active handler lives as long as its object") {
  const Places places("thread-per-connection");
  HandlerObject object(places);
  const CORBA::weak_reference<Handler> weak = object.handler;
  object.handler.reset();
  object.here = nullptr;
  CHECK_FALSE(weak.expired());
  places.poa->deactivate_object(object.id);
  CHECK(weak.expired());
}

TEST_CASE("nil handlers drop the result, and synchronous calls work beside asynchronous ones") {
  check_told("ping", [](Desk::BothAmiC& object, const Traits::replyhandler_ref_type& handler) {
    object.sendc_ping(nullptr);
    CHECK(object.name() == "servant");
    object.sendc_ping(handler);
  });
}

TEST_CASE("the bases of a chosen interface can be called asynchronously, too") {
  static_assert(std::is_base_of_v<ClerkAmiC, ManagerAmiC>);
  static_assert(std::is_base_of_v<AMI_ClerkHandler, AMI_ManagerHandler>);
  CHECK(CORBA::amic_traits<Clerk>::narrow(CORBA::object_reference<CORBA::Object>()) == nullptr);
}

}  // namespace perigee::test
