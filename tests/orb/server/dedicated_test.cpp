// Connections with a dedicated reader, and the work of their home loop.
#include "orb/server/deferred_replies.h"
#include "orb/server/server_fixture.h"
#include "support/atomic_maximum.h"
#include "support/await_condition.h"
#include "support/process_threads.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using std::chrono::milliseconds;

namespace {

constexpr std::uint32_t spare_threads = 64;  // besides the loop

// Upcalls beyond the plan would begin at the next ticks of the loop, which are some milliseconds
// apart. Only a wait can show that they do not begin.
constexpr milliseconds no_more_upcalls{50};

orb::Settings dedicated_settings() {
  orb::Settings settings = server_settings(ThreadStrategy::thread_per_connection);
  settings.threads = 1;  // one loop
  settings.spare_threads_max = spare_threads;
  return settings;
}

/// The strategies with dedicated readers.
ThreadStrategy each_dedicated_strategy() {
  ThreadStrategy strategy = ThreadStrategy::automatic;
  SUBCASE("auto") {}
  SUBCASE("thread-per-connection") { strategy = ThreadStrategy::thread_per_connection; }
  return strategy;
}

/// Upcalls that wait until the test lets them go. Counts the waiting upcalls.
class Barrier {
 public:
  void operator()(orb::ServerRequest& request) {
    (void)argument_of(request);
    raise_to(most_, ++inside_);
    open_.wait(false);
    --inside_;
  }
  void open() {
    open_ = true;
    open_.notify_all();
  }
  [[nodiscard]] std::uint32_t inside() const { return inside_; }
  [[nodiscard]] std::uint32_t most() const { return most_; }

 private:
  std::atomic<bool> open_{false};
  std::atomic<std::uint32_t> inside_{0};
  std::atomic<std::uint32_t> most_{0};
};

/// Answers at once or later, as the test says, and remembers the thread of the last upcall.
class Recorder {
 public:
  void operator()(orb::ServerRequest& request) {
    const std::uint32_t value = argument_of(request);
    {
      const std::lock_guard lock(mutex_);
      thread_ = std::this_thread::get_id();
    }
    if (!defers) return request.reply([value](cdr::Encoder& encoder) { encoder << value + 1; });
    send_result(skeleton::Answer(request), value + 1);
  }
  [[nodiscard]] std::thread::id thread() {
    const std::lock_guard lock(mutex_);
    return thread_;
  }
  std::atomic<bool> defers{false};

 private:
  std::mutex mutex_;
  std::thread::id thread_;
};

}  // namespace

TEST_CASE("blocked upcalls stay within the threads of the plan") {
  constexpr std::uint32_t count = 150;
  Barrier barrier;
  const ServerFixture server(dedicated_settings(), std::ref(barrier));
  const std::size_t before = threads_of_process();
  RawClient client(server.endpoint);
  Octets requests;
  for (std::uint32_t id = 0; id < count; ++id)
    requests = std::move(requests) + make_request({.key = server.key, .id = id, .argument = id});
  client.send(requests);
  constexpr std::uint32_t threads_max = 1 + spare_threads;  // and one dedicated reader
  await_condition([&] { return barrier.inside() >= threads_max + 1; });
  std::this_thread::sleep_for(no_more_upcalls);
  CHECK(barrier.inside() == threads_max + 1);
  CHECK(threads_of_process() <= before + spare_threads + 1);
  barrier.open();
  for (std::uint32_t id = 0; id < count; ++id) CHECK(client.reply().type() == type_reply);
  CHECK(barrier.most() <= threads_max + 1);
}

