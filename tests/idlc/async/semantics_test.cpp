// The remaining semantics of asynchronous servants and calls; semantics.md lists the tests.
#include "deskAmhS.h"
#include "deskAmiC.h"
#include "deskS.h"
#include "desk_servant.h"
#include "places.h"
#include <perigee/orb/messaging_policies.h>

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>

namespace perigee::test {

namespace {

template <typename Interface>
using Rh = typename CORBA::amh_traits<Interface>::response_handler_ref_type;
using Excep = IDL::traits<Messaging::ExceptionHolder>::ref_type;

template <typename Ami>
concept sends_tell = requires(Ami& object) { object.sendc_tell(nullptr, "", {}); };
template <typename Ami>
concept sends_stop = requires(Ami& object) { object.sendc_stop(nullptr); };
static_assert(sends_stop<Desk::RightAmiC> && !sends_tell<Desk::RightAmiC>);  // tell is a oneway

const std::string unsendable("a\0b", 3);  // no CDR string may have a NUL inside

/// Keeps the handlers of oneways, or lets another thread reply with them.
class Teller final : public CORBA::amh_traits<Desk::Right>::base_type {
 public:
  void tell(Rh<Desk::Right> handler, const std::string& text, const Desk::Orders&) override {
    if (text == "keep") {
      kept = handler;
      is_kept = true;
      is_kept.notify_all();
      return;
    }
    later().add([this, handler] {
      answered = true;
      handler->tell();
    });
  }
  void stop(Rh<Desk::Right>) override {}
  void ping(Rh<Desk::Base> handler) override { handler->ping(); }
  void get_name(Rh<Desk::Base> handler) override {
    CHECK_THROWS_AS(handler->get_name(unsendable), CORBA::BAD_PARAM);
    CHECK_THROWS_AS(handler->get_name("late"), CORBA::BAD_INV_ORDER);
  }

  std::atomic<bool> answered = false;
  std::atomic<bool> is_kept = false;
  Rh<Desk::Right> kept;
};

CORBA::object_reference<Desk::Right> with_scope(const CORBA::object_reference<Desk::Right>& object,
                                                Messaging::SyncScope scope) {
  const auto policy = CORBA::make_reference<Messaging::SyncScopePolicy>(scope);
  return IDL::traits<Desk::Right>::narrow(
      object->_set_policy_overrides({policy}, CORBA::SetOverrideType::SET_OVERRIDE));
}

/// Stores the thread that calls it.
class Local final : public CORBA::servant_traits<Desk::Base>::base_type {
 public:
  std::string name() override {
    thread = std::this_thread::get_id();
    return "local";
  }
  void ping() override { throw CORBA::NO_PERMISSION(); }

  std::thread::id thread;
};

/// Writes its results down.
class Listener final : public CORBA::amic_traits<Desk::Base>::replyhandler_base_type {
 public:
  void get_name(const std::string& ami_return_val) override { told += ami_return_val; }
  void get_name_excep(Excep holder) override { fail(holder); }
  void ping() override { told += "ping"; }
  void ping_excep(Excep holder) override { fail(holder); }

  std::string told;

 private:
  void fail(const Excep& holder) {
    try {
      holder->raise_exception();
    } catch (const CORBA::Exception& exception) {
      told += exception._name();
    }
  }
};

/// Returns a local object, which cannot be sent.
class Unsendable final : public DeskServant {
 public:
  task<exchange_results> exchange(CORBA::object_reference<Desk::Listener> other) override {
    co_return exchange_results(other, CORBA::make_reference<Listener>());
  }
};

/// Does not reply until the test releases it.
class Mute final : public CORBA::amh_traits<Desk::Base>::base_type {
 public:
  void get_name(Rh<Desk::Base>) override {}
  void ping(Rh<Desk::Base> handler) override {
    kept = handler;
    is_kept = true;
    is_kept.notify_all();
  }

  std::atomic<bool> is_kept = false;
  Rh<Desk::Base> kept;
};

}  // namespace

TEST_CASE("a oneway that waits for its target waits for its handler's reply") {
  const auto servant = CORBA::make_reference<Teller>();
  const Places places("thread-per-connection");
  const auto object = places.both_ways<Desk::Right>(servant).front();
  for (int round = 0; round != 5; ++round) {
    servant->answered = false;
    with_scope(object, Messaging::SYNC_WITH_TARGET)->tell("answer", {});
    CHECK(servant->answered);
  }
}

TEST_CASE("a oneway that waits for its server does not wait for its handler's reply") {
  const auto servant = CORBA::make_reference<Teller>();
  const Places places("thread-per-connection");
  const auto object = places.both_ways<Desk::Right>(servant).front();
  with_scope(object, Messaging::SYNC_WITH_SERVER)->tell("keep", {});
  servant->is_kept.wait(false);
  servant->kept = nullptr;
}

TEST_CASE("a reply that cannot be encoded raises an exception in its handler and in the client") {
  const auto servant = CORBA::make_reference<Teller>();
  const Places places("reactive");
  for (const auto& object : places.both_ways<Desk::Right>(servant)) {
    CHECK_THROWS_AS(object->name(), CORBA::BAD_PARAM);  // for a NUL
    object->ping();
  }
}

TEST_CASE("a coroutine's result that cannot be encoded raises MARSHAL for the client") {
  const auto servant = CORBA::make_reference<Unsendable>();
  const Places places("reactive");
  for (const auto& object : places.both_ways<Desk::Both>(servant)) {
    CORBA::object_reference<CORBA::Object> result;
    CHECK_THROWS_AS(object->exchange(nullptr, result), CORBA::MARSHAL);
    object->ping();
  }
}

TEST_CASE("an asynchronous call of a collocated object runs its servant in the caller") {
  const auto servant = CORBA::make_reference<Local>();
  const auto listener = CORBA::make_reference<Listener>();
  const Places places("thread-per-connection");
  const auto object =
      CORBA::amic_traits<Desk::Base>::narrow(places.both_ways<Desk::Base>(servant).back());
  object->sendc_get_name(listener);
  CHECK(servant->thread == std::this_thread::get_id());
  stub::drive_until(*places.server, [&] { return !listener->told.empty(); });
  CHECK(listener->told == "local");
  listener->told.clear();
  object->sendc_ping(listener);
  stub::drive_until(*places.server, [&] { return !listener->told.empty(); });
  CHECK(listener->told == "NO_PERMISSION");
}

TEST_CASE("a handler gets TIMEOUT at the end of its call's time limit") {
  const auto servant = CORBA::make_reference<Mute>();
  const auto listener = CORBA::make_reference<Listener>();
  const Places places("thread-per-connection");
  constexpr TimeBase::TimeT one_tenth = 1'000'000;  // of a second, in units of 100 ns
  const auto limit = CORBA::make_reference<Messaging::RelativeRoundtripTimeoutPolicy>(one_tenth);
  const auto object = CORBA::amic_traits<Desk::Base>::narrow(
      places.both_ways<Desk::Base>(servant).front()->_set_policy_overrides(
          {limit}, CORBA::SetOverrideType::SET_OVERRIDE));
  object->sendc_ping(listener);
  stub::drive_until(*places.client, [&] { return !listener->told.empty(); });
  CHECK(listener->told == "TIMEOUT");
  servant->is_kept.wait(false);
  servant->kept = nullptr;
}

}  // namespace perigee::test
