// The remaining time of callers, which requests carry. Servants see it, and a server does not
// execute a request whose time has passed.
#include "engine/loops/loop.h"
#include "orb/context/orb_metrics.h"
#include "orb/server/server_fixture.h"
#include "support/atomic_maximum.h"
#include "support/fake_clock.h"
#include "support/log_lines.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/function_ref.h>
#include <perigee/event/reactor.h>
#include <perigee/poa/answer.h>
#include <perigee/poa/remaining_time.h>

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using std::chrono::microseconds;
using std::chrono::seconds;

namespace {

constexpr std::uint32_t context_remaining_time = 0x50474501;
constexpr std::uint32_t unknown = 4711;  // what the servant answers if there is no limit

Octets microseconds_of(std::uint64_t count) {
  Octets data = octets(0, 0, 0, 0, 0, 0, 0, 0);  // big-endian
  for (int shift = 56; shift >= 0; shift -= 8)
    data.push_back(static_cast<std::byte>(count >> shift & 0xff));
  return data;
}

RawRequest limited(const ServerFixture& server, Octets data, std::uint32_t id = 1) {
  return {.key = server.key,
          .id = id,
          .argument = 1,
          .context_id = context_remaining_time,
          .context = std::move(data)};
}

void reply_with(orb::ServerRequest& request, std::optional<microseconds> time) {
  request.reply([time](cdr::Encoder& encoder) {
    encoder << (time ? static_cast<std::uint32_t>(time->count()) : unknown);
  });
}

void answer_remaining_time(orb::ServerRequest& request) { reply_with(request, remaining_time()); }

TestParts parts_with(ThreadStrategy strategy, const FakeClock& clock) {
  TestParts parts;
  parts.settings = server_settings(strategy);
  parts.clock = &clock;
  return parts;
}

}  // namespace

TEST_CASE("a servant sees how long its caller waits, in each version of GIOP") {
  const FakeClock clock;
  const ServerFixture server(parts_with(each_strategy(), clock), answer_remaining_time);
  RawClient client(server.endpoint);
  for (const unsigned minor : {0u, 1u, 2u}) {
    RawRequest request = limited(server, microseconds_of(5'000'000));
    request.minor = minor;
    CHECK(RawReply(client.call(request)).status() == 0);
    if (minor == 2) CHECK(client.call(request).result() == 5'000'000);
  }
  CHECK_FALSE(remaining_time());  // this thread is in no upcall
}

TEST_CASE("the remaining time is unknown if the request has none, or a malformed one") {
  const FakeClock clock;
  const ServerFixture server(parts_with(each_strategy(), clock), answer_remaining_time);
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).result() == unknown);
  CHECK(client.call(limited(server, {})).result() == unknown);
  CHECK(client.call(limited(server, octets(1, 2, 3))).result() == unknown);
  RawRequest other = limited(server, microseconds_of(5));
  other.context_id = 7;
  CHECK(client.call(other).result() == unknown);
  // A time beyond the range of the clock is no limit.
  for (const std::uint64_t count :
       {std::uint64_t{1} << 53, std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max()})
    CHECK(client.call(limited(server, microseconds_of(count))).result() == unknown);
}

TEST_CASE("the remaining time of a deferred request decreases") {
  FakeClock clock;
  skeleton::Answer answer;
  std::atomic<bool> deferred = false;
  const ServerFixture server(parts_with(each_strategy(), clock), [&](orb::ServerRequest& request) {
    answer = skeleton::Answer(request);
    deferred = true;
    deferred.notify_one();
  });
  RawClient client(server.endpoint);
  client.send(make_request(limited(server, microseconds_of(3'000'000))));
  deferred.wait(false);
  CHECK(remaining_time_of(answer) == seconds(3));
  clock.advance(seconds(2));
  CHECK(remaining_time_of(answer) == seconds(1));
  clock.advance(seconds(2));
  CHECK(remaining_time_of(answer) == seconds(0));
  answer.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{7}; });
  CHECK(client.reply().result() == 7);  // the caller may still accept it
  CHECK_FALSE(remaining_time_of(answer));
}