namespace {

/// A strategy, and the upcalls and threads that it allows for 150 clients whose upcalls all block.
struct BlockedClients {
  static constexpr std::uint32_t count = 150;
  orb::Settings settings;
  std::uint32_t upcalls;  // in progress at the same time
  std::uint32_t threads;  // besides those of an idle server
};

BlockedClients each_with_blocked_clients() {
  constexpr std::uint32_t readers = 2;  // dedicated places under auto, for one loop
  BlockedClients clients{dedicated_settings(), 0, 0};
  SUBCASE("auto") {
    clients.settings.thread_strategy = ThreadStrategy::automatic;
    clients.upcalls = 1 + spare_threads + readers;
    clients.threads = spare_threads + readers;
  }
  SUBCASE("thread-per-connection") { clients.upcalls = clients.threads = BlockedClients::count; }
  SUBCASE("thread-pool") {  // its spare threads are for upcalls that announce their waits
    clients.settings.thread_strategy = ThreadStrategy::thread_pool;
    clients.settings.threads = clients.upcalls = 2;
  }
  SUBCASE("reactor-per-core") {
    clients.settings.thread_strategy = ThreadStrategy::reactor_per_core;
    clients.settings.threads = clients.upcalls = 2;
  }
  return clients;
}

}  // namespace

TEST_CASE("the blocked upcalls of 150 clients stay within the threads of the plan") {
  const BlockedClients plan = each_with_blocked_clients();
  Barrier barrier;
  const ServerFixture server(plan.settings, std::ref(barrier));
  const std::size_t before = threads_of_process();
  std::size_t most = before;
  const auto look = [&most] { most = std::max(most, threads_of_process()); };
  std::vector<RawClient> clients;
  for (std::uint32_t id = 0; id < BlockedClients::count; ++id) {
    clients.emplace_back(server.endpoint);
    clients.back().send(make_request({.key = server.key, .id = id, .argument = id}));
    look();
  }
  await_condition([&] {
    look();
    return barrier.inside() >= plan.upcalls;
  });
  std::this_thread::sleep_for(no_more_upcalls);
  CHECK(barrier.inside() == plan.upcalls);
  barrier.open();
  for (std::uint32_t id = 0; id < BlockedClients::count; ++id) {
    look();
    CHECK(clients[id].reply().id() == id);
  }
  CHECK(barrier.most() <= plan.upcalls);
  CHECK(most <= before + plan.threads);
}

TEST_CASE("blocked upcalls of a client delay its next request for a moment only") {
  Barrier barrier;
  std::atomic<bool> blocks = true;
  const ServerFixture server(dedicated_settings(), [&](orb::ServerRequest& request) {
    if (blocks) return barrier(request);
    add_one(request);
  });
  // One dedicated reader and one thread of the loop are blocked by the requests of one client.
  RawClient first(server.endpoint);
  first.send(make_request({.key = server.key, .id = 1, .argument = 1}) +
             make_request({.key = server.key, .id = 2, .argument = 2}));
  await_condition([&] { return barrier.inside() >= 2; });
  blocks = false;
  CHECK(first.call({.key = server.key, .id = 3, .argument = 5}).result() == 6);
  barrier.open();
  CHECK(first.reply().id() + first.reply().id() == 3);
}

TEST_CASE("a reply that is held for a batch leaves although the next upcall blocks") {
  const ThreadStrategy strategy = each_dedicated_strategy();
  for (const unsigned response_flags : {3u, 0u}) {  // the blocking request is two-way, or a oneway
    CAPTURE(response_flags);
    constexpr std::uint32_t blocks = 1'000'000;
    std::atomic<bool> open{false};
    const ServerFixture server(strategy, [&open](orb::ServerRequest& request) {
      const std::uint32_t value = argument_of(request);
      if (value == blocks) open.wait(false);
      request.reply([value](cdr::Encoder& encoder) { encoder << value + 1; });
    });
    RawClient client(server.endpoint);
    Octets quick;  // after so many short upcalls, replies are held
    for (std::uint32_t id = 100; id < 300; ++id)
      quick = std::move(quick) + make_request({.key = server.key, .id = id, .argument = id});
    client.send(quick);
    for (std::uint32_t id = 100; id < 300; ++id) CHECK(client.reply().result() == id + 1);
    client.send(
        make_request({.key = server.key, .id = 1, .argument = 41}) +
        make_request(
            {.key = server.key, .id = 2, .response_flags = response_flags, .argument = blocks}));
    CHECK(client.reply().result() == 42);  // the second upcall blocks
    open = true;
    open.notify_all();
    if (response_flags != 0) CHECK(client.reply().result() == blocks + 1);
  }
}

