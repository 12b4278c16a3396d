// Asynchronous calls that begin in upcalls of loops that several threads serve.
#include "orb/act.h"
#include "orb/async/deferring_sink.h"
#include "orb/async/observers.h"
#include "orb/server/server_fixture.h"
#include "orb/values/system_exceptions.h"
#include "support/await_condition.h"
#include "support/refusing_port.h"
#include <perigee/base/clock.h>
#include <perigee/orb/inherited_time_limit.h>
#include <perigee/orb/orb.h>
#include <perigee/poa/answer.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace perigee::test {
namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
using stub::CallHandle;
using namespace std::chrono_literals;

/// The strategies whose loops several threads serve, in turn.
ThreadStrategy each_shared_strategy() {
  ThreadStrategy strategy = ThreadStrategy::automatic;
  SUBCASE("auto") {}
  SUBCASE("thread-per-connection") { strategy = ThreadStrategy::thread_per_connection; }
  SUBCASE("thread-pool") { strategy = ThreadStrategy::thread_pool; }
  return strategy;
}

orb::Settings settings_of(ThreadStrategy strategy) {
  orb::Settings settings = server_settings(strategy);
  settings.threads = strategy == ThreadStrategy::thread_pool ? 2 : settings.threads;
  return settings;
}

/// A server that runs functions of a test in its upcalls.
class Middle {
 public:
  explicit Middle(ThreadStrategy strategy) : Middle(settings_of(strategy)) {}
  explicit Middle(orb::Settings settings)
      : server_(std::move(settings), [this](orb::ServerRequest& request) {
          request.end_of_arguments();
          work_();
          request.reply(nullptr);
        }) {}

  /// Returns when the upcall has ended. All these upcalls belong to the same loop, since their
  /// requests come over one connection.
  void in_upcall(const std::function<void()>& work) {
    if (!client_) client_.emplace(server_.endpoint);
    work_ = work;
    (void)client_->call({.key = server_.key});
    work_ = nullptr;
  }
  /// Closes the connection of the upcalls.
  void drop_client() noexcept { client_.reset(); }
  /// Runs `work` in two upcalls at the same time, if the server has two threads.
  void in_two_upcalls(const std::function<void()>& work) {
    work_ = work;
    const auto call = [this] { (void)RawClient(server_.endpoint).call({.key = server_.key}); };
    std::thread other(call);
    call();
    other.join();
    work_ = nullptr;
  }
  [[nodiscard]] ObjectRef object_of(const ServerFixture& sink) const {
    return core().make_object(sink.object->_reference()->ior());
  }
  [[nodiscard]] orb::OrbCore& core() const { return server_.orb.core(); }
  [[nodiscard]] ServerFixture& server() noexcept { return server_; }
  /// True if the calling thread serves a loop or a connection of this server.
  [[nodiscard]] bool serves_here() const {
    return core().context().server->serves_on_this_thread();
  }

 private:
  std::function<void()> work_;
  ServerFixture server_;
  std::optional<RawClient> client_;
};

CallHandle send_act(const ObjectRef& object, std::uint32_t value, Observed& observed) {
  return stub::send(*object, act_operation, number(value), observed);
}

Octets make_close_connection() {
  Writer writer(std::endian::native);
  begin_message(writer, 2, std::endian::native, type_close_connection);
  return finish(writer, std::endian::native);
}

/// Waits until the observer was called. The calling thread is not the server's.
void await(const Observed& observed) {
  await_condition([&] { return observed.done(); });
}

/// Waits until the observer of the call has returned.
void await(const CallHandle& call) {
  await_condition([&] { return call.ended(); });
}

}  // namespace

TEST_CASE("the observer of a call from an upcall is called on a thread of the server") {
  Middle middle(each_shared_strategy());
  ServerFixture sink(ThreadStrategy::reactive);
  const ObjectRef object = middle.object_of(sink);
  std::atomic<bool> on_server = false;
  Observed observed([&] { on_server = middle.serves_here(); });
  CallHandle call;
  middle.in_upcall([&] { call = send_act(object, 41, observed); });
  await(call);
  CHECK(observed.value() == 42);
  CHECK(on_server);
}

