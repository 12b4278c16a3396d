// The Currents inside a coroutine that resumes while the upcall of another request is on the stack.
#include "async/serving.h"
#include "orb/act.h"
#include "orb/policies.h"
#include "orb/server/server_fixture.h"
#include <perigee/async/completion.h>
#include <perigee/poa/remaining_time.h>

#include <chrono>
#include <future>
#include <memory>

using namespace perigee;
using namespace perigee::test;

namespace {

constexpr std::uint32_t to_wait = 1;
constexpr std::uint32_t to_go_on = 2;
constexpr std::chrono::hours limit_of_other{1};

/// Returns 1 if the running code has a remaining time, and 0 otherwise. Only the request with a
/// limit has a remaining time.
std::uint32_t has_remaining_time() { return remaining_time() ? 1 : 0; }

}  // namespace

TEST_CASE("a task that another request's upcall resumes does not see that request's time limit") {
  completion<> gone_on;
  ServerFixture server(each_strategy(), serving([&](std::uint32_t argument) -> task<std::uint32_t> {
                         if (argument == to_go_on) {
                           CHECK(has_remaining_time() == 1);
                           gone_on.complete();
                           CHECK(has_remaining_time() == 1);
                           co_return 0;
                         }
                         co_await gone_on;
                         co_return has_remaining_time();
                       }));
  TestOrb client;
  client.serve();  // drives its calls
  const ObjectRef object = client.core().make_object(server.object->_reference()->ior());
  call<std::uint32_t> waiting = start_act(object, to_wait);
  CHECK(act(limited(object, client.core(), limit_of_other), to_go_on) == 0);
  CHECK(waiting.get() == 0);
}

TEST_CASE("a task that resumes while another upcall waits does not see that upcall's time limit") {
  std::promise<void> other_waits;
  std::promise<void> has_gone_on;
  const ServerFixture sink(ThreadStrategy::thread_per_connection, [&](orb::ServerRequest& request) {
    std::uint32_t argument = 0;
    request.arguments() >> argument;
    request.end_of_arguments();
    std::promise<void>& next = argument == to_wait ? other_waits : has_gone_on;
    if (argument == to_go_on) other_waits.set_value();
    next.get_future().wait();
    request.reply([](cdr::Encoder& encoder) { encoder << 0U; });
  });
  ObjectRef sink_object;
  const ServerFixture middle(each_strategy(),
                             serving([&](std::uint32_t argument) -> task<std::uint32_t> {
                               if (argument == to_go_on) {
                                 (void)act(sink_object, argument);
                                 co_return has_remaining_time();
                               }
                               (void)co_await start_act(sink_object, argument);
                               const std::uint32_t taken = has_remaining_time();
                               has_gone_on.set_value();
                               co_return taken;
                             }));
  sink_object = middle.orb.core().make_object(sink.object->_reference()->ior());
  TestOrb client;
  client.serve();  // drives its calls
  const ObjectRef object = client.core().make_object(middle.object->_reference()->ior());
  call<std::uint32_t> waiting = start_act(object, to_wait);
  CHECK(act(limited(object, client.core(), limit_of_other), to_go_on) == 1);
  CHECK(waiting.get() == 0);
}
