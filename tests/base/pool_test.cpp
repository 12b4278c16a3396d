// The pool: blocks are usable and distinct, and released blocks are used again, on any thread.
#include "base/sanitizer.h"
#include "support/allocations.h"
#include <perigee/base/pool.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#ifdef PERIGEE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace perigee {
namespace {

using Blocks = std::vector<void*>;

void allocate_all(Blocks& blocks, std::size_t size) {
  for (void*& block : blocks) block = pool::allocate(size);
}
void release_all(const Blocks& blocks, std::size_t size) {
  for (void* const block : blocks) pool::release(block, size);
}
void on_another_thread(auto work) { std::thread(work).join(); }

TEST_CASE("blocks of every size are aligned, apart from each other, and wholly usable") {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t size = 0; size <= pool::pooled_size_max + 300; size += 7) {
    auto* const block = static_cast<unsigned char*>(pool::allocate(size));
    REQUIRE(reinterpret_cast<std::uintptr_t>(block) % __STDCPP_DEFAULT_NEW_ALIGNMENT__ == 0);
    std::memset(block, static_cast<int>(size % 251), size);
    blocks.emplace_back(block, size);
  }
  for (const auto& [block, size] : blocks) {
    const auto kept = [value = size % 251](unsigned char octet) { return octet == value; };
    CHECK(std::all_of(block, block + size, kept));
    pool::release(block, size);
  }
}

TEST_CASE("blocks above the pool's sizes come from operator new and go back to it") {
  const test::Allocations used = test::allocations_of([] {
    const std::size_t size = pool::pooled_size_max + 1;
    pool::release(pool::allocate(size), size);
  });
  CHECK(used.count == 1);
  CHECK(used.freed == 1);
}

TEST_CASE("a container can have its memory in the pool") {
  std::list<int, pool_allocator<int>> numbers;
  for (int number = 0; number != 1000; ++number) numbers.push_back(number);
  CHECK(numbers.size() == 1000);
  CHECK_THROWS_AS(static_cast<void>(pool_allocator<int>().allocate(~std::size_t{0} / 2)),
                  std::bad_array_new_length);
}

TEST_CASE("threads that allocate, and release blocks of other threads, get distinct blocks") {
  // Each thread writes its number into its blocks. The previous thread then checks that number and
  // releases the blocks.
  constexpr std::size_t threads = 4;
  constexpr std::size_t rounds = 50;
  std::vector<std::vector<Blocks>> handed(threads, std::vector<Blocks>(rounds, Blocks(200)));
  std::vector<std::size_t> spoiled(threads, 0);
  const auto size_of = [](std::size_t round) { return 64 + round * 80; };
  const auto fill = [&](std::size_t self) {
    for (std::size_t round = 0; round != rounds; ++round) {
      allocate_all(handed[self][round], size_of(round));
      for (void* const block : handed[self][round]) std::memcpy(block, &self, sizeof(self));
    }
  };
  const auto check = [&](std::size_t self) {
    const std::size_t other = (self + 1) % threads;
    for (std::size_t round = 0; round != rounds; ++round) {
      for (const void* const block : handed[other][round]) {
        if (std::memcmp(block, &other, sizeof(other)) != 0) ++spoiled[self];
      }
      release_all(handed[other][round], size_of(round));
    }
  };
  const auto on_threads = [](const auto& work) {
    std::vector<std::thread> running;
    for (std::size_t self = 0; self != threads; ++self) running.emplace_back(work, self);
    for (std::thread& thread : running) thread.join();
  };
  for (int turn = 0; turn != 3; ++turn) {
    on_threads(fill);
    on_threads(check);
  }
  CHECK(spoiled == std::vector<std::size_t>(threads, 0));
}

#ifdef PERIGEE_ADDRESS_SANITIZER