TEST_CASE("a request whose time passes while it is held is not executed") {
  FakeClock clock;
  std::atomic<int> executed = 0;
  const ServerFixture server(parts_with(each_strategy(), clock), [&](orb::ServerRequest& request) {
    ++executed;
    add_one(request);
  });
  const auto manager = server.orb.root()->the_POAManager();
  manager->hold_requests(false);
  RawClient client(server.endpoint);
  RawClient other(server.endpoint);
  const Octets request = make_request(limited(server, microseconds_of(1'000'000)));
  client.send(request);
  other.send(make_request(limited(server, microseconds_of(9'000'000))));
  while (server.orb.core().held_size() != 2 * request.size()) std::this_thread::yield();
  clock.advance(seconds(2));
  manager->activate();
  const RawReply expired = client.reply();
  CHECK(expired.repository_id() == "IDL:omg.org/CORBA/TIMEOUT:1.0");
  CHECK(expired.minor_code() == (CORBA::PERIGEE_VMCID | 8));
  CHECK(expired.completed() == static_cast<std::uint32_t>(CORBA::COMPLETED_NO));
  CHECK(other.reply().result() == 2);
  CHECK(executed == 1);
}

TEST_CASE("a request whose time passes while its connection is full is not executed") {
  LogLines lines(log::Level::info);
  FakeClock clock;
  TestParts parts = parts_with(each_strategy(), clock);
  parts.settings.requests_per_connection_max = 1;
  skeleton::Answer answer;
  std::atomic<int> deferred = 0;
  const ServerFixture server(std::move(parts), [&](orb::ServerRequest& request) {
    answer = skeleton::Answer(request);
    ++deferred;
    deferred.notify_one();
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1, .argument = 1}));
  deferred.wait(0);
  client.send(make_request(limited(server, microseconds_of(1'000'000), 2)));
  while (!lines.have("more of them wait")) std::this_thread::yield();
  clock.advance(seconds(2));
  answer.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{7}; });
  CHECK(client.reply().result() == 7);
  const RawReply expired = client.reply();
  CHECK(expired.id() == 2);
  CHECK(expired.repository_id() == "IDL:omg.org/CORBA/TIMEOUT:1.0");
  CHECK(deferred == 1);
}

TEST_CASE("a request whose time passes while another request uses its POA is not executed") {
  FakeClock clock;
  TestParts parts = parts_with(ThreadStrategy::thread_per_connection, clock);
  std::atomic<bool> inside = false;
  std::atomic<bool> leave = false;
  std::atomic<int> executed = 0;
  const ServerFixture server(std::move(parts));
  const auto single =
      server.orb.root()->create_POA("single", server.orb.root()->the_POAManager(),
                                    {server.orb.root()->create_thread_policy(
                                        PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL)});
  const auto servant = make_servant([&](orb::ServerRequest& request) {
    ++executed;
    inside = true;
    inside.notify_one();
    leave.wait(false);
    add_one(request);
  });
  const auto object = single->id_to_reference(single->activate_object(servant));
  const Octets key = server.orb.key_of(object);
  RawClient first(server.endpoint);
  first.send(make_request({.key = key, .argument = 1}));
  inside.wait(false);
  RawClient second(server.endpoint);
  RawRequest request = limited(server, microseconds_of(1'000'000));
  request.key = key;
  second.send(make_request(request));
  while (server.orb.core().requests_in_progress() != 2) std::this_thread::yield();
  clock.advance(seconds(2));
  leave = true;
  leave.notify_one();
  CHECK(first.reply().result() == 2);
  CHECK(second.reply().repository_id() == "IDL:omg.org/CORBA/TIMEOUT:1.0");
  CHECK(executed == 1);
}