TEST_CASE("a client that sends without a pause delays neither accepting nor other clients' calls") {
  const ServerFixture server(each_dedicated_strategy());
  std::atomic<bool> done{false};
  std::jthread busy([&] {
    RawClient client(server.endpoint);
    constexpr std::uint32_t count = 100;
    Octets batch;
    for (std::uint32_t id = 0; id < count; ++id)
      batch = std::move(batch) + make_request({.key = server.key, .id = id, .argument = id});
    client.send(batch);
    while (!done) {  // a batch is always on its way
      client.send(batch);
      for (std::uint32_t reply = 0; reply < count; ++reply) (void)client.reply();
    }
  });
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint32_t round = 0; round < 50; ++round) {
    RawClient other(server.endpoint);
    CHECK(other.call({.key = server.key, .argument = round}).result() == round + 1);
    std::this_thread::sleep_for(milliseconds(2));
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  done = true;
}

TEST_CASE("a reply leaves although only a part of the next request has arrived") {
  const ServerFixture server(each_dedicated_strategy());
  RawClient client(server.endpoint);
  for (std::uint32_t round = 0; round < 20; ++round) {
    const Octets next = make_request({.key = server.key, .id = 2 * round + 1, .argument = 7});
    const std::size_t part = 1 + round * (next.size() - 1) / 20;
    client.send(make_request({.key = server.key, .id = 2 * round, .argument = round}) +
                Octets(next.begin(), next.begin() + std::ptrdiff_t(part)));
    CHECK(client.reply().result() == round + 1);
    client.send(Octets(next.begin() + std::ptrdiff_t(part), next.end()));
    CHECK(client.reply().result() == 8);
  }
}

TEST_CASE("the threads of connections end with their connections") {
  const ServerFixture server(dedicated_settings());
  const std::size_t before = threads_of_process();
  {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (std::uint32_t id = 0; id < 50; ++id) {
      clients.push_back(std::make_unique<RawClient>(server.endpoint));
      CHECK(clients.back()->call({.key = server.key, .id = id, .argument = id}).result() == id + 1);
    }
    CHECK(threads_of_process() == before + 50);
  }
  await_condition([&] { return threads_of_process() <= before; });
}

TEST_CASE("under auto, connections beyond the dedicated places share a loop") {
  constexpr std::uint32_t places = 2;  // for one loop
  orb::Settings settings = server_settings(ThreadStrategy::automatic);
  settings.threads = 1;
  const ServerFixture server(settings);
  const std::size_t before = threads_of_process();
  RawClient last(server.endpoint);
  {
    std::vector<std::unique_ptr<RawClient>> clients;
    for (std::uint32_t id = 0; id < 20; ++id) {
      clients.push_back(std::make_unique<RawClient>(server.endpoint));
      CHECK(clients.back()->call({.key = server.key, .id = id, .argument = id}).result() == id + 1);
    }
    // The loop asks for a dedicated reader after fewer upcalls of a connection than these.
    for (std::uint32_t id = 0; id < 2100; ++id)
      CHECK(clients.back()->call({.key = server.key, .id = id, .argument = id}).result() == id + 1);
    CHECK(threads_of_process() == before + places);
  }
  await_condition([&] { return threads_of_process() <= before + 1; });
  CHECK(last.call({.key = server.key, .id = 1, .argument = 1}).result() == 2);
}

