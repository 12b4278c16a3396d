// The thread pool: turns of connections, peers that read slowly or not at all, requests that run at
// the same time, held requests, and draining under load.
#include "orb/server/server_fixture.h"
#include <perigee/orb/stub.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

orb::Settings pool_settings(std::uint32_t threads) {
  orb::Settings settings = server_settings(ThreadStrategy::thread_pool);
  settings.threads = threads;
  return settings;
}

Octets batch_of(const ServerFixture& server, std::uint32_t count, unsigned response_flags = 3) {
  Octets batch;
  for (std::uint32_t id = 0; id < count; ++id)
    batch = batch +
            make_request(
                {.key = server.key, .id = id, .response_flags = response_flags, .argument = id});
  return batch;
}

}  // namespace

TEST_CASE("a client that sends many requests at once does not delay other clients") {
  constexpr std::uint32_t flood = 500;
  orb::Settings settings = each_single_thread();
  settings.messages_per_turn_max = 10;
  std::promise<void> entered;
  std::promise<void> leave;
  std::vector<std::uint32_t> seen;
  const ServerFixture server(settings, [&](orb::ServerRequest& request) {
    const std::uint32_t argument = argument_of(request);
    if (argument == 0) {
      entered.set_value();
      leave.get_future().wait();
    }
    seen.push_back(argument);  // used by the only serving thread
    request.reply(nullptr);
  });
  RawClient modest(server.endpoint);
  CHECK(modest.call({.key = server.key, .id = 1, .argument = flood}).id() == 1);
  RawClient greedy(server.endpoint);
  greedy.send(batch_of(server, flood));
  entered.get_future().wait();
  modest.send(make_request({.key = server.key, .id = 2, .argument = flood + 1}));
  leave.set_value();
  CHECK(modest.reply().id() == 2);
  for (std::uint32_t count = 0; count < flood; ++count) (void)greedy.reply();
  // The modest request ran after the earlier call, the rest of one turn, and at most one whole
  // turn.
  CHECK(std::ranges::find(seen, flood + 1) - seen.begin() <= 1 + 2 * 10);
  CHECK(seen.size() == flood + 2);
}

TEST_CASE("a peer that does not read its reply occupies no thread, and gets it when it reads") {
  const std::vector<std::uint8_t> result(30'000'000);
  const ServerFixture server(each_single_thread(), [&](orb::ServerRequest& request) {
    const std::uint32_t argument = argument_of(request);
    request.reply([&](cdr::Encoder& encoder) {
      if (argument == 1)
        encoder << result;
      else
        encoder << argument;
    });
  });
  RawClient mute(server.endpoint);
  mute.send(make_request({.key = server.key, .id = 1, .argument = 1}) +
            make_request({.key = server.key, .id = 2, .argument = 2}));
  RawClient other(server.endpoint);
  for (std::uint32_t id = 3; id < 20; ++id)
    CHECK(other.call({.key = server.key, .id = id, .argument = id}).result() == id);
  std::size_t received = 0;
  for (bool more = true; more;) {
    const RawReply part(mute.receive());
    received += part.message.size();
    more = (part.octet(6) & 2) != 0;  // the reply comes in fragments
  }
  CHECK(received > result.size());
  CHECK(mute.reply().id() == 2);
  CHECK(mute.call({.key = server.key, .id = 3, .argument = 3}).result() == 3);
}

// In total the client takes longer than the time-out, but it never stops reading.
TEST_CASE("a client that goes on reading gets its whole reply, however long the stop takes") {
  orb::Settings settings = each_single_thread();
  settings.drain_timeout = std::chrono::milliseconds(200);
  bool half_closes = false;
  SUBCASE("the server stops") {}
  SUBCASE("the client ends sending") { half_closes = true; }
  const std::vector<std::uint8_t> result(60'000'000);
  ServerFixture server(settings, [&](orb::ServerRequest& request) {
    request.reply([&result](cdr::Encoder& encoder) { encoder << result; });
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key}));
  if (half_closes) client.end_sending();
  std::size_t size = client.receive_part(1).size();  // the reply is under way
  if (!half_closes) server.orb.core().shutdown(orb::Completion::do_not_wait);
  const auto in = [](Duration time) { return Deadline::after(time, steady_clock().now()); };
  for (const Deadline over = in(3 * settings.drain_timeout); !over.passed(steady_clock().now());) {
    size += client.receive_part(100'000).size();
    for (const Deadline pause = in(std::chrono::milliseconds(1));
         !pause.passed(steady_clock().now());)
      std::this_thread::yield();
  }
  CHECK(size < result.size());  // otherwise the server had nothing to wait for
  for (Octets part = client.receive_part(1'000'000); !part.empty();
       part = client.receive_part(1'000'000))
    size += part.size();
  CHECK(size > result.size());
}

