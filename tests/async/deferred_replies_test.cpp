// Clients, connections, POAs and the ORB while replies are deferred. The tests use connections,
// every thread strategy, and both kinds of servants: stored handlers and coroutines.
#include "async/deferring_servants.h"
#include "orb/server/server_fixture.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

void send(RawClient& client, const ServerFixture& server, std::uint32_t id) {
  client.send(make_request({.key = server.key, .id = id, .argument = id}));
}

/// Whether the client has received a reply to the request. It sends a second request and reads
/// replies until the reply to the second request. All repliers must have finished.
bool was_answered(RawClient& client, const ServerFixture& server, std::uint32_t id) {
  const std::uint32_t last = id + 1'000'000;
  client.send(make_request({.key = server.key, .id = last, .operation = "_non_existent"}));
  int answers = 0;
  for (RawReply reply = client.reply(); reply.id() != last; reply = client.reply()) {
    CHECK(reply.id() == id);
    CHECK(reply.status() == 0);
    ++answers;
  }
  CHECK(answers <= 1);
  return answers == 1;
}

/// Starts both functions at about the same time.
void race(const std::function<void()>& first, const std::function<void()>& second) {
  std::latch both(2);
  const std::jthread other([&] {
    both.arrive_and_wait();
    second();
  });
  both.arrive_and_wait();
  first();
}

using Deactivate = std::function<void(const ServerFixture& server)>;

Deactivate each_deactivation() {
  Deactivate deactivate = [](const ServerFixture& server) {
    const auto root = server.orb.root();
    root->deactivate_object(root->reference_to_id(server.object));
  };
  SUBCASE("the object") {}
  SUBCASE("the POA") {
    deactivate = [](const ServerFixture& server) { server.orb.root()->destroy(true, false); };
  }
  SUBCASE("the POAManager") {
    deactivate = [](const ServerFixture& server) {
      server.orb.root()->the_POAManager()->deactivate(true, false);
    };
  }
  return deactivate;
}

/// Servants that wait until the test releases all of them, and then reply with kilobytes.
class LargeAnswers {
 public:
  [[nodiscard]] ActingServant::Action servant(Later later) {
    return [this, later](orb::ServerRequest& request) {
      request.arguments().skip(4);
      request.end_of_arguments();
      if (later == Later::coroutine)
        return async::serve<int>(
            request, [this] { return wait(*this); },
            [](cdr::Encoder& encoder, const int&) { write(encoder); });
      skeleton::Answer answer(request);
      add([answer = std::move(answer)]() mutable {
        answer.reply([](cdr::Encoder& encoder) { write(encoder); });
      });
    };
  }
  void await_count(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() >= count; });
  }
  /// Releases the servants that wait now.
  void answer() {
    std::unique_lock lock(mutex_);
    auto waiting = std::exchange(waiting_, {});
    lock.unlock();
    for (auto& go_on : waiting) go_on();
  }

 private:
  static void write(cdr::Encoder& encoder) { encoder.write_octets(Octets(4096)); }
  static task<int> wait(LargeAnswers& all) {
    completion<> over;
    all.add([&over] { over.complete(); });
    co_await over;
    co_return 0;
  }
  void add(std::move_only_function<void()> go_on) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(go_on));
    changed_.notify_all();
  }

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<std::move_only_function<void()>> waiting_;
};

}  // namespace

TEST_CASE("the stop token of a request reports a closed client, and a reply to it is dropped") {
  for_deferring_servers([](DeferredReplies& deferred, const ServerFixture& server) {
    std::optional<RawClient> client(server.endpoint);
    send(*client, server, 1);
    DeferredReply kept = deferred.take(1);
    client.reset();
    await_stop(kept.stop);
    kept.send(1);
    RawClient other(server.endpoint);
    send(other, server, 2);
    deferred.take(2).send(20);
    CHECK(other.reply().result() == 20);
  });
}

TEST_CASE("a client that disconnects during a reply does not disturb the server") {
  for_deferring_servers([](DeferredReplies& deferred, const ServerFixture& server) {
    for (std::uint32_t id = 0; id < 30; ++id) {
      std::optional<RawClient> client(server.endpoint);
      send(*client, server, id);
      DeferredReply kept = deferred.take(id);
      race([&] { client.reset(); }, [&] { kept.send(id); });
    }
    RawClient other(server.endpoint);
    send(other, server, 100);
    deferred.take(100).send(20);
    CHECK(other.reply().result() == 20);
  });
}

TEST_CASE("a deferred reply is sent although its object, POA or POAManager was deactivated") {
  const Deactivate deactivate = each_deactivation();
  for (const ThreadStrategy strategy :
       {ThreadStrategy::thread_per_connection, ThreadStrategy::reactive,
        ThreadStrategy::thread_pool, ThreadStrategy::reactor_per_core})
    for (const Later later : {Later::answer, Later::coroutine}) {
      CAPTURE(static_cast<int>(strategy));
      CAPTURE(static_cast<int>(later));
      DeferredReplies deferred;
      const ServerFixture server(strategy, deferred.servant(later));
      RawClient client(server.endpoint);
      send(client, server, 1);
      DeferredReply kept = deferred.take(1);
      deactivate(server);
      CHECK_FALSE(kept.stop.stop_requested());  // the client waits
      CHECK(client.call({.key = server.key, .id = 2, .argument = 2}).status() == 2);
      kept.send(7);
      const RawReply reply = client.reply();
      CHECK(reply.id() == 1);
      CHECK(reply.result() == 7);
    }
}

