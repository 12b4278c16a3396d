// The code after a `co_await` of a call, on loops that several threads serve.
#include "async/serving.h"
#include "orb/server/server_fixture.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>

using namespace perigee;
using namespace perigee::test;

namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
constexpr std::chrono::seconds patience{20};

/// The strategies under which several threads serve.
ThreadStrategy each_shared_strategy() {
  ThreadStrategy strategy = ThreadStrategy::automatic;
  SUBCASE("auto") {}
  SUBCASE("thread-per-connection") { strategy = ThreadStrategy::thread_per_connection; }
  SUBCASE("thread-pool") { strategy = ThreadStrategy::thread_pool; }
  return strategy;
}

constexpr std::uint32_t only_calls = 0;  // an argument: the coroutine only calls the sink

/// A place where two threads meet, unless one of them comes too late.
class Meeting {
 public:
  /// Waits for the other thread. False: it has not come in time.
  bool arrive() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    return changed_.wait_for(lock, patience, [this] { return arrived_ >= 2; });
  }
  /// Waits until a thread has arrived. False: none has come in time.
  bool await_first() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return arrived_ >= 1; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
};

/// A middle tier with two threads, whose coroutines await a call to the sink. Two of them meet
/// before their calls, and after them. The sink replies to the second call when the coroutine of
/// the first call has continued.
class MeetingCoroutines {
 public:
  explicit MeetingCoroutines(ThreadStrategy strategy)
      : sink_(ThreadStrategy::thread_per_connection,
              [this](orb::ServerRequest& request) { reply_in_turn(request); }),
        middle_(strategy, serving([this](std::uint32_t argument) { return work(argument); })) {
    sink_object_ = middle_.orb.core().make_object(sink_.object->_reference()->ior());
  }

  [[nodiscard]] const ServerFixture& middle() const noexcept { return middle_; }
  /// The number of connections that have carried a request to the sink. The sink has one thread for
  /// each connection.
  [[nodiscard]] std::size_t connections_used() {
    const std::lock_guard lock(mutex_);
    return sink_threads_.size();
  }

 private:
  void reply_in_turn(orb::ServerRequest& request) {
    const std::uint32_t argument = argument_of(request);
    {
      const std::lock_guard lock(mutex_);
      sink_threads_.insert(std::this_thread::get_id());
    }
    if (argument != only_calls && replies_++ != 0) CHECK(after_.await_first());
    request.reply([argument](cdr::Encoder& encoder) { encoder << argument; });
  }
  task<std::uint32_t> work(std::uint32_t argument) {
    if (argument != only_calls) CHECK(before_.arrive());
    const std::uint32_t result = co_await start_act(sink_object_, argument);
    CHECK(middle_.orb.core().context().server->serves_on_this_thread());
    const bool met = argument == only_calls || after_.arrive();
    co_return met ? result : 0;
  }

  Meeting before_;
  Meeting after_;
  std::atomic<int> replies_ = 0;
  std::mutex mutex_;
  std::set<std::thread::id> sink_threads_;  // guarded by mutex_
  ObjectRef sink_object_;
  ServerFixture sink_;
  ServerFixture middle_;
};

}  // namespace

// A thread that continues a coroutine reads no other reply of the same connection. So the test
// begins when the middle tier has used two connections to the sink, one for each thread.
TEST_CASE("two coroutines continue at the same time after the calls that they await") {
  MeetingCoroutines coroutines(each_shared_strategy());
  const ServerFixture& middle = coroutines.middle();
  RawClient first(middle.endpoint);
  RawClient second(middle.endpoint);
  do {
    for (RawClient* const client : {&first, &second})
      CHECK(client->call({.key = middle.key, .argument = only_calls}).result() == only_calls);
  } while (coroutines.connections_used() < 2);
  first.send(make_request({.key = middle.key, .argument = 11}));
  second.send(make_request({.key = middle.key, .argument = 12}));
  CHECK(first.reply().result() == 11);
  CHECK(second.reply().result() == 12);
}