TEST_CASE("the address sanitizer detects the use of a released block") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{300}, pool::pooled_size_max}) {
    void* const block = pool::allocate(size);
    CHECK(__asan_address_is_poisoned(block) == 0);
    CHECK(__asan_address_is_poisoned(static_cast<char*>(block) + size) == 1);
    pool::release(block, size);
    CHECK(__asan_address_is_poisoned(block) == 1);
  }
}

#else

/// Sizes that probably no other code in this program has used before.
constexpr std::size_t sizes[] = {1, 200, 1000, 1100, 4096};

TEST_CASE("nothing is allocated in the steady state") {
  for (const std::size_t size : sizes) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{10}, std::size_t{3000}}) {
      Blocks blocks(count);
      const auto use = [&] {
        allocate_all(blocks, size);
        release_all(blocks, size);
      };
      use();
      const test::Allocations used = test::allocations_of(use);
      CHECK(used.count == 0);
      CHECK(used.freed == 0);
    }
  }
}

TEST_CASE("nothing is allocated in the steady state if another thread releases the blocks") {
  // The thread sanitizer also counts the cost of a thread's first use.
  constexpr std::size_t kept_max = pool::thread_kept_max + 64;
  for (const std::size_t size : sizes) {
    Blocks blocks(3000);
    allocate_all(blocks, size);
    on_another_thread([&] { release_all(blocks, size); });
    test::Allocations used = test::allocations_of([&] { allocate_all(blocks, size); });
    // An ending thread frees its blocks that do not fill a batch.
    CHECK(used.octets <= kept_max);
    on_another_thread([&] {
      release_all(blocks, size);
      // While the releasing thread lives, it keeps at most `thread_kept_max` octets.
      on_another_thread([&] { used = test::allocations_of([&] { allocate_all(blocks, size); }); });
      CHECK(used.octets <= kept_max);
      release_all(blocks, size);
    });
  }
}

TEST_CASE("other threads can use the blocks that an ended thread has released") {
  constexpr std::size_t size = 777;
  Blocks blocks(20);  // more than one batch, less than two
  std::set<void*> first;
  on_another_thread([&] {
    allocate_all(blocks, size);
    first.insert(blocks.begin(), blocks.end());
    release_all(blocks, size);
  });
  on_another_thread([&] { allocate_all(blocks, size); });
  CHECK(std::ranges::any_of(blocks, [&](void* block) { return first.contains(block); }));
  release_all(blocks, size);
}

/// Uses the pool when its thread ends.
struct UserAtTheEnd {
  explicit UserAtTheEnd(test::Allocations& used) : used_(used) {}
  UserAtTheEnd(const UserAtTheEnd&) = delete;
  UserAtTheEnd& operator=(const UserAtTheEnd&) = delete;
  ~UserAtTheEnd() {
    used_ = test::allocations_of([this] {
      pool::release(block_, 1900);
      pool::release(pool::allocate(1900), 1900);
    });
  }

 private:
  test::Allocations& used_;
  void* block_ = pool::allocate(1900);
};

TEST_CASE("a thread's last destructors may use the pool, which keeps no blocks for the thread") {
  test::Allocations before;
  test::Allocations after;
  on_another_thread([&] {
    pool::release(pool::allocate(1900), 1900);
    static thread_local const UserAtTheEnd user(before);
    static_cast<void>(user);
  });
  on_another_thread([&] {
    static thread_local std::unique_ptr<UserAtTheEnd> user;
    user = std::make_unique<UserAtTheEnd>(after);
  });
  CHECK(before.count == 0);
  CHECK(before.freed == 0);
  CHECK(after.count == 1);
  CHECK(after.freed == 2);
}

TEST_CASE("blocks above the pool's limits are freed") {
  constexpr std::size_t size = pool::pooled_size_max;
  constexpr std::size_t kept_max = (pool::shared_kept_max + pool::thread_kept_max) / size;
  Blocks blocks(kept_max + 100);
  allocate_all(blocks, size);
  const test::Allocations used = test::allocations_of([&] { release_all(blocks, size); });
  CHECK(used.freed >= 100);
}

#endif

}  // namespace
}  // namespace perigee
