// -ORBRequestOrder connection: the requests of one connection run in their order, one at a time.
#include "orb/server/deferred_replies.h"
#include "support/atomic_maximum.h"
#include <perigee/cdr/operators.h>
#include <perigee/poa/stop_token.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

using namespace perigee;
using namespace perigee::test;

namespace {

constexpr std::uint32_t count = 60;

orb::Settings ordered(ThreadStrategy strategy) {
  orb::Settings settings = server_settings(strategy);
  settings.request_order = engine::RequestOrder::connection;
  settings.threads = 4;
  return settings;
}

/// Notes the arguments of the requests, and how many requests run at the same time. Every tenth
/// request is so slow that another thread could overtake it.
class Record {
 public:
  [[nodiscard]] ActingServant::Action servant() {
    return [this](orb::ServerRequest& request) {
      raise_to(most_, ++running_);
      const std::uint32_t argument = argument_of(request);
      if (argument % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
      {
        const std::lock_guard lock(mutex_);
        arguments_.push_back(argument);
      }
      --running_;
      request.reply([argument](cdr::Encoder& encoder) { encoder << argument + 1; });
    };
  }
  [[nodiscard]] int most() const { return most_; }
  [[nodiscard]] std::vector<std::uint32_t> arguments() const {
    const std::lock_guard lock(mutex_);
    return arguments_;
  }

 private:
  std::atomic<int> running_{0};
  std::atomic<int> most_{0};
  mutable std::mutex mutex_;
  std::vector<std::uint32_t> arguments_;
};

std::vector<std::uint32_t> numbers(std::uint32_t size) {
  std::vector<std::uint32_t> made(size);
  std::iota(made.begin(), made.end(), 0u);
  return made;
}

Octets numbered(const ServerFixture& server, std::uint32_t id, unsigned response_flags = 3) {
  return make_request(
      {.key = server.key, .id = id, .response_flags = response_flags, .argument = id});
}

}  // namespace

TEST_CASE(
    "with the request order of the connection, each request starts after the end of the previous "
    "request") {
  Record record;
  const ServerFixture server(ordered(each_strategy()), record.servant());
  RawClient client(server.endpoint);
  Octets batch;  // its requests arrive together
  for (std::uint32_t id = 0; id < count / 2; ++id) batch = batch + numbered(server, id);
  client.send(batch);
  for (std::uint32_t id = count / 2; id < count; ++id) client.send(numbered(server, id));
  for (std::uint32_t id = 0; id < count; ++id) CHECK(client.reply().id() == id);
  CHECK(record.arguments() == numbers(count));
  CHECK(record.most() == 1);
}

TEST_CASE("with the request order of the connection, oneways and two-way requests run in order") {
  Record record;
  const ServerFixture server(ordered(each_strategy()), record.servant());
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id + 1 < count; ++id)
    client.send(numbered(server, id, id % 3 == 0 ? 0 : 3));
  client.send(numbered(server, count - 1));
  while (client.reply().id() != count - 1) {
  }
  CHECK(record.arguments() == numbers(count));
  CHECK(record.most() == 1);
}

TEST_CASE(
    "with the request order of the connection, a request starts after the deferred reply to the "
    "previous request") {
  DeferredReplies deferred;
  const ServerFixture server(ordered(each_strategy()), deferred.servant());
  RawClient client(server.endpoint);
  for (std::uint32_t id = 0; id < count; ++id) client.send(numbered(server, id));
  for (std::uint32_t id = 0; id < count; ++id) {
    skeleton::Answer answer = deferred.take(id);
    if (id % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(server.orb.core().requests_in_progress() == 1);
    send_result(std::move(answer), id + 1);
    CHECK(client.reply().result() == id + 1);
  }
}

TEST_CASE(
    "with the request order of the connection, requests that a POAManager holds run in order after "
    "its activation") {
  Record record;
  const ServerFixture server(ordered(each_strategy()), record.servant());
  const auto manager = server.orb.root()->the_POAManager();
  for (int round = 0; round < 3; ++round) {
    manager->hold_requests(false);
    RawClient client(server.endpoint);
    const auto first = static_cast<std::uint32_t>(record.arguments().size());
    for (std::uint32_t id = first; id < first + count / 2; ++id) client.send(numbered(server, id));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    manager->activate();
    for (std::uint32_t id = first; id < first + count / 2; ++id) CHECK(client.reply().id() == id);
    CHECK(record.arguments() == numbers(first + count / 2));
  }
  CHECK(record.most() == 1);
}

TEST_CASE(
    "with the request order of the connection, the end of a connection does not delay other "
    "connections") {
  DeferredReplies deferred;
  const ServerFixture server(ordered(each_strategy()), deferred.servant());
  {
    RawClient gone(server.endpoint);
    for (std::uint32_t id = 0; id < 3; ++id) gone.send(numbered(server, id));
    deferred.await_count(1);
  }
  RawClient client(server.endpoint);
  client.send(numbered(server, 20));
  send_result(deferred.take(20), 21);
  CHECK(client.reply().result() == 21);
  for (std::uint32_t id = 0; id < 3; ++id)
    send_result(deferred.take(id), 1);  // the requests of the ended connection still run
}

TEST_CASE(
    "with the request order of the connection, a cancelled request gets no reply, and the next "
    "request runs") {
  DeferredReplies deferred;
  const ServerFixture server(ordered(each_strategy()), deferred.servant());
  RawClient client(server.endpoint);
  client.send(numbered(server, 1));
  skeleton::Answer first = deferred.take(1);
  client.send(make_cancel_request(1));
  client.send(numbered(server, 2));
  await_stop(stop_token_of(first));
  send_result(std::move(first), 11);
  send_result(deferred.take(2), 12);
  CHECK(client.reply().id() == 2);
}

TEST_CASE(
    "with the request order of the connection, requests of two connections run at the same time") {
  const ThreadStrategy strategy = each_strategy();
  if (orb::serves_while_waiting(strategy)) return;  // one thread may serve both connections
  std::promise<void> second_ran;
  const ServerFixture server(ordered(strategy), [&](orb::ServerRequest& request) {
    const std::uint32_t argument = argument_of(request);
    if (argument == 1) second_ran.get_future().wait();
    if (argument == 2) second_ran.set_value();
    request.reply([](cdr::Encoder& encoder) { encoder << 0u; });
  });
  RawClient first(server.endpoint);
  RawClient second(server.endpoint);
  first.send(numbered(server, 1));
  second.send(numbered(server, 2));
  CHECK(first.reply().id() == 1);
  CHECK(second.reply().id() == 2);
}
