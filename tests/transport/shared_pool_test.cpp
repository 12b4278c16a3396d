// Pools of shared buffers: blocks, gaps, the owners of blocks, and limits.
#include <perigee/transport/shared_pool.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

namespace perigee::test {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

shared_pool make_pool(std::size_t size) {
  auto pool = shared_pool::make(size);
  REQUIRE(pool);
  return *pool;
}

TEST_CASE("a pool lends blocks without overlap until it is full") {
  const shared_pool pool = make_pool(mib);
  std::vector<shared_buffer> blocks;
  while (const shared_buffer block = pool.allocate(100 * kib)) blocks.push_back(block);
  CHECK(blocks.size() == 10);
  for (std::size_t index = 0; index < blocks.size(); ++index)
    std::memset(blocks[index].data(), static_cast<int>(index), blocks[index].size());
  for (std::size_t index = 0; index < blocks.size(); ++index)
    CHECK(std::ranges::count(blocks[index].octets(), static_cast<std::byte>(index)) == 100 * kib);
  blocks.clear();
  CHECK(pool.used() == 0);
  CHECK(pool.allocate(mib).size() == mib);
}

TEST_CASE("gaps join, whichever of three blocks is freed last") {
  for (const int last : {0, 1, 2}) {
    const shared_pool pool = make_pool(3 * 64 * kib);
    std::vector<shared_buffer> blocks;
    for (int number = 0; number < 3; ++number) blocks.push_back(pool.allocate(64 * kib));
    for (std::size_t number = 0; number < 3; ++number)
      if (static_cast<int>(number) != last) blocks[number] = shared_buffer();
    CHECK_FALSE(pool.allocate(3 * 64 * kib));
    blocks.clear();
    CHECK(pool.allocate(3 * 64 * kib));
  }
}

TEST_CASE("the pool uses a block again when its last copy is gone") {
  const shared_pool pool = make_pool(64 * kib);
  shared_buffer block = pool.allocate(64 * kib);
  const shared_buffer::Place first = block.place();
  std::optional<shared_buffer> copy = block;
  block = shared_buffer();
  CHECK_FALSE(pool.allocate(1));
  std::thread([&copy] { copy.reset(); }).join();
  block = pool.allocate(64 * kib);
  REQUIRE(block);
  CHECK(block.place().offset == first.offset);
  CHECK(block.place().generation != first.generation);
}

TEST_CASE("a block keeps the memory of its pool alive after the pool object is gone") {
  shared_buffer block;
  {
    const shared_pool pool = make_pool(64 * kib);
    block = pool.allocate(10);
  }
  std::memset(block.data(), 7, block.size());
  CHECK(block.octets()[9] == std::byte{7});
}

TEST_CASE(
    "find returns the block that contains all the octets, and none for octets partly or wholly "
    "outside, or in a freed block") {
  const shared_pool pool = make_pool(mib);
  const shared_buffer first = pool.allocate(100);
  const shared_buffer second = pool.allocate(200);
  CHECK(pool.find(first.octets()).place().generation == first.place().generation);
  CHECK(pool.find(second.octets().subspan(50, 150)).place().offset == second.place().offset);
  CHECK_FALSE(pool.find(OctetSpan(first.data(), 101)));
  CHECK_FALSE(pool.find(OctetSpan(first.data() + 100, 1)));
  CHECK_FALSE(pool.find(OctetSpan(first.data() - 1, 1)));
  CHECK_FALSE(pool.find(OctetSpan(second.data() + 200, 10)));
  const std::byte elsewhere{};
  CHECK_FALSE(pool.find(OctetSpan(&elsewhere, 1)));
  const OctetSpan freed = pool.allocate(64).octets();
  CHECK_FALSE(pool.find(freed));
}

TEST_CASE("the file of a pool has a fixed size, and shows its octets to a second mapping") {
  const shared_pool pool = make_pool(64 * kib);
  const int seals = ::fcntl(pool.file(), F_GET_SEALS);
  CHECK((seals & (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) ==
        (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL));
  const shared_vector<std::uint32_t> numbers(pool, 100, 5);
  void* const second = ::mmap(nullptr, pool.size(), PROT_READ, MAP_SHARED, pool.file(), 0);
  REQUIRE(second != MAP_FAILED);
  std::uint32_t last = 0;
  const std::size_t offset = numbers.buffer().place().offset + 99 * sizeof last;
  std::memcpy(&last, static_cast<const std::byte*>(second) + offset, sizeof last);
  CHECK(last == 5);
  CHECK(::munmap(second, pool.size()) == 0);
}

TEST_CASE(
    "the pool refuses sizes that are zero, too large or not available; a vector may be empty") {
  CHECK(shared_pool::make(0).error().kind == IoErrorKind::limit);
  CHECK(shared_pool::make(shared_pool::size_max + 1).error().kind == IoErrorKind::limit);
  const shared_pool pool = make_pool(64 * kib);
  CHECK_FALSE(pool.allocate(0));
  CHECK_FALSE(pool.allocate(pool.size() + 1));
  CHECK_FALSE(pool.allocate(~std::size_t{0}));
  CHECK_THROWS_AS(shared_vector<double>(pool, pool.size()), std::bad_alloc);
  CHECK_THROWS_AS(shared_vector<double>(pool, ~std::size_t{0}), std::bad_alloc);
  CHECK(shared_vector<double>(pool, 0).empty());
}

TEST_CASE("several threads allocate and free blocks of one pool") {
  const shared_pool pool = make_pool(mib);
  std::vector<std::jthread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&pool, number] {
      for (std::size_t round = 0; round < 1000; ++round) {
        const shared_buffer block = pool.allocate(1 + (round * 997) % (64 * kib));
        if (!block) continue;
        std::memset(block.data(), number, block.size());
        if (pool.find(block.octets()).place().generation != block.place().generation)
          throw std::logic_error("another block was found");
      }
    });
  threads.clear();
  CHECK(pool.used() == 0);
}

}  // namespace
}  // namespace perigee::test
