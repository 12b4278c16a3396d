// The storage of one message, in mappings and on the heap.
#include "base/sanitizer.h"
#include "engine/memory/budget.h"
#include "engine/memory/decoded_share.h"
#include "engine/memory/mapping_cache.h"
#include "engine/memory/units.h"
#include <perigee/messaging/message.h>
#include <perigee/messaging/storage.h>

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace perigee::engine::test {
namespace {

using messaging::MessageStorage;

std::shared_ptr<MappingCache> make_cache() {
  return std::make_shared<MappingCache>(steady_clock(), nullptr, MappingCache::Limits{});
}

class OrbStandIn final : public cdr::Environment {
 public:
  explicit OrbStandIn(cdr::DecodedBudget& budget) { decoded_budget_ = &budget; }
};

/// Lends the first `blocks` blocks, and refuses further ones. Never extends a block.
class MiserlySource final : public messaging::StorageSource {
 public:
  explicit MiserlySource(int blocks) : left_(blocks) {}
  messaging::StorageBlock take(const messaging::StorageNeed& need) noexcept override {
    return left_-- > 0 ? cache_->take(need) : messaging::StorageBlock();
  }
  bool extend(messaging::StorageBlock& /*block*/, std::size_t /*capacity*/) noexcept override {
    return false;
  }
  void give_back(const messaging::StorageBlock& block) noexcept override {
    cache_->give_back(block);
  }

 private:
  std::shared_ptr<MappingCache> cache_ = make_cache();
  int left_;
};

// A sanitizer has reserved more address space than any limit of these tests allows.
constexpr bool can_limit_address_space = !under_sanitizer;

/// Lowers the limit of address space for a while.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(rlim_t octets) {
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{octets, before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
  }
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &before_); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("storage above 256 KiB is a block of the announced size, and its octets never move") {
  MessageStorage storage;
  CHECK(storage == nullptr);
  REQUIRE(storage.reserve({0, 16, 8 * mib, true}, make_cache()));
  CHECK(storage.is_block());
  CHECK(storage.capacity() == 8 * mib);
  const std::byte* const place = storage.data();
  for (std::size_t size = 1; size <= 8 * mib; size *= 2) {
    std::memset(storage.data(), 1, size);
    REQUIRE(storage.reserve({size, size, 8 * mib, true}, nullptr));
  }
  CHECK(storage.data() == place);
}

TEST_CASE(
    "small storage and storage without a source are on the heap, with at most 256 KiB at first") {
  MessageStorage small;
  REQUIRE(small.reserve({0, 16, 256 * kib, true}, make_cache()));
  CHECK_FALSE(small.is_block());
  CHECK(small.capacity() == 256 * kib);
  MessageStorage large;
  REQUIRE(large.reserve({0, 16, 8 * mib, true}, nullptr));
  CHECK(large.capacity() == 256 * kib);
  REQUIRE(large.reserve({256 * kib, 256 * kib + 1, 8 * mib, true}, nullptr));
  CHECK(large.capacity() == 1 * mib);
}

TEST_CASE("storage of a message in fragments is a block from a first piece above 64 KiB on") {
  MessageStorage small;
  REQUIRE(small.reserve({0, 16, 64 * kib, false}, make_cache()));
  CHECK_FALSE(small.is_block());
  MessageStorage large;
  const auto cache = make_cache();
  REQUIRE(large.reserve({0, 16, 128 * kib, false}, cache));
  CHECK(large.is_block());
  REQUIRE(large.reserve({128 * kib, 128 * kib + 16, 256 * kib, false}, cache));
  CHECK(large.is_block());
  CHECK(large.capacity() == 256 * kib);
}

TEST_CASE("storage of a fragmented message doubles, and keeps its contents") {
  for (const bool mapped : {true, false}) {
    CAPTURE(mapped);
    const std::shared_ptr<messaging::StorageSource> source = mapped ? make_cache() : nullptr;
    MessageStorage storage;
    std::size_t grown = 0;
    for (std::size_t size = 0; size < 20 * mib; size += mib) {
      const std::byte* const before = storage.data();
      REQUIRE(storage.reserve({size, size + mib, size + mib, false}, source));
      if (storage.data() != before) ++grown;
      std::memset(storage.data() + size, static_cast<int>(size / mib), mib);
    }
    CHECK(grown <= 6);
    for (std::size_t size = 0; size < 20 * mib; size += mib)
      CHECK(storage.data()[size] == static_cast<std::byte>(size / mib));
  }
}

TEST_CASE("storage continues on the heap when the source refuses to lend or to grow") {
  for (const int blocks : {0, 1}) {
    CAPTURE(blocks);
    const auto source = std::make_shared<MiserlySource>(blocks);
    MessageStorage storage;
    REQUIRE(storage.reserve({0, 16, mib, false}, source));
    CHECK(storage.is_block() == (blocks == 1));
    storage.data()[15] = std::byte{9};
    REQUIRE(storage.reserve({16, 3 * mib, 3 * mib, false}, source));
    CHECK_FALSE(storage.is_block());
    CHECK(storage.data()[15] == std::byte{9});
  }
}

TEST_CASE("storage starts on the heap if the address space is too small for the whole message" *
          doctest::skip(!can_limit_address_space)) {
  const auto cache = make_cache();
  const AddressSpaceLimit limit(2048 * mib);
  MessageStorage storage;
  REQUIRE(storage.reserve({0, 16, 4000 * mib, true}, cache));
  CHECK_FALSE(storage.is_block());
  CHECK(storage.capacity() == 256 * kib);
}

TEST_CASE("a failed reservation changes nothing" * doctest::skip(!can_limit_address_space)) {
  MessageStorage storage;
  REQUIRE(storage.reserve({0, 100, 100, true}, nullptr));
  const std::byte* const place = storage.data();
  const AddressSpaceLimit limit(2048 * mib);
  CHECK_FALSE(storage.reserve({100, 4000 * mib, 4000 * mib, true}, nullptr));
  CHECK(storage.data() == place);
  CHECK(storage.capacity() == 100);
}

TEST_CASE("moved-from storage is null, and the cache keeps memory only of complete messages") {
  const auto cache = make_cache();
  MessageStorage storage;
  REQUIRE(storage.reserve({0, 16, mib, true}, cache));
  CHECK(storage.charged(300 * kib) == 300 * kib);
  MessageStorage moved = std::move(storage);
  CHECK(storage == nullptr);  // NOLINT(bugprone-use-after-move): this is tested
  moved.reset();
  CHECK(cache->kept() == 0);
  REQUIRE(moved.reserve({0, 16, mib, true}, cache));
  moved.complete(700 * kib);
  moved.reset();
  CHECK(cache->kept() == 700 * kib);
  REQUIRE(moved.reserve({0, 16, mib, true}, cache));
  CHECK(moved.charged(16) == 700 * kib);
  moved.reset();
}

/// Octets of storage that have physical memory.
std::size_t resident_of(const MessageStorage& storage) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages(storage.capacity() / page);
  REQUIRE(mincore(storage.data(), storage.capacity(), pages.data()) == 0);
  std::size_t resident = 0;
  for (const unsigned char flags : pages) resident += (flags & 1U) != 0 ? page : 0;
  return resident;
}