TEST_CASE("deferred requests with time limits leave no timer and no memory when they have ended") {
  constexpr int batches = 200;
  constexpr int batch_size = 250;
  constexpr std::uint64_t years_142 = 4'500'000'000'000'000;  // in microseconds
  orb::OrbCore* core = nullptr;
  std::atomic<std::size_t> timers_max = 0;
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    skeleton::Answer answer(request);
    engine::Loop* const loop = core->server()->loop_of_this_thread();
    if (loop != nullptr) raise_to(timers_max, loop->timers().timers_armed());
    answer.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{7}; });
  });
  core = &server.orb.core();
  RawClient client(server.endpoint);
  Octets batch;
  for (std::uint32_t id = 1; id <= batch_size; ++id)
    batch = std::move(batch) + make_request(limited(server, microseconds_of(years_142), id));
  std::size_t used_before = 0;
  for (int count = 0; count < batches; ++count) {
    if (count == batches / 10) used_before = ::mallinfo2().uordblks;
    client.send(batch);
    for (int replies = 0; replies < batch_size; ++replies) CHECK(client.reply().result() == 7);
  }
  const std::size_t used = ::mallinfo2().uordblks;
  CHECK(used < used_before + 50 * batches * batch_size);  // a timer each would be 112 octets each
  CHECK(timers_max < 10);
}

namespace {

/// Keeps its replies until the test sends them, and knows the timers of its server's connections.
class Deferring {
 public:
  void operator()(orb::OrbCore& core, orb::ServerRequest& request) {
    const std::lock_guard lock(mutex_);
    timers_.insert(&core.server()->loop_of_this_thread()->timers());
    answers_.emplace_back(request);
    deferred_.notify_one();
  }
  void await_requests(std::size_t count) {
    std::unique_lock lock(mutex_);
    deferred_.wait(lock, [&] { return answers_.size() == count; });
  }
  void answer_all() {
    const std::lock_guard lock(mutex_);
    for (skeleton::Answer& answer : answers_)
      answer.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{7}; });
    answers_.clear();
  }
  [[nodiscard]] std::size_t timers_armed() {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const event::Reactor* each : timers_) sum += each->timers_armed();
    return sum;
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::condition_variable deferred_;
  std::vector<skeleton::Answer> answers_;
  std::set<const event::Reactor*> timers_;
};

/// Whether the condition holds now, or within some seconds.
bool comes_true(function_ref<bool()> condition) {
  const Deadline end = Deadline::after(seconds(20), steady_clock().now());
  while (!condition() && !end.passed(steady_clock().now())) std::this_thread::yield();
  return condition();
}

/// Each connection has one deferred request with a limit of an hour. It is answered, then the
/// client closes.
void serve_connections(const ServerFixture& server, Deferring& deferring, std::uint32_t count) {
  std::vector<RawClient> clients;
  const Octets request = make_request(limited(server, microseconds_of(3'600'000'000)));
  for (std::uint32_t each = 0; each < count; ++each) {
    clients.emplace_back(server.endpoint);
    clients.back().send(request);
  }
  deferring.await_requests(count);
  CHECK(deferring.timers_armed() >= count);
  deferring.answer_all();
  for (RawClient& client : clients) CHECK(client.reply().result() == 7);
}

}  // namespace

TEST_CASE("deferred requests with time limits of closed connections leave no timer and no memory") {
  constexpr std::uint32_t connections = 200;
  constexpr int rounds = 10;
  constexpr int warm_rounds = 2;
  orb::OrbCore* core = nullptr;
  Deferring deferring;
  const ServerFixture server(each_strategy(),
                             [&](orb::ServerRequest& request) { deferring(*core, request); });
  core = &server.orb.core();
  std::size_t used_before = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round == warm_rounds) used_before = ::mallinfo2().uordblks;
    // Connections of two rounds may live at the same time. The warm rounds have as many, so that
    // the pools keep enough memory for the other rounds.
    const std::uint32_t count = round < warm_rounds ? 2 * connections : connections;
    serve_connections(server, deferring, count);
    REQUIRE(comes_true([&] { return deferring.timers_armed() == 0; }));
    REQUIRE(
        comes_true([&] { return core->metrics().server_traffic.totals().connections_open == 0; }));
  }
  const std::size_t used_max = used_before + 50 * connections * (rounds - warm_rounds);
  CHECK(comes_true([&] { return ::mallinfo2().uordblks < used_max; }));  // when threads have ended
}