TEST_CASE("a pool replies to a request whose client has ended sending during the upcall") {
  std::promise<void> entered;
  std::promise<void> leave;
  const ServerFixture server(pool_settings(2), [&](orb::ServerRequest& request) {
    entered.set_value();
    leave.get_future().wait();
    request.reply(nullptr);
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 1}));
  entered.get_future().wait();
  client.end_sending();
  RawClient other(server.endpoint);
  other.send(make_locate_request(server.key, 5, 2));
  CHECK(other.reply().type() ==
        type_locate_reply);  // the other thread has seen before that `client` sends no more
  leave.set_value();
  CHECK(client.reply().id() == 1);
  CHECK(client.at_end());
}

TEST_CASE("requests of many connections run at the same time, as many as there are threads") {
  std::atomic<int> inside{0};
  std::promise<void> all_inside;
  const ServerFixture server(pool_settings(3), [&](orb::ServerRequest& request) {
    if (inside.fetch_add(1) == 2) all_inside.set_value();
    for (int now = inside.load(); now < 3; now = inside.load()) inside.wait(now);
    inside.notify_all();
    request.reply(nullptr);
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int count = 0; count < 3; ++count) {
    clients.push_back(std::make_unique<RawClient>(server.endpoint));
    clients.back()->send(make_request({.key = server.key, .id = 7}));
  }
  all_inside.get_future().wait();
  for (const auto& client : clients) CHECK(client->reply().id() == 7);
}

TEST_CASE("each pipelined request of many clients is executed once and gets one reply") {
  constexpr std::uint32_t count = 200;
  std::mutex mutex;
  std::multiset<std::uint32_t> executed;
  const ServerFixture server(pool_settings(3), [&](orb::ServerRequest& request) {
    const std::uint32_t argument = argument_of(request);
    {
      const std::lock_guard lock(mutex);
      executed.insert(argument);
    }
    request.reply([argument](cdr::Encoder& encoder) { encoder << argument; });
  });
  std::vector<std::future<std::set<std::uint32_t>>> clients;
  for (std::uint32_t number = 0; number < 4; ++number)
    clients.push_back(std::async(std::launch::async, [&server, number] {
      RawClient client(server.endpoint);
      Octets batch;
      for (std::uint32_t id = 0; id < count; ++id)
        batch =
            batch + make_request({.key = server.key, .id = id, .argument = number * count + id});
      client.send(batch);
      std::set<std::uint32_t> answers;
      for (std::uint32_t id = 0; id < count; ++id) answers.insert(client.reply().result());
      return answers;
    }));
  for (auto& client : clients) CHECK(client.get().size() == count);
  CHECK(executed.size() == 4 * count);
  CHECK(std::set(executed.begin(), executed.end()).size() == 4 * count);
}

TEST_CASE("held oneways are executed in the order of their arrival") {
  std::vector<std::uint32_t> seen;  // no lock: the tested order keeps upcalls apart
  std::promise<void> all;
  const ServerFixture server(pool_settings(3), [&](orb::ServerRequest& request) {
    seen.push_back(argument_of(request));
    if (seen.size() == 100) all.set_value();
  });
  server.orb.root()->the_POAManager()->hold_requests(false);
  RawClient client(server.endpoint);
  client.send(batch_of(server, 100, 0) + make_locate_request(server.key, 100, 2));
  CHECK(client.reply().type() == type_locate_reply);  // so the server holds all oneways
  CHECK(seen.empty());
  server.orb.root()->the_POAManager()->activate();
  all.get_future().wait();
  CHECK(std::ranges::is_sorted(seen));
}

TEST_CASE("requests that are held while their manager becomes active are served") {
  const ServerFixture server(pool_settings(3));
  const auto manager = server.orb.root()->the_POAManager();
  RawClient client(server.endpoint);
  client.send(batch_of(server, 200));
  for (int round = 0; round < 50; ++round) {
    manager->hold_requests(false);
    manager->activate();
  }
  std::set<std::uint32_t> answered;
  for (int count = 0; count < 200; ++count) answered.insert(client.reply().id());
  CHECK(answered.size() == 200);
}

TEST_CASE("a pool that is shut down under load has replied to each request that it executed") {
  orb::Settings settings = pool_settings(3);
  settings.drain_idle_timeout = std::chrono::seconds(10);  // the clients close earlier
  std::atomic<std::uint32_t> executed{0};
  ServerFixture server(settings, [&](orb::ServerRequest& request) {
    executed.fetch_add(1);
    executed.notify_all();
    request.reply(nullptr);
  });
  std::vector<std::future<std::uint32_t>> clients;
  for (int number = 0; number < 4; ++number)
    clients.push_back(
        std::async(std::launch::async, [&server, client = RawClient(server.endpoint)]() mutable {
          for (std::uint32_t answers = 0;; ++answers) {
            client.send(make_request({.key = server.key, .id = answers}));
            if (client.reply().type() == type_close_connection) return answers;
          }
        }));
  for (std::uint32_t now = executed.load(); now < 100; now = executed.load()) executed.wait(now);
  server.orb.core().shutdown(orb::Completion::wait);
  std::uint32_t answered = 0;
  for (auto& client : clients) answered += client.get();
  CHECK(answered == executed.load());
}