TEST_CASE("large storage takes no more memory than it is charged for, large pages or not") {
  MessageStorage storage;
  constexpr std::size_t step = 256 * kib;
  REQUIRE(storage.reserve({0, 16, 64 * mib, true}, make_cache()));
  for (std::size_t used = 0; used < 64 * mib; used += step) {
    storage.go_on_filling(used);
    std::memset(storage.data() + used, 1, step);
    if (used % (3 * mib) == 0) CHECK(resident_of(storage) <= storage.charged(used + step));
  }
  CHECK(storage.charged(64 * mib) == 64 * mib);
}

TEST_CASE("an announced size is not charged; a large page is charged when 2 MiB have arrived") {
  MessageStorage storage;
  REQUIRE(storage.reserve({0, 16, 64 * mib, true}, make_cache()));
  storage.go_on_filling(mib);
  CHECK(storage.charged(mib) == mib);
  storage.go_on_filling(3 * mib);
  CHECK(storage.charged(3 * mib) == 5 * mib);
}

TEST_CASE("a stream of large messages reuses memory and causes few page faults") {
  const auto cache = make_cache();
  const auto receive = [&cache](bool is_total) {
    MessageStorage storage;
    for (std::size_t used = 0; used < 48 * mib; used += mib) {
      const std::size_t announced = is_total ? 48 * mib : used + mib;
      REQUIRE(storage.reserve({used, used + mib, announced, is_total}, cache));
      storage.go_on_filling(used);
      std::memset(storage.data() + used, 1, mib);
    }
    storage.complete(48 * mib);
  };
  for (const bool is_total : {true, false}) {
    CAPTURE(is_total);
    receive(is_total);
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    for (int message = 0; message < 4; ++message) receive(is_total);
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_minflt - before.ru_minflt < 256);  // each message has 12,288 pages
  }
}