namespace {

/// A place where two threads meet, unless one of them arrives too late.
class Meeting {
 public:
  void arrive() {
    ++arrived_;
    const auto end = std::chrono::steady_clock::now() + 500ms;
    while (arrived_ != 2 && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(1ms);
    if (arrived_ == 2) ++met_;
  }
  [[nodiscard]] bool met() const noexcept { return met_ == 2; }

 private:
  std::atomic<int> arrived_ = 0;
  std::atomic<int> met_ = 0;
};

/// Whether the observers of calls from two upcalls ran at the same time.
bool observers_meet(Middle& middle, const ObjectRef& object) {
  Meeting upcalls;
  Meeting observers;
  std::atomic<std::size_t> next = 0;
  Observed first([&] { observers.arrive(); });
  Observed second([&] { observers.arrive(); });
  CallHandle calls[2];
  const auto work = [&] {
    upcalls.arrive();
    const std::size_t index = next++;
    calls[index] = send_act(object, 1, index == 0 ? first : second);
  };
  middle.in_two_upcalls(work);
  for (const CallHandle& call : calls) await(call);
  return observers.met();
}

}  // namespace

// Observers of calls that share a connection are called one after the other. Thread and connection
// are chosen by chance, so the test tries several times.
TEST_CASE("observers run on several threads of the server at the same time") {
  Middle middle(each_shared_strategy());
  ServerFixture sink(ThreadStrategy::reactive);
  const ObjectRef object = middle.object_of(sink);
  bool met = false;
  for (int attempt = 0; attempt < 40 && !met; ++attempt) met = observers_meet(middle, object);
  CHECK(met);
}

TEST_CASE(
    "a call that is cancelled in flight ends with NO_RESPONSE, and its late reply is dropped") {
  Middle middle(each_shared_strategy());
  DeferringSink deferring;
  ServerFixture sink(ThreadStrategy::reactive, deferring.servant());
  const ObjectRef object = middle.object_of(sink);
  Observed observed;
  CallHandle call;
  middle.in_upcall([&] { call = send_act(object, 1, observed); });
  deferring.await(1);
  call.cancel();
  await(observed);
  deferring.reply_all(1);
  CHECK(observed.failure<CORBA::NO_RESPONSE>().completed() == CORBA::COMPLETED_MAYBE);
  Observed next;
  middle.in_upcall([&] { (void)send_act(object, 1, next); });
  deferring.await(1);
  deferring.reply_all(5);
  await(next);
  CHECK(next.value() == 5);
  CHECK(observed.times() == 1);
}

TEST_CASE("a call whose time passes in flight ends with TIMEOUT, on a thread of the server") {
  Middle middle(each_shared_strategy());
  DeferringSink deferring;
  ServerFixture sink(ThreadStrategy::reactive, deferring.servant());
  const ObjectRef object = middle.object_of(sink);
  std::atomic<bool> on_server = false;
  Observed observed([&] { on_server = middle.serves_here(); });
  CallHandle call;
  middle.in_upcall([&] {
    const stub::InheritedTimeLimit limit(Deadline::after(50ms, steady_clock().now()));
    call = send_act(object, 1, observed);
  });
  await(call);
  CHECK(observed.failure<CORBA::TIMEOUT>().minor() == orb::minor_deadline);
  CHECK(on_server);
  deferring.reply_all(1);
}

TEST_CASE("the time of a call in flight can be shortened") {
  Middle middle(each_shared_strategy());
  DeferringSink deferring;
  ServerFixture sink(ThreadStrategy::reactive, deferring.servant());
  const ObjectRef object = middle.object_of(sink);
  Observed observed;
  CallHandle call;
  middle.in_upcall([&] { call = send_act(object, 1, observed); });
  deferring.await(1);
  call.limit_time(Deadline::after(1ms, steady_clock().now()));
  await(observed);
  CHECK(observed.failure<CORBA::TIMEOUT>().completed() == CORBA::COMPLETED_MAYBE);
  deferring.reply_all(1);
}

TEST_CASE("a call ends if the peer accepts its connection and never replies") {
  orb::Settings settings = settings_of(each_shared_strategy());
  settings.first_reply_timeout = 50ms;
  Middle middle(std::move(settings));
  RawServer peer;
  const ObjectRef object = middle.core().string_to_object(peer.reference());
  Observed observed;
  middle.in_upcall([&] { (void)send_act(object, 1, observed); });
  await(observed);
  CHECK(observed.failure<CORBA::TIMEOUT>().minor() == orb::minor_mute_peer);
}

TEST_CASE("a call to an address where nothing listens fails, and the next call connects anew") {
  Middle middle(each_shared_strategy());
  const RefusingPort port;
  const ObjectRef object =
      middle.core().string_to_object("corbaloc:iiop:1.2@" + port.address() + "/raw");
  for (int round = 0; round < 2; ++round) {
    Observed observed;
    middle.in_upcall([&] { (void)send_act(object, 1, observed); });
    await(observed);
    CHECK(observed.failure<CORBA::TRANSIENT>().completed() == CORBA::COMPLETED_NO);
  }
}

TEST_CASE("a peer that closes the connection ends the calls, and the next call connects anew") {
  orb::Settings settings = settings_of(each_shared_strategy());
  settings.connections_per_endpoint_max = 1;
  Middle middle(std::move(settings));
  RawServer peer;
  const ObjectRef object = middle.core().string_to_object(peer.reference());
  for (int round = 0; round < 2; ++round) {
    std::vector<Observed> observed(3);
    std::thread peer_thread([&] {
      RawClient accepted = peer.accept();
      for (std::size_t each = 0; each < observed.size(); ++each) (void)accepted.reply();
    });
    middle.in_upcall([&] {
      for (Observed& each : observed) (void)send_act(object, 1, each);
    });
    peer_thread.join();
    for (const Observed& each : observed) {
      await(each);
      CHECK(each.failure<CORBA::COMM_FAILURE>().completed() == CORBA::COMPLETED_MAYBE);
    }
  }
}

TEST_CASE("an upcall can wait for a call that it has started") {
  Middle middle(each_shared_strategy());
  ServerFixture sink(ThreadStrategy::reactive);
  const ObjectRef object = middle.object_of(sink);
  Observed observed;
  middle.in_upcall([&] {
    CallHandle call = send_act(object, 41, observed);
    call.wait();
  });
  CHECK(observed.value() == 42);
}

TEST_CASE("an observer can make a synchronous call, and wait for another asynchronous call") {
  Middle middle(each_shared_strategy());
  ServerFixture sink(ThreadStrategy::reactive);
  const ObjectRef object = middle.object_of(sink);
  Observed inner;
  std::atomic<std::uint32_t> synchronous = 0;
  Observed observed([&] {
    synchronous = act(object, 1);
    CallHandle call = send_act(object, 10, inner);
    call.wait();
  });
  CallHandle outer;
  middle.in_upcall([&] { outer = send_act(object, 41, observed); });
  await(outer);
  CHECK(synchronous == 2);
  CHECK(inner.value() == 11);
}

TEST_CASE("a shutdown ends asynchronous calls whose upcalls have returned") {
  Middle middle(each_shared_strategy());
  DeferringSink deferring;
  ServerFixture sink(ThreadStrategy::reactive, deferring.servant());
  const RawServer mute;
  const ObjectRef in_flight = middle.object_of(sink);
  const ObjectRef first_reply = middle.core().string_to_object(mute.reference());
  std::vector<Observed> observed(2);
  middle.in_upcall([&] {
    (void)send_act(in_flight, 1, observed[0]);
    (void)send_act(first_reply, 1, observed[1]);
  });
  deferring.await(1);
  middle.drop_client();
  middle.core().shutdown(orb::Completion::wait);
  for (const Observed& each : observed) {
    CHECK(each.times() == 1);
    CHECK(each.failed());
  }
  CHECK(observed[0].failure<CORBA::BAD_INV_ORDER>().completed() == CORBA::COMPLETED_MAYBE);
  deferring.reply_all(1);
}

TEST_CASE("a call of a collocated servant ends with its deferred reply, or with NO_RESPONSE") {
  DeferringSink deferring;
  Middle middle(each_shared_strategy());
  ServerFixture& server = middle.server();
  const ObjectRef later =
      server.orb.root()->servant_to_reference(make_servant(deferring.servant()));
  std::atomic<bool> on_server = false;
  Observed answered([&] { on_server = middle.serves_here(); });
  Observed cancelled;
  CallHandle calls[2];
  middle.in_upcall([&] {
    calls[0] = send_act(later, 1, answered);
    calls[1] = send_act(later, 1, cancelled);
  });
  deferring.await(2);
  calls[1].cancel();
  await(cancelled);
  CHECK(cancelled.failure<CORBA::NO_RESPONSE>().completed() == CORBA::COMPLETED_MAYBE);
  deferring.reply_all(9);
  await(calls[0]);
  CHECK(answered.value() == 9);
  CHECK(on_server);
}

TEST_CASE("cancelling, time limits and replies race: each observer is called once") {
  Middle middle(each_shared_strategy());
  ServerFixture sink(ThreadStrategy::reactive);
  constexpr std::size_t rounds = 30;
  constexpr std::size_t calls_each = 20;
  for (std::size_t round = 0; round < rounds; ++round) {
    // Each round has a connection of its own, so that calls are cancelled while it is made.
    const ObjectRef object = middle.object_of(sink);
    std::vector<Observed> observed(calls_each);
    std::vector<CallHandle> calls(calls_each);
    middle.in_upcall([&] {
      for (std::size_t i = 0; i < calls_each; ++i) calls[i] = send_act(object, 1, observed[i]);
    });
    std::thread limiting([&] {
      for (std::size_t i = 0; i < calls_each; i += 2)
        calls[i].limit_time(
            Deadline::after(std::chrono::microseconds(50 * i), steady_clock().now()));
    });
    for (std::size_t i = 1; i < calls_each; i += 2) calls[i].cancel();
    limiting.join();
    for (const Observed& each : observed) await(each);
    for (const Observed& each : observed) CHECK(each.times() == 1);
  }
}

TEST_CASE("an upcall can drive its calls, also over an existing connection") {
  Middle middle(each_shared_strategy());
  ServerFixture sink(ThreadStrategy::reactive);
  const ObjectRef object = middle.object_of(sink);
  const CORBA::object_reference<CORBA::ORB> orb(
      make_counted<CORBA::ORB>(middle.core().shared_from_this()));
  std::uint32_t sum = 0;
  middle.in_upcall([&] {
    for (std::uint32_t i = 0; i < 3; ++i) {
      std::atomic<bool> told = false;
      Observed observed([&] {
        told = true;
        stub::wake_drivers(*orb);
      });
      CallHandle call;
      stub::drive_until(
          *orb, [&] { call = send_act(object, i, observed); }, [&] { return told.load(); });
      await(call);
      sum += observed.value();
    }
  });
  CHECK(sum == 1 + 2 + 3);
}

TEST_CASE("an upcall can block outside the ORB until its call has ended") {
  Middle middle(each_shared_strategy());
  ServerFixture sink(ThreadStrategy::reactive);
  const ObjectRef object = middle.object_of(sink);
  std::uint32_t sum = 0;
  middle.in_upcall([&] {
    for (std::uint32_t i = 0; i < 3; ++i) {
      Observed observed;
      CallHandle call = send_act(object, i, observed);
      await(call);
      sum += observed.value();
    }
  });
  CHECK(sum == 1 + 2 + 3);
}

TEST_CASE("a connection that ends does not count against the limit of connections") {
  orb::Settings settings = settings_of(each_shared_strategy());
  settings.connections_per_endpoint_max = 1;
  Middle middle(std::move(settings));
  RawServer peer;
  const ObjectRef object = middle.core().string_to_object(peer.reference());
  Observed first;
  middle.in_upcall([&] { (void)send_act(object, 1, first); });
  RawClient ending = peer.accept();
  ending.send(make_reply(RawReply(ending.receive()).id(), 7));
  await(first);
  Observed second;
  middle.in_upcall([&] { (void)send_act(object, 1, second); });
  (void)RawReply(ending.receive());
  ending.send(make_close_connection());  // the request was not executed; the stream stays open
  RawClient successor = peer.accept();
  successor.send(make_reply(RawReply(successor.receive()).id(), 8));
  await(second);
  CHECK(first.value() == 7);
  CHECK(second.value() == 8);
}

TEST_CASE("a shutdown by an observer ends the other calls of its connection") {
  Middle middle(each_shared_strategy());
  RawServer peer;
  const ObjectRef object = middle.core().string_to_object(peer.reference());
  std::atomic<int> replies = 0;
  const auto stop = [&] {
    if (replies++ != 0) return;
    while (middle.core().requests_in_progress() != 0) std::this_thread::yield();
    middle.core().shutdown(orb::Completion::wait);
  };
  Observed observed[] = {Observed(stop), Observed(stop)};
  CallHandle calls[2];
  middle.in_upcall([&] {
    for (int each : {0, 1}) calls[each] = send_act(object, 1, observed[each]);
  });
  middle.drop_client();
  RawClient accepted = peer.accept();
  const RawReply request(accepted.receive());  // of either call: two threads may have sent them
  accepted.send(make_reply(request.id(), 7));
  for (const CallHandle& call : calls) await(call);
  const bool first_replied = !observed[0].failed();
  CHECK(observed[first_replied ? 0 : 1].value() == 7);
  CHECK_NOTHROW((void)observed[first_replied ? 1 : 0].failure<CORBA::BAD_INV_ORDER>());
}

TEST_CASE("10,000 calls of upcalls are in flight on one connection") {
  Middle middle(each_shared_strategy());
  DeferringSink deferring;
  ServerFixture sink(
      [] {
        orb::Settings settings = server_settings(ThreadStrategy::reactive);
        settings.requests_per_connection_max = 20'000;
        return settings;
      }(),
      deferring.servant());
  const ObjectRef object = middle.object_of(sink);
  constexpr std::size_t count = 10'000;
  std::vector<Observed> observed(count);
  middle.in_upcall([&] {
    for (Observed& each : observed) (void)send_act(object, 1, each);
  });
  deferring.await(count);
  deferring.reply_all(3);
  std::size_t right = 0;
  for (const Observed& each : observed) {
    await(each);
    right += each.value() == 3 ? 1 : 0;
  }
  CHECK(right == count);
}

}  // namespace perigee::test
