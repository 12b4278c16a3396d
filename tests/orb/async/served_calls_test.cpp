// Asynchronous calls over TCP to servers of all strategies, from all kinds of threads.
#include "base/sanitizer.h"
#include "orb/async/observers.h"
#include "orb/server/server_fixture.h"
#include "support/allocations.h"
#include <perigee/poa/answer.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
using stub::CallHandle;

/// The ORB of a client. Only threads of the test run it.
class Client {
 public:
  explicit Client(orb::Settings settings = server_settings(ThreadStrategy::thread_per_connection))
      : orb_(std::move(settings)) {}

  [[nodiscard]] TestOrb& orb() noexcept { return orb_; }
  [[nodiscard]] orb::OrbCore& core() const noexcept { return orb_.core(); }
  [[nodiscard]] ObjectRef object_of(const ServerFixture& server) const {
    return core().make_object(server.object->_reference()->ior());
  }

 private:
  TestOrb orb_;
};

CallHandle send_act(const ObjectRef& object, std::uint32_t value, Observed& observed) {
  return stub::send(*object, act_operation, number(value), observed);
}

stub::Arguments held_octets(std::size_t size) {
  return {[held = Octets(size)](cdr::Encoder& encoder) { encoder.write_octets(held); }};
}

}  // namespace

TEST_CASE("the observer of a call over TCP gets its result") {
  ServerFixture server(each_strategy());
  const Client client;
  Observed observed;
  CallHandle call = send_act(client.object_of(server), 41, observed);
  call.wait();
  CHECK(observed.value() == 42);
}

TEST_CASE("an ORB ends although its loop has had no turn since the first asynchronous call") {
  ServerFixture server(each_strategy());
  Observed observed;
  {
    const Client client(server_settings(ThreadStrategy::reactive));
    CallHandle call = send_act(client.object_of(server), 41, observed);
    call.wait();
  }
  CHECK(observed.value() == 42);
}

TEST_CASE("10,000 calls can be in flight") {
  ServerFixture server(ThreadStrategy::reactive);
  const Client client;
  const ObjectRef object = client.object_of(server);
  constexpr std::uint32_t count = 10'000;
  std::vector<Observed> observed(count);
  std::vector<CallHandle> calls;
  for (std::uint32_t i = 0; i < count; ++i) calls.push_back(send_act(object, i, observed[i]));
  for (CallHandle& call : calls) call.wait();
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < count; ++i) right += observed[i].value() == i + 1 ? 1 : 0;
  CHECK(right == count);
}

TEST_CASE("ORB::run drives the calls of other threads, under each strategy") {
  ServerFixture server(ThreadStrategy::reactive);
  Client client(server_settings(each_strategy()));
  client.orb().serve();
  const ObjectRef object = client.object_of(server);
  std::atomic<std::uint32_t> sum = 0;
  constexpr std::uint32_t threads_count = 3;
  constexpr std::uint32_t calls_each = 200;
  std::vector<std::unique_ptr<Observed>> observed;
  for (std::uint32_t i = 0; i < threads_count * calls_each; ++i)
    observed.push_back(std::make_unique<Observed>([&sum] { ++sum; }));
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < threads_count; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < calls_each; ++i)
        (void)send_act(object, i, *observed[t * calls_each + i]);
    });
  for (std::thread& thread : threads) thread.join();
  while (sum != threads_count * calls_each) std::this_thread::yield();
  CHECK(!observed.front()->failed());
}

TEST_CASE("perform_work drives the calls of threads without a loop, under each strategy") {
  ServerFixture server(ThreadStrategy::thread_pool);
  const Client client(server_settings(each_strategy()));
  const ObjectRef object = client.object_of(server);
  Observed observed;
  (void)send_act(object, 1, observed);
  while (!observed.done()) client.core().perform_work();
  CHECK(observed.value() == 2);
}

