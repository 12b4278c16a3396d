// ShortLock: one thread at a time, and nobody is forgotten.
#include "orb/server/short_lock.h"

#include <doctest/doctest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace perigee::test {

TEST_CASE("what a short lock guards is changed by one thread at a time, and all get their turn") {
  constexpr int rounds = 20'000;
  constexpr int thread_count = 4;
  orb::ShortLock lock;
  long changes = 0;
  {
    std::vector<std::jthread> threads;
    for (int index = 0; index < thread_count; ++index) {
      threads.emplace_back([&] {
        for (int round = 0; round < rounds; ++round) {
          const std::lock_guard guard(lock);
          const long seen = changes;
          if (round % 1000 == 0) std::this_thread::yield();  // so that others have to wait
          changes = seen + 1;
        }
      });
    }
  }
  CHECK(changes == long{rounds} * thread_count);
}

}  // namespace perigee::test
