// Mappings for large messages. They take physical memory only for octets that are stored, and only
// as long as needed.
#include "engine/memory/mapping_cache.h"

#include "engine/memory/units.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <vector>

namespace perigee::engine::test {
namespace {

using messaging::StorageBlock;
using messaging::StorageNeed;
using perigee::test::FakeClock;
using std::chrono::seconds;

/// Octets of a block that have physical memory.
std::size_t resident_of(const StorageBlock& block) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages(block.capacity / page);
  REQUIRE(mincore(block.octets, block.capacity, pages.data()) == 0);
  std::size_t resident = 0;
  for (const unsigned char flags : pages) resident += (flags & 1U) != 0 ? page : 0;
  return resident;
}

StorageNeed total(std::size_t size) { return {0, 1, size, true}; }
StorageNeed first_fragment(std::size_t size) { return {0, 1, size, false}; }

struct Fixture {
  FakeClock clock;
  std::shared_ptr<MemoryBudget> budget =
      std::make_shared<MemoryBudget>(MemoryBudget::Limits{.unfinished = 100 * mib});
  MappingCache cache{clock, budget, {.size_max = 16 * mib}};

  /// A block of a message of this size that has arrived as a whole.
  StorageBlock fill(const StorageNeed& need, std::size_t size) {
    StorageBlock block = cache.take(need);
    REQUIRE(block.octets != nullptr);
    if (block.capacity < size) REQUIRE(cache.extend(block, size));
    std::memset(block.octets, 1, size);
    block.resident = std::max(block.resident, size);
    return block;
  }
};

TEST_CASE("a block takes physical memory only where octets are stored") {
  Fixture fixture;
  StorageBlock block = fixture.cache.take(total(1024 * mib));
  REQUIRE(block.octets != nullptr);
  CHECK(block.capacity == 1024 * mib);
  CHECK(block.resident == 0);
  CHECK(resident_of(block) == 0);
  std::memset(block.octets, 1, 3 * mib);
  CHECK(resident_of(block) == 3 * mib);
  block.resident = 0;  // dropped before it was complete
  fixture.cache.give_back(block);
  CHECK(fixture.cache.kept() == 0);
}

TEST_CASE("of several blocks of one size, the newest is lent first") {
  Fixture fixture;
  const StorageBlock first = fixture.fill(total(mib), mib);
  const StorageBlock second = fixture.fill(total(mib), mib);
  fixture.cache.give_back(first);
  fixture.cache.give_back(second);
  CHECK(fixture.cache.take(total(mib)).octets == second.octets);
  const StorageBlock last = fixture.cache.take(total(mib));
  CHECK(last.octets == first.octets);
  fixture.cache.give_back(last);
  fixture.cache.give_back(second);
}

TEST_CASE("a block keeps its contents when it grows") {
  Fixture fixture;
  StorageBlock block = fixture.fill(first_fragment(mib), mib);
  block.octets[mib - 1] = std::byte{7};
  REQUIRE(fixture.cache.extend(block, 64 * mib));
  CHECK(block.capacity == 64 * mib);
  CHECK(block.octets[mib - 1] == std::byte{7});
  fixture.cache.give_back(block);
}

TEST_CASE("the next message reuses the pages of the previous message, and the budget counts them") {
  Fixture fixture;
  const StorageBlock first = fixture.fill(total(4 * mib), 4 * mib);
  fixture.cache.give_back(first);
  CHECK(fixture.cache.kept() == 4 * mib);
  CHECK(fixture.budget->charged(Use::unfinished) == 4 * mib);
  for (const StorageNeed& need : {total(4 * mib), first_fragment(mib), total(2 * mib)}) {
    const StorageBlock next = fixture.cache.take(need);
    CHECK(next.octets == first.octets);
    CHECK(next.resident == 4 * mib);
    CHECK(fixture.budget->charged(Use::unfinished) == 0);
    fixture.cache.give_back(next);
  }
}

TEST_CASE("a small message does not take the memory of a much larger message") {
  Fixture fixture;
  fixture.cache.give_back(fixture.fill(total(8 * mib), 8 * mib));
  const StorageBlock block = fixture.cache.take(total(mib));
  CHECK(block.resident == 0);
  CHECK(fixture.cache.kept() == 8 * mib);
  fixture.cache.give_back(block);
}

TEST_CASE("of several kept blocks the smallest that is large enough is taken") {
  Fixture fixture;
  std::vector<StorageBlock> blocks;
  for (const std::size_t size : {2u, 6u, 4u})
    blocks.push_back(fixture.fill(total(size * mib), size * mib));
  for (const StorageBlock& block : blocks) fixture.cache.give_back(block);
  CHECK(fixture.cache.take(total(3 * mib)).octets == blocks[2].octets);
  CHECK(fixture.cache.take(first_fragment(mib)).octets == blocks[1].octets);
  const StorageBlock grown = fixture.cache.take(total(5 * mib));
  CHECK(grown.resident == 2 * mib);
  CHECK(grown.capacity == 5 * mib);
}

TEST_CASE(
    "to stay within its size, the cache frees older blocks and keeps the front of larger blocks") {
  Fixture fixture;
  const StorageBlock old = fixture.fill(total(8 * mib), 8 * mib);
  const StorageBlock next = fixture.fill(total(9 * mib), 9 * mib);
  fixture.cache.give_back(old);
  fixture.cache.give_back(next);
  CHECK(fixture.cache.kept() == 9 * mib);
  fixture.cache.give_back(fixture.fill(total(40 * mib), 40 * mib));
  CHECK(fixture.cache.kept() == 16 * mib);
  const StorageBlock block = fixture.cache.take(total(40 * mib));
  CHECK(block.resident == 16 * mib);
  CHECK(block.capacity == 40 * mib);
  CHECK(resident_of(block) == 16 * mib);
  fixture.cache.give_back(block);
}

TEST_CASE("a stream of messages above the cache's size reuses its pages") {
  FakeClock clock;
  const auto budget = std::make_shared<MemoryBudget>(MemoryBudget::Limits{.unfinished = 100 * mib});
  MappingCache cache(clock, budget, {.size_max = 4 * mib, .entry_max = 32 * mib});
  const auto fill = [&cache](std::size_t size) {
    StorageBlock block = cache.take(total(size));
    REQUIRE(block.octets != nullptr);
    std::memset(block.octets, 1, size);
    block.resident = std::max(block.resident, size);
    return block;
  };
  const StorageBlock small = fill(2 * mib);
  const StorageBlock large = fill(24 * mib);
  const StorageBlock larger = fill(28 * mib);
  cache.give_back(small);
  cache.give_back(large);
  CHECK(cache.kept() == 26 * mib);
  SUBCASE("the next block of each size comes from the cache") {
    CHECK(cache.take(total(24 * mib)).resident == 24 * mib);
    CHECK(cache.take(total(2 * mib)).resident == 2 * mib);
    CHECK(cache.kept() == 0);
  }
  SUBCASE("the cache keeps one such block, besides the smaller blocks") {
    cache.give_back(larger);
    CHECK(cache.kept() == 30 * mib);
    cache.give_back(fill(3 * mib));
    CHECK(cache.kept() == 31 * mib);
    CHECK(budget->charged(Use::unfinished) == 31 * mib);
  }
  SUBCASE("the block is freed after five seconds, like the other blocks") {
    clock.advance(seconds(5));
    CHECK_FALSE(cache.trim());
    CHECK(cache.kept() == 0);
    CHECK(budget->charged(Use::unfinished) == 0);
  }
}

TEST_CASE("a cache of size zero keeps nothing") {
  const FakeClock clock;
  MappingCache cache(clock, nullptr, {.size_max = 0, .entry_max = 32 * mib});
  StorageBlock block = cache.take(total(mib));
  std::memset(block.octets, 1, mib);
  block.resident = mib;
  cache.give_back(block);
  CHECK(cache.kept() == 0);
}

TEST_CASE("kept blocks are freed after five seconds, and when the cache closes") {
  Fixture fixture;
  const StorageBlock a = fixture.fill(total(mib), mib);
  const StorageBlock b = fixture.fill(total(mib), mib);
  fixture.cache.give_back(a);
  fixture.clock.advance(seconds(3));
  fixture.cache.give_back(b);
  fixture.clock.advance(seconds(2));
  CHECK(fixture.cache.trim());
  CHECK(fixture.cache.kept() == mib);
  fixture.clock.advance(seconds(3));
  CHECK_FALSE(fixture.cache.trim());
  CHECK(fixture.cache.kept() == 0);
  const StorageBlock late = fixture.fill(total(mib), mib);
  fixture.cache.close();
  fixture.cache.give_back(late);
  CHECK(fixture.cache.kept() == 0);
  CHECK(fixture.budget->charged(Use::unfinished) == 0);
}

TEST_CASE("a block is not kept if the budget has no room for it") {
  Fixture fixture;
  fixture.budget->charge(Use::unfinished, 99 * mib + 1);
  fixture.cache.give_back(fixture.fill(total(mib), mib));
  CHECK(fixture.cache.kept() == 0);
}

}  // namespace
}  // namespace perigee::engine::test