TEST_CASE("under auto, a busy connection gets a dedicated place that has become free") {
  orb::Settings settings = server_settings(ThreadStrategy::automatic);
  settings.threads = 1;
  const ServerFixture server(settings);
  const std::size_t before = threads_of_process();
  auto first = std::make_unique<RawClient>(server.endpoint);
  RawClient second(server.endpoint);
  CHECK(first->call({.key = server.key, .id = 1, .argument = 1}).result() == 2);
  CHECK(second.call({.key = server.key, .id = 1, .argument = 1}).result() == 2);
  RawClient busy(server.endpoint);
  CHECK(busy.call({.key = server.key, .id = 1, .argument = 1}).result() == 2);
  first.reset();
  await_condition([&] { return threads_of_process() <= before + 1; });
  for (std::uint32_t id = 0; threads_of_process() < before + 2; ++id)
    CHECK(busy.call({.key = server.key, .id = id, .argument = id}).result() == id + 1);
}

TEST_CASE("no request is lost or repeated if the loop takes over as the dedicated reader returns") {
  std::atomic<std::uint32_t> duration = 0;  // microseconds
  const ServerFixture server(dedicated_settings(), [&](orb::ServerRequest& request) {
    const std::uint32_t value = argument_of(request);
    if (value % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(duration));
    request.reply([value](cdr::Encoder& encoder) { encoder << value + 1; });
  });
  for (std::uint32_t round = 0; round < 60; ++round) {
    duration = 15'000 + round * 200;  // about two ticks
    RawClient client(server.endpoint);
    client.send(make_request({.key = server.key, .id = 0, .argument = 0}));
    std::this_thread::sleep_for(milliseconds(10));
    std::set<std::uint32_t> ids;
    for (std::uint32_t id = 1; id < 8; id += 2)
      client.send(make_request({.key = server.key, .id = id, .argument = id}));
    for (int reply = 0; reply < 5; ++reply) {
      const RawReply received = client.reply();
      CHECK(received.result() == received.id() + 1);
      ids.insert(received.id());
    }
    CHECK(ids.size() == 5);
    CHECK(client.call({.key = server.key, .id = 9, .argument = 9}).result() == 10);
  }
}

TEST_CASE("a connection with mostly deferred replies moves to its loop, and moves back later") {
  Recorder recorder;
  const ServerFixture server(dedicated_settings(), std::ref(recorder));
  RawClient client(server.endpoint);
  std::uint32_t id = 0;
  const auto call = [&](std::uint32_t count) {
    for (; count > 0; --count, ++id)
      REQUIRE(client.call({.key = server.key, .id = id, .argument = id}).result() == id + 1);
    return recorder.thread();
  };
  const std::thread::id reader = call(10);
  recorder.defers = true;
  CHECK(call(30) == reader);
  const std::thread::id loop = call(20);
  CHECK(loop != reader);
  CHECK(call(2000) == loop);
  recorder.defers = false;
  CHECK(call(900) == loop);
  const std::thread::id again = call(200);
  CHECK(again != loop);
  CHECK(call(100) == again);
}

TEST_CASE("a oneway that waits on a loop delays other connections of the loop for a moment only") {
  std::promise<void> open;
  const std::shared_future<void> opened = open.get_future().share();
  constexpr std::uint32_t waits = 1'000'000;
  constexpr std::uint32_t opens = 1'000'001;
  const ServerFixture server(dedicated_settings(), [&](orb::ServerRequest& request) {
    const std::uint32_t value = argument_of(request);
    if (value == waits) return opened.wait();
    if (value == opens) open.set_value();
    send_result(skeleton::Answer(request), value + 1);
  });
  RawClient first(server.endpoint);
  RawClient second(server.endpoint);
  for (std::uint32_t id = 0; id < 100; ++id)  // all replies are deferred: the loop reads both
    for (RawClient* const client : {&first, &second})
      REQUIRE(client->call({.key = server.key, .id = id, .argument = id}).result() == id + 1);
  first.send(make_request({.key = server.key, .id = 200, .response_flags = 0, .argument = waits}));
  std::this_thread::sleep_for(milliseconds(50));  // the oneway waits now, and the server is idle
  CHECK(second.call({.key = server.key, .id = 201, .argument = opens}).result() == opens + 1);
}
