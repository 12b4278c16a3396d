// ShortLock: one thread at a time, and each waiting thread gets the lock.
#include <perigee/base/short_lock.h>

#include <doctest/doctest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace perigee::test {

TEST_CASE("one thread at a time holds a short lock, and every waiting thread gets it") {
  constexpr int rounds = 20'000;
  constexpr int thread_count = 4;
  ShortLock lock;
  long changes = 0;
  {
    std::vector<std::jthread> threads;
    for (int index = 0; index < thread_count; ++index) {
      threads.emplace_back([&] {
        for (int round = 0; round < rounds; ++round) {
          const std::lock_guard guard(lock);
          const long seen = changes;
          if (round % 1000 == 0) std::this_thread::yield();  // other threads have to wait
          changes = seen + 1;
        }
      });
    }
  }
  CHECK(changes == long{rounds} * thread_count);
}

}  // namespace perigee::test
