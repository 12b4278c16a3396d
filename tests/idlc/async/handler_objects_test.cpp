// Reply handlers that are objects of another process. No thread waits while they are called.
#include "deskAmiC.h"
#include "desk_servant.h"
#include "places.h"
#include "support/log_lines.h"
#include <perigee/orb/metrics.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {

namespace {

using namespace std::chrono_literals;
using Traits = CORBA::amic_traits<Desk::Left>;
using Excep = IDL::traits<Messaging::ExceptionHolder>::ref_type;

/// Stores the values in order. Thread-safe.
class Remembering : public Traits::replyhandler_base_type {
 public:
  void get_name(const std::string& /*value*/) override {}
  void get_name_excep(Excep /*holder*/) override {}
  void ping() override {}
  void ping_excep(Excep /*holder*/) override {}
  void get_last(const Desk::Order& /*value*/) override {}
  void get_last_excep(Excep /*holder*/) override {}
  void set_last() override {}
  void set_last_excep(Excep holder) override { fail(holder); }
  void turn(int64_t value) override {
    wait();
    const std::lock_guard lock(mutex_);
    values_.push_back(value);
  }
  void turn_excep(Excep holder) override { fail(holder); }

  [[nodiscard]] std::vector<int64_t> values() const {
    const std::lock_guard lock(mutex_);
    return values_;
  }
  [[nodiscard]] std::string failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }
  /// Calls of `turn` wait for `let_go` from now on.
  void hold() { held_ = true; }
  void let_go(std::ptrdiff_t count = 1) { gate_.release(count); }
  std::counting_semaphore<> inside{0};

 private:
  void wait() {
    if (!held_) return;
    inside.release();
    (void)gate_.try_acquire_for(10s);
  }
  void fail(const Excep& holder) {
    const std::lock_guard lock(mutex_);
    try {
      holder->raise_exception();
    } catch (const Desk::Refused& refused) {
      failure_ = "refused " + refused.why();
    } catch (const CORBA::Exception& exception) {
      failure_ = exception._name();
    }
  }

  std::atomic<bool> held_{false};
  std::counting_semaphore<> gate_{0};
  mutable std::mutex mutex_;  // guards the members below
  std::vector<int64_t> values_;
  std::string failure_;
};

/// A handler object of the server, and a target there, both as seen by the client.
struct Sending {
  explicit Sending(std::vector<std::string> client_options = {},
                   std::vector<std::string> server_options = {},
                   const std::string& strategy = "thread-pool")
      : places(strategy, std::move(server_options), std::move(client_options)),
        remote(CORBA::make_reference<Remembering>()),
        local(CORBA::make_reference<Remembering>()),
        id(places.poa->activate_object(remote)) {
    const auto servant = CORBA::make_reference<DeskServant>();
    target = Traits::narrow(places.both_ways<Desk::Left>(servant).front());
    const auto object = places.poa->id_to_reference(id);
    handler = Traits::replyhandler_traits::narrow(
        places.client->string_to_object(places.server->object_to_string(object)));
  }
  template <typename Done>
  void drive(const Done& done) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    bool over = done();
    while (!over && std::chrono::steady_clock::now() < end) {
      places.client->perform_work();
      std::this_thread::yield();
      over = done();
    }
    CHECK(over);
  }
  [[nodiscard]] std::uint64_t failures() const {
    return places.client->_metrics().value("perigee_handler_calls_failed_total");
  }

  Places places;
  CORBA::object_reference<Remembering> remote;
  CORBA::object_reference<Remembering> local;
  PortableServer::ObjectId id;
  Traits::ref_type target;
  Traits::replyhandler_ref_type handler;
};

}  // namespace

TEST_CASE("a handler object that does not reply blocks neither the loop nor other handlers") {
  Sending sending;
  sending.remote->hold();
  sending.target->sendc_turn(sending.handler, 5);
  sending.drive([&] { return sending.remote->inside.try_acquire(); });
  sending.target->sendc_turn(sending.local, 7);
  sending.drive([&] { return !sending.local->values().empty(); });
  CHECK(sending.remote->values().empty());
  sending.remote->let_go();
  sending.drive([&] { return !sending.remote->values().empty(); });
  CHECK(sending.remote->values() == std::vector<int64_t>{-5});
  CHECK(sending.failures() == 0);
}

TEST_CASE("results reach a handler object in the order of the replies") {
  constexpr int count = 200;
  Sending sending({}, {}, "reactive");
  for (int value = 1; value <= count; ++value) sending.target->sendc_turn(sending.handler, value);
  sending.drive([&] { return sending.remote->values().size() == count; });
  std::vector<int64_t> expected;
  for (int value = 1; value <= count; ++value) expected.push_back(-value);
  CHECK(sending.remote->values() == expected);
}

TEST_CASE("exceptions of servants, and of calls without a reply, reach a handler object") {
  Sending sending;
  sending.target->sendc_set_last(sending.handler, Desk::Order("E", -1));
  sending.drive([&] { return !sending.remote->failure().empty(); });
  CHECK(sending.remote->failure() == "refused negative");
  const auto nowhere = stub::interface_traits<Desk::LeftAmiC>::unchecked_narrow(
      sending.places.client->string_to_object("corbaloc:iiop:1.2@127.0.0.1:1/nothing"));
  nowhere->sendc_turn(sending.handler, 1);
  sending.drive([&] { return sending.remote->failure() == "TRANSIENT"; });
}

TEST_CASE("a handler object that cannot be called is counted and logged") {
  LogLines lines(log::Level::warning);
  Sending sending;
  sending.places.poa->deactivate_object(sending.id);
  sending.target->sendc_turn(sending.handler, 5);
  sending.drive([&] { return sending.failures() == 1; });
  CHECK(lines.have("orb: turn: its reply handler was not called: OBJECT_NOT_EXIST"));
}

TEST_CASE("a call of a handler object has a time limit") {
  Sending sending({"-ORBHandlerCallTimeout", "30"});
  sending.remote->hold();
  sending.target->sendc_turn(sending.handler, 5);
  sending.drive([&] { return sending.failures() == 1; });
  sending.remote->let_go();
}

TEST_CASE("beyond the limits results are dropped, and later results pass when there is room") {
  std::vector<std::string> options{"-ORBHandlerCallsMax", "1"};
  SUBCASE("in number") {}
  SUBCASE("in octets") { options = {"-ORBHandlerCallsSizeMax", "1"}; }
  Sending sending(options);
  sending.remote->hold();
  sending.target->sendc_turn(sending.handler, 5);
  sending.drive([&] { return sending.remote->inside.try_acquire(); });
  sending.target->sendc_turn(sending.handler, 6);
  sending.drive([&] { return sending.failures() == 1; });
  sending.remote->let_go();
  sending.drive([&] { return sending.remote->values().size() == 1; });
  sending.remote->let_go(100);
  sending.drive([&] {
    sending.target->sendc_turn(sending.handler, 7);
    return sending.remote->values().size() > 1;
  });
  CHECK(sending.remote->values().front() == -5);
  CHECK(sending.remote->values().at(1) == -7);
}

TEST_CASE("a shutdown ends the calls of handler objects that do not reply") {
  Sending sending;
  sending.remote->hold();
  sending.target->sendc_turn(sending.handler, 5);
  sending.drive([&] { return sending.remote->inside.try_acquire(); });
  sending.places.client->shutdown(false);
  sending.remote->let_go();
}

}  // namespace perigee::test