TEST_CASE("an ORB that stops without waiting tells its servants, and still sends their replies") {
  for_deferring_servers([](DeferredReplies& deferred, const ServerFixture& server) {
    RawClient client(server.endpoint);
    send(client, server, 1);
    DeferredReply kept = deferred.take(1);
    server.orb.core().shutdown(orb::Completion::do_not_wait);
    await_stop(kept.stop);
    const std::jthread replier([&] { kept.send(9); });
    CHECK(client.reply().result() == 9);
    CHECK(RawReply(client.receive()).type() == type_close_connection);
    CHECK(client.at_end());
  });
}

TEST_CASE("a reply during the ORB's shutdown, after the client has ended, is not an error") {
  const ThreadStrategy strategy = each_strategy();
  for (const Later later : {Later::answer, Later::coroutine}) {
    CAPTURE(static_cast<int>(later));
    DeferredReplies deferred;
    DeferredReply kept;
    std::jthread replier;
    {
      const ServerFixture server(strategy, deferred.servant(later));
      std::optional<RawClient> client(server.endpoint);
      send(*client, server, 1);
      kept = deferred.take(1);
      client.reset();
      await_stop(kept.stop);
      replier = std::jthread([&kept, core = server.orb.core().weak_from_this()] {
        for (auto known = core.lock(); known && !known->stopping(); known = core.lock())
          std::this_thread::yield();
        kept.send(1);
      });
    }
  }
}

TEST_CASE("a request that is cancelled during its reply gets at most one reply") {
  for_deferring_servers([](DeferredReplies& deferred, const ServerFixture& server) {
    RawClient client(server.endpoint);
    for (std::uint32_t id = 0; id < 50; ++id) {
      send(client, server, id);
      DeferredReply kept = deferred.take(id);
      race([&] { client.send(make_cancel_request(id)); }, [&] { kept.send(id); });
      (void)was_answered(client, server, id);
    }
    send(client, server, 100);
    deferred.take(100).send(1);
    CHECK(was_answered(client, server, 100));
  });
}

TEST_CASE("a client gets one reply when several threads reply to its request") {
  const ServerFixture server(each_strategy(), [](orb::ServerRequest& request) {
    request.end_of_arguments();
    skeleton::Answer answer(request);
    std::atomic<int> refused = 0;
    {
      std::vector<std::jthread> threads;
      for (int thread = 0; thread < 3; ++thread)
        threads.emplace_back([&] {
          try {
            answer.reply(nullptr);
          } catch (const CORBA::BAD_INV_ORDER&) {
            ++refused;
          }
        });
    }
    CHECK(refused == 2);
    CHECK_THROWS_AS(answer.exception(CORBA::NO_PERMISSION()), CORBA::BAD_INV_ORDER);
  });
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id < 20; ++id) {
    client.send(make_request({.key = server.key, .id = id}));
    CHECK(client.reply().id() == id);
    CHECK_FALSE(was_answered(client, server, id));
  }
}

TEST_CASE("the first of several completions of a coroutine is its reply") {
  const ServerFixture server(each_strategy(), serving([](std::uint32_t) -> task<std::uint32_t> {
                               completion<std::uint32_t> answer;
                               CHECK(answer.complete(1u));
                               CHECK_FALSE(answer.complete(2u));
                               const std::uint32_t result = co_await answer;
                               co_return result;
                             }));
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .id = 5, .argument = 0}).result() == 1);
  CHECK_FALSE(was_answered(client, server, 5));
}

TEST_CASE("a client that reads none of 10,000 replies is disconnected; other clients are served") {
  constexpr std::uint32_t count = 10'000;
  orb::Settings settings = server_settings(each_strategy());
  settings.requests_per_connection_max = count;
  settings.write_queue_size_max = 256 * 1024;
  settings.send_timeout = std::chrono::milliseconds(100);
  for (const Later later : {Later::answer, Later::coroutine}) {
    CAPTURE(static_cast<int>(later));
    LargeAnswers answers;
    const ServerFixture server(settings, answers.servant(later));
    RawClient deaf(server.endpoint);
    RawClient other(server.endpoint);
    std::jthread sender([&] {
      for (std::uint32_t id = 0; id < count; ++id) send(deaf, server, id);
    });
    answers.await_count(count);
    sender.join();
    std::jthread answering([&] { answers.answer(); });
    CHECK(other.call({.key = server.key, .operation = "_non_existent"}).status() == 0);
    answering.join();  // no thread waits for the slow client for ever
    while (server.orb.core().requests_in_progress() != 0) std::this_thread::yield();
    std::size_t taken = 0;
    for (Octets part = deaf.receive_part(65'536); !part.empty(); part = deaf.receive_part(65'536))
      taken += part.size();
    CHECK(taken < std::size_t{count} * 4096);
  }
}
