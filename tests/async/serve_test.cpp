// Coroutines as servants, over connections of every thread strategy.
#include "coroutines/leaves.h"
#include "orb/server/server_fixture.h"
#include <perigee/async/serve.h>

#include <atomic>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

using namespace perigee;
using namespace perigee::test;

namespace {

using Coroutine = std::function<task<std::uint32_t>(std::uint32_t)>;

ActingServant::Action serving(Coroutine work) {
  return [work = std::move(work)](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    request.end_of_arguments();
    async::serve<std::uint32_t>(
        request, [&] { return work(argument); },
        [](cdr::Encoder& encoder, const std::uint32_t& result) { encoder << result; });
  };
}

}  // namespace

TEST_CASE("a coroutine that does not wait answers within its upcall") {
  const ServerFixture server(
      each_strategy(),
      serving([](std::uint32_t argument) -> task<std::uint32_t> { co_return argument + 1; }));
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 41}).result() == 42);
}

TEST_CASE("a coroutine that waits answers on the thread that goes on with it") {
  OtherThread elsewhere;
  const ServerFixture server(each_strategy(),
                             serving([&](std::uint32_t argument) -> task<std::uint32_t> {
                               co_await elsewhere;
                               co_return argument + 1;
                             }));
  RawClient client(server.endpoint);
  for (std::uint32_t argument = 0; argument < 100; ++argument)
    CHECK(client.call({.key = server.key, .argument = argument}).result() == argument + 1);
}

TEST_CASE("what a coroutine throws is its answer, early or late") {
  OtherThread elsewhere;
  const ServerFixture server(each_strategy(),
                             serving([&](std::uint32_t argument) -> task<std::uint32_t> {
                               if (argument != 0) co_await elsewhere;
                               throw CORBA::NO_PERMISSION(argument, CORBA::COMPLETED_NO);
                             }));
  RawClient client(server.endpoint);
  for (const std::uint32_t argument : {0u, 1u})
    CHECK(client.call({.key = server.key, .argument = argument}).repository_id() ==
          "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
}

TEST_CASE("a function that throws before it has made a task has answered, too") {
  const ServerFixture server(each_strategy(), serving([](std::uint32_t) -> task<std::uint32_t> {
                               throw CORBA::NO_PERMISSION();
                             }));
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).repository_id() ==
        "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
}

TEST_CASE("a function that makes no task has answered UNKNOWN") {
  const ServerFixture server(each_strategy(),
                             serving([](std::uint32_t) { return task<std::uint32_t>(); }));
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key, .argument = 1}).repository_id() ==
        "IDL:omg.org/CORBA/UNKNOWN:1.0");
}

TEST_CASE("a coroutine hears of it when its request is cancelled") {
  std::binary_semaphore begun{0};
  std::binary_semaphore stopped{0};
  OtherThread elsewhere;
  const ServerFixture server(each_strategy(), serving([&](std::uint32_t) -> task<std::uint32_t> {
                               const std::stop_token stop = co_await stop_token_of_this_task();
                               co_await elsewhere;
                               const std::stop_callback heard(stop, [&] { stopped.release(); });
                               begun.release();
                               stopped.acquire();
                               co_return 1;
                             }));
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .id = 3, .argument = 1}));
  begun.acquire();
  client.send(make_cancel_request(3));
  const RawReply after = client.call({.key = server.key, .id = 4, .operation = "_non_existent"});
  CHECK(after.id() == 4);  // 3 has no answer
}

TEST_CASE("a coroutine without a result answers when it ends") {
  OtherThread elsewhere;
  std::atomic<int> ended{0};
  const ServerFixture server(each_strategy(), [&](orb::ServerRequest& request) {
    request.end_of_arguments();
    const auto wait = [](OtherThread& there, std::atomic<int>& ends) -> task<void> {
      co_await there;
      ++ends;
    };
    async::serve<void>(request, [&] { return wait(elsewhere, ended); });
  });
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key}).status() == 0);
  CHECK(ended == 1);
}