#ifndef PERIGEE_SANITIZER  // under sanitizers the pool keeps no memory
TEST_CASE("a call allocates nothing in the steady state") {
  ServerFixture server(ThreadStrategy::thread_per_connection);
  const Client client;
  const ObjectRef object = client.object_of(server);
  const auto call_16 = [&] {
    Observed observed[16];
    CallHandle calls[16];
    for (std::uint32_t i = 0; i < 16; ++i) calls[i] = send_act(object, i, observed[i]);
    for (CallHandle& call : calls) call.wait();
  };
  for (int warm = 0; warm < 20; ++warm) call_16();
  // A reply that arrives in parts needs an allocation, so the round with the fewest allocations
  // counts.
  std::size_t least = allocations_of(call_16).count;
  for (int round = 0; round < 20; ++round) least = std::min(least, allocations_of(call_16).count);
  CHECK(least == 0);
}
#endif

TEST_CASE("several threads wait for their calls, and one of them runs the loop for all") {
  ServerFixture server(ThreadStrategy::thread_pool);
  const Client client;
  const ObjectRef object = client.object_of(server);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < 100; ++i) {
        Observed observed;
        CallHandle call = send_act(object, 1000 * t + i, observed);
        call.wait();
        if (observed.value() != 1000 * t + i + 1) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("if cancellation races with the reply, the observer is called once") {
  ServerFixture server(ThreadStrategy::reactive);
  Client client;
  client.orb().serve();
  const ObjectRef object = client.object_of(server);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (std::uint32_t i = 0; i < 200; ++i) {
        Observed observed;
        CallHandle call = send_act(object, i, observed);
        if (i % 3 == 0) std::this_thread::yield();
        call.cancel();
        call.wait();
        const bool right = observed.failed() || observed.value() == i + 1;
        if (!right || observed.times() != 1) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("calls that upcalls of a loop start belong to the loop") {
  const ThreadStrategy strategy = each_strategy();
  ServerFixture sink(ThreadStrategy::reactive);
  const auto to_sink = std::make_shared<ObjectRef>();
  // Waits in the upcall, like a simple synchronous servant.
  ServerFixture middle(strategy, [to_sink](orb::ServerRequest& request) {
    std::uint32_t value = 0;
    request.arguments() >> value;
    request.end_of_arguments();
    Observed observed;
    CallHandle call = send_act(*to_sink, value, observed);
    call.wait();
    request.reply([&observed](cdr::Encoder& encoder) { encoder << observed.value() + 1; });
  });
  *to_sink = middle.orb.core().make_object(sink.object->_reference()->ior());
  const Client client;
  const ObjectRef object = client.object_of(middle);
  std::vector<Observed> observed(20);
  std::vector<CallHandle> calls;
  for (std::uint32_t i = 0; i < observed.size(); ++i)
    calls.push_back(send_act(object, i, observed[i]));
  for (CallHandle& call : calls) call.wait();
  for (std::uint32_t i = 0; i < observed.size(); ++i) CHECK(observed[i].value() == i + 2);
  *to_sink = nullptr;
}

TEST_CASE("requests of upcalls leave while the upcalls block all threads of the loop") {
  orb::Settings settings = server_settings(ThreadStrategy::thread_pool);
  settings.threads = 2;
  SUBCASE("thread-pool") {}
  SUBCASE("auto") { settings.thread_strategy = ThreadStrategy::automatic; }
  SUBCASE("thread-per-connection") {
    settings.thread_strategy = ThreadStrategy::thread_per_connection;
  }
  std::atomic<int> arrived{0};
  ServerFixture sink(ThreadStrategy::thread_per_connection,
                     [&arrived](orb::ServerRequest& request) {
                       add_one(request);
                       ++arrived;
                     });
  const auto to_sink = std::make_shared<ObjectRef>();
  std::array<Observed, 4> asked;
  // Each upcall starts a call. The third and the fourth upcall then block until the sink has
  // received the requests of both.
  ServerFixture middle(settings, [&](orb::ServerRequest& request) {
    const std::uint32_t index = argument_of(request);
    CallHandle call = send_act(*to_sink, index, asked.at(index));
    if (index < 2) call.wait();
    const int enough = index < 2 ? 0 : 4;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (arrived < enough && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const bool left = arrived >= enough;
    request.reply([left](cdr::Encoder& encoder) { encoder << std::uint32_t{left ? 1U : 0U}; });
  });
  *to_sink = middle.orb.core().make_object(sink.object->_reference()->ior());
  const Client client;
  const ObjectRef object = client.object_of(middle);
  std::array<Observed, 4> observed;
  std::vector<CallHandle> calls;
  for (std::uint32_t index = 0; index < 4; ++index) {
    calls.push_back(send_act(object, index, observed.at(index)));
    if (index < 2) calls.back().wait();  // makes the connections
  }
  for (CallHandle& call : calls) call.wait();
  for (const Observed& each : observed) CHECK(each.value() == 1);
  *to_sink = nullptr;
}

TEST_CASE("a collocated servant is called in `send`") {
  ServerFixture server(each_strategy());
  Observed observed;
  (void)send_act(server.object, 1, observed);
  CHECK(observed.value() == 2);
}

TEST_CASE("a collocated servant may reply later, and `send` does not wait for it") {
  skeleton::Answer answer;
  ServerFixture server(each_strategy(), [&answer](orb::ServerRequest& request) {
    std::uint32_t value = 0;
    request.arguments() >> value;
    request.end_of_arguments();
    answer = skeleton::Answer(request);
  });
  Observed observed;
  CallHandle call = send_act(server.object, 1, observed);
  CHECK(!observed.done());
  std::thread servant(
      [&answer] { answer.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{3}; }); });
  call.wait();
  servant.join();
  CHECK(observed.value() == 3);
  Observed cancelled;
  call = send_act(server.object, 1, cancelled);
  call.cancel();
  call.wait();
  CHECK(cancelled.failure<CORBA::NO_RESPONSE>().completed() == CORBA::COMPLETED_MAYBE);
  answer.reply([](cdr::Encoder& encoder) { encoder << std::uint32_t{4}; });
  CHECK(cancelled.times() == 1);
}

TEST_CASE("a thread that replies to a collocated call does not run the observer during the reply") {
  static thread_local bool answering = false;
  skeleton::Answer answer;
  ServerFixture server(each_strategy(), [&answer](orb::ServerRequest& request) {
    request.end_of_arguments();
    answer = skeleton::Answer(request);
  });
  bool told_inside = true;
  Observed observed([&told_inside] { told_inside = answering; });
  CallHandle call = stub::send(*server.object, act_operation, {}, observed);
  answering = true;
  answer.reply(nullptr);
  answering = false;
  call.wait();
  CHECK(!told_inside);
}

TEST_CASE("a shutdown ends the calls that other threads wait for") {
  std::promise<void> released;
  std::shared_future<void> release = released.get_future().share();
  std::atomic<bool> called = false;
  ServerFixture server(ThreadStrategy::thread_per_connection,
                       [release, &called](orb::ServerRequest& request) {
                         called = true;
                         release.wait();
                         add_one(request);
                       });
  Client client;
  Observed observed;
  const ObjectRef object = client.object_of(server);
  std::thread waiter([&] {
    CallHandle call = send_act(object, 1, observed);
    call.wait();
  });
  while (!called) std::this_thread::yield();
  client.core().shutdown(orb::Completion::wait);
  waiter.join();
  CHECK(observed.failure<CORBA::BAD_INV_ORDER>().completed() == CORBA::COMPLETED_MAYBE);
  released.set_value();
}

TEST_CASE("large requests and replies pass beside small ones") {
  ServerFixture server(ThreadStrategy::reactive, [](orb::ServerRequest& request) {
    const Octets octets(request.arguments().remaining());
    request.reply([&octets](cdr::Encoder& encoder) {
      encoder << static_cast<std::uint32_t>(octets.size());
      encoder.write_octets(octets);
    });
  });
  const Client client;
  const ObjectRef object = client.object_of(server);
  constexpr std::size_t sizes[] = {3'000'000, 4, 100'000, 8, 5'000'000, 4};
  std::vector<Observed> observed(std::size(sizes));
  std::vector<CallHandle> calls;
  for (std::size_t i = 0; i < std::size(sizes); ++i)
    calls.push_back(stub::send(*object, act_operation, held_octets(sizes[i]), observed[i]));
  for (CallHandle& call : calls) call.wait();
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    CAPTURE(observed[i].text());
    CHECK(observed[i].value() == sizes[i]);
  }
}

}  // namespace perigee::test
