// The memory of a task: one frame from the pool, and nothing else. The linker wraps the pool's
// functions (--wrap), so that the test can count the calls.
#include "coroutines/leaves.h"
#include "support/allocations.h"
#include <perigee/async/sleep.h>
#include <perigee/async/task.h>
#include <perigee/base/pool.h>
#include <perigee/event/reactor.h>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>

namespace {
// NOLINTBEGIN(bugprone-reserved-identifier)
std::size_t frames_made = 0;
std::size_t frames_ended = 0;
}  // namespace

extern "C" {
void* __real__ZN7perigee4pool8allocateEm(std::size_t size);
void __real__ZN7perigee4pool7releaseEPvm(void* memory, std::size_t size) noexcept;
void* __wrap__ZN7perigee4pool8allocateEm(std::size_t size);
void __wrap__ZN7perigee4pool7releaseEPvm(void* memory, std::size_t size) noexcept;

void* __wrap__ZN7perigee4pool8allocateEm(std::size_t size) {
  ++frames_made;
  return __real__ZN7perigee4pool8allocateEm(size);
}
void __wrap__ZN7perigee4pool7releaseEPvm(void* memory, std::size_t size) noexcept {
  ++frames_ended;
  __real__ZN7perigee4pool7releaseEPvm(memory, size);
}
// NOLINTEND(bugprone-reserved-identifier)
}

namespace perigee {
namespace {

task<int> leaf(test::Gate& gate, int value) {
  co_await gate;
  co_return value;
}
task<int> parent(test::Gate& gate) {
  const int first = co_await leaf(gate, 1);
  const int second = co_await leaf(gate, 2);
  co_return first + second;
}

/// The tasks of one request: a task starts, waits and ends.
int serve(test::Gate& gate, task<int> work) {
  int answer = 0;
  async::start(std::move(work), &answer, [](void* place, async::outcome<int>& result) noexcept {
    *static_cast<int*>(place) = result.value();
  });
  while (gate.has_waiter()) gate.open();
  return answer;
}

TEST_CASE("a started task has one frame, and no other memory is allocated") {
  test::Gate gate;
  CHECK(serve(gate, leaf(gate, 5)) == 5);
  frames_made = frames_ended = 0;
  int answer = 0;
  const test::Allocations used = test::allocations_of([&] { answer = serve(gate, leaf(gate, 6)); });
  CHECK(answer == 6);
  CHECK(frames_made == 1);
  CHECK(frames_ended == 1);
#ifdef PERIGEE_TEST_SANITIZED  // the pool may ask operator new for the frame
  CHECK(used.count <= 1);
#else
  CHECK(used.count == 0);
#endif
}

TEST_CASE("a task that awaits two tasks has at most three frames, and co_await ends their frames") {
  test::Gate gate;
  frames_made = frames_ended = 0;
  int answer = 0;
  async::start(parent(gate), &answer, [](void* place, async::outcome<int>& result) noexcept {
    *static_cast<int*>(place) = result.value();
  });
  CHECK(frames_made <= 2);
  gate.open();
  CHECK(frames_made <= 3);
  CHECK(frames_made - frames_ended <= 2);
  gate.open();
  CHECK(answer == 3);
  CHECK(frames_made == frames_ended);
}

TEST_CASE("a task's sleeps allocate nothing") {
  struct Sleeps {
    static task<int> thrice(event::Reactor& reactor) {
      int slept = 0;
      for (int count = 0; count != 3; ++count)
        if (co_await sleep_for(reactor, std::chrono::microseconds(count))) ++slept;
      co_return slept;
    }
  };
  const auto reactor = event::make_reactor().value();
  int answer = 0;
  const auto sleep_thrice = [&] {
    answer = 0;
    async::start(Sleeps::thrice(*reactor), &answer,
                 [](void* place, async::outcome<int>& result) noexcept {
                   *static_cast<int*>(place) = result.value();
                 });
    while (answer == 0) reactor->run_once(Deadline::never());
  };
  sleep_thrice();
  frames_made = frames_ended = 0;
  const test::Allocations used = test::allocations_of(sleep_thrice);
  CHECK(answer == 3);
  CHECK(frames_made == 1);
  CHECK(frames_ended == 1);
#ifdef PERIGEE_TEST_SANITIZED  // the pool may ask operator new for the frame
  CHECK(used.count <= 1);
#else
  CHECK(used.count == 0);
#endif
}

TEST_CASE("a task that is dropped unstarted gives its frame back") {
  test::Gate gate;
  frames_made = frames_ended = 0;
  {
    const task<int> dropped = leaf(gate, 1);
  }
  CHECK(frames_made == frames_ended);
}

}  // namespace
}  // namespace perigee
