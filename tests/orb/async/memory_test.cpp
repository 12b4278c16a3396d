// Asynchronous calls while allocations fail. The build with the thread sanitizer leaves this file
// out, because the sanitizer's allocator cannot be replaced.
#include "orb/async/observers.h"
#include "orb/fixture.h"
#include "orb/server/server_fixture.h"
#include "support/allocations.h"
#include <perigee/poa/answer.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;

/// A thread that drives the loop, but blocks while this object lives: other threads post to it.
class BusyDriver {
 public:
  BusyDriver(orb::OrbCore& core, function_ref<bool()> done) {
    core.async().client_loop().reactor().post([this] {
      reached_.set_value();
      left_.get_future().wait();
    });
    thread_ = std::thread([&core, done] { drive(core, done); });
    reached_.get_future().wait();
  }
  BusyDriver(const BusyDriver&) = delete;
  BusyDriver& operator=(const BusyDriver&) = delete;
  /// Lets the thread drive the loop until `done`.
  ~BusyDriver() {
    left_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> reached_;
  std::promise<void> left_;
  std::thread thread_;
};

bool all_told(const std::vector<Observed>& calls) {
  return std::ranges::all_of(calls, [](const Observed& each) { return each.done(); });
}

}  // namespace

TEST_CASE("a call that fails for lack of memory does not block the next call") {
  const ServerFixture sink(ThreadStrategy::thread_per_connection);
  for (std::size_t number = 1; number != 40; ++number) {
    CAPTURE(number);
    const TestOrb client;
    const ObjectRef called = client.core().make_object(sink.object->_reference()->ior());
    Observed hungry;
    Observed next;
    bool sent = false;
    fail_allocation(number);
    try {
      (void)stub::send(*called, act_operation, test::number(1), hungry);
      sent = true;
    } catch (const std::exception&) {  // NO_MEMORY, or bad_alloc for the arguments
    }
    stop_failing_allocation();
    stub::send(*called, act_operation, test::number(2), next).wait();
    CHECK_MESSAGE(next.value() == 3, next.text());
    if (sent) drive(client.core(), [&] { return hungry.done(); });
  }
}

TEST_CASE("an ORB shuts down after its only call failed for lack of memory") {
  const ServerFixture sink(ThreadStrategy::thread_per_connection);
  for (std::size_t number = 1; number != 40; ++number) {
    CAPTURE(number);
    const TestOrb client;
    const ObjectRef called = client.core().make_object(sink.object->_reference()->ior());
    Observed hungry;
    bool sent = false;
    (void)client.core().async();
    fail_allocation(number);
    try {
      (void)stub::send(*called, act_operation, test::number(1), hungry);
      sent = true;
    } catch (const std::exception&) {  // NO_MEMORY, or bad_alloc for the arguments
    }
    stop_failing_allocation();
    client.core().shutdown(orb::Completion::wait);
    CHECK(hungry.times() == (sent ? 1 : 0));
  }
}

TEST_CASE("observers get the replies of a collocated servant, whichever allocation fails") {
  bool failed = true;
  for (std::size_t number = 1; failed; ++number) {
    CAPTURE(number);
    std::vector<skeleton::Answer> owed;
    ServerFixture server(ThreadStrategy::thread_per_connection, [&](orb::ServerRequest& request) {
      request.end_of_arguments();
      owed.emplace_back(request);
    });
    std::vector<Observed> calls(20);
    for (Observed& each : calls) (void)stub::send(*server.object, act_operation, {}, each);
    {
      const auto told = [&calls] { return all_told(calls); };
      const BusyDriver driver(server.orb.core(), told);
      fail_allocation(number);
      for (skeleton::Answer& answer : owed) try {
          answer.reply(nullptr);
        } catch (const CORBA::SystemException&) {
        }
      failed = stop_failing_allocation();
      owed.clear();
    }
    CHECK(std::ranges::all_of(calls, [](const Observed& each) { return each.times() == 1; }));
  }
}

TEST_CASE("calls that start without memory are refused, or their observers are called") {
  const ServerFixture sink(ThreadStrategy::thread_per_connection);
  bool failed = true;
  for (std::size_t number = 1; failed; ++number) {
    CAPTURE(number);
    const TestOrb client;
    const ObjectRef called = client.core().make_object(sink.object->_reference()->ior());
    std::vector<Observed> calls(20);
    std::ptrdiff_t sent = 0;
    std::atomic<bool> sending = true;
    {
      const auto told = [&] {
        return !sending && std::ranges::count_if(calls, &Observed::done) == sent;
      };
      const BusyDriver driver(client.core(), told);
      fail_allocation(number, 100'000);
      for (Observed& each : calls) try {
          (void)stub::send(*called, act_operation, {}, each);
          ++sent;
        } catch (const CORBA::NO_MEMORY&) {
        }
      failed = stop_failing_allocation();
      sending = false;
    }
    CHECK(std::ranges::all_of(calls, [](const Observed& each) { return each.times() <= 1; }));
  }
}

TEST_CASE("a connecting thread without memory ends the calls that wait for its connection") {
  for (const bool refuse : {false, true})
    for (const bool driven : {false, true}) {
      CAPTURE(refuse);
      CAPTURE(driven);
      Fixture fixture;
      std::promise<void> reached;
      std::promise<void> begun;
      fixture.protocol().add("a", Script{.refuse = refuse,
                                         .on_connect =
                                             [&] {
                                               reached.set_value();
                                               begun.get_future().wait();
                                               fail_allocation(1, 1'000'000);
                                             },
                                         .on_message = reply_with_long(42)});
      Observed observed;
      (void)stub::send(*fixture.object({"a"}), ping_operation, {}, observed);
      reached.get_future().wait();
      const auto told = [&observed] { return observed.done(); };
      if (driven) {
        const BusyDriver driver(fixture.core(), told);
        begun.set_value();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // most likely enough to post
      } else {
        begun.set_value();
        drive(fixture.core(), told);
      }
      CHECK(observed.times() == 1);
    }
}

}  // namespace perigee::test