TEST_CASE("a kept message has its octets on the heap") {
  const std::array<std::byte, 3> octets{std::byte{1}, std::byte{2}, std::byte{3}};
  messaging::IncomingMessage message;
  message.octets = octets;
  message.keep();
  CHECK(message.octets.data() == message.storage.data());
  CHECK(message.octets[2] == std::byte{3});
  const std::byte* const place = message.octets.data();
  message.keep();
  CHECK(message.octets.data() == place);
}

TEST_CASE(
    "shared memory of a message is given back when the message and all its sharers have ended") {
  for (const std::size_t size : {64 * kib, 4 * mib}) {
    const auto cache = make_cache();
    MessageStorage storage;
    REQUIRE(storage.reserve({0, size, size, true}, cache));
    std::memset(storage.data(), 7, size);
    storage.complete(size);
    const std::byte* const place = storage.data();
    auto first = storage.share(cdr::PinCharge(nullptr), size);
    auto second = storage.share(cdr::PinCharge(nullptr), size);
    CHECK(storage.data() == place);
    MessageStorage(std::move(storage)).reset();
    first.reset();
    CHECK(place[size - 1] == std::byte{7});
    CHECK(cache->kept() == 0);
    second.reset();
    CHECK(cache->kept() == (size > MessageStorage::mapped_above ? size : 0));
  }
}

TEST_CASE("the message keeps its memory after the pinned values have ended") {
  const auto cache = make_cache();
  MessageStorage storage;
  REQUIRE(storage.reserve({0, 4 * mib, 4 * mib, true}, cache));
  std::memset(storage.data(), 7, 4 * mib);
  storage.complete(4 * mib);
  (void)storage.share(cdr::PinCharge(nullptr), 4 * mib);
  CHECK(storage.data()[mib] == std::byte{7});
  CHECK(cache->kept() == 0);
  storage.reset();
  CHECK(cache->kept() == 4 * mib);
}

TEST_CASE("a message charges the budget once for all that share it, until it is given back") {
  const auto budget = std::make_shared<MemoryBudget>(MemoryBudget::Limits{.decoded = 5 * mib});
  const auto share = make_counted<DecodedShare>(budget);
  OrbStandIn orb(*share);
  MessageStorage storage;
  REQUIRE(storage.reserve({0, 4 * mib, 4 * mib, true}, make_cache()));
  auto first = storage.share(cdr::PinCharge(&orb), 4 * mib);
  auto second = storage.share(cdr::PinCharge(&orb), 4 * mib);
  REQUIRE(second);
  CHECK(budget->charged(Use::decoded) == 4 * mib);
  MessageStorage other;
  REQUIRE(other.reserve({0, 4 * mib, 4 * mib, true}, make_cache()));
  CHECK_FALSE(other.share(cdr::PinCharge(&orb), 4 * mib));
  CHECK(other.data() != nullptr);
  first.reset();
  second.reset();
  CHECK(budget->charged(Use::decoded) == 4 * mib);
  storage.reset();
  CHECK(budget->charged(Use::decoded) == 0);
}

}  // namespace
}  // namespace perigee::engine::test
