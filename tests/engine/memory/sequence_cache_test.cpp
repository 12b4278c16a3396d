// The vectors of large parameters: found again by the next call, and bounded.
#include "engine/memory/sequence_cache.h"

#include "engine/memory/units.h"
#include "support/fake_clock.h"
#include <perigee/cdr/kept_sequence.h>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <bit>
#include <cstring>
#include <numeric>

namespace perigee::engine::test {
namespace {

using cdr::LargeVector;
using perigee::test::FakeClock;
using std::chrono::seconds;

/// The environment of an ORB, as far as sequences need it.
struct Environment final : cdr::Environment {
  explicit Environment(cdr::SequenceMemory* memory) { sequence_memory_ = memory; }
};

struct Fixture {
  FakeClock clock;
  std::shared_ptr<MemoryBudget> budget =
      std::make_shared<MemoryBudget>(MemoryBudget::Limits{.unfinished = 100 * mib});
  SequenceCache cache{clock, budget, {.size_max = 16 * mib, .entry_max = 80 * mib}};
  Environment environment{&cache};

  /// The place of the vector that a skeleton decodes from these octets.
  template <typename T>
  const T* decode(OctetSpan octets) {
    cdr::Decoder decoder(octets, std::endian::native);
    decoder.set_environment(&environment);
    cdr::KeptSequence<T> values;
    decoder >> values;
    CHECK(decoder.ok());
    const std::vector<T>& vector = values;
    const std::size_t size = vector.size() * sizeof(T);
    CHECK(std::memcmp(vector.data(), octets.data() + octets.size() - size, size) == 0);
    return vector.data();
  }
};

/// A CDR sequence whose elements take `size` octets in all, and `element_size` octets each.
Octets encoded(std::size_t size, std::size_t element_size = 1) {
  const std::size_t front = std::max(sizeof(std::uint32_t), element_size);
  Octets octets(front + size);
  const auto count = static_cast<std::uint32_t>(size / element_size);
  std::memcpy(octets.data(), &count, sizeof count);
  for (std::size_t index = front; index < octets.size(); ++index)
    octets[index] = static_cast<std::byte>(index % 251);
  return octets;
}

/// The decoder asks for this many more octets than a sequence has: see copy.h.
constexpr std::size_t spare = 32;

TEST_CASE("a large parameter reuses the memory of the previous call, whatever its size was") {
  Fixture fixture;
  const auto* const first = fixture.decode<std::uint8_t>(encoded(4 * mib));
  CHECK(fixture.cache.kept() == 4 * mib + spare);
  CHECK(fixture.budget->charged(Use::unfinished) == 4 * mib + spare);
  CHECK(fixture.decode<std::uint8_t>(encoded(3 * mib)) == first);
  CHECK(fixture.decode<std::uint8_t>(encoded(4 * mib)) == first);
  CHECK(fixture.cache.kept() == 4 * mib + spare);
}

TEST_CASE("small parameters are not kept, and leave kept memory alone") {
  Fixture fixture;
  (void)fixture.decode<std::uint8_t>(encoded(256 * kib));
  CHECK(fixture.cache.kept() == 0);
  (void)fixture.decode<std::uint8_t>(encoded(2 * mib));
  (void)fixture.decode<std::uint8_t>(encoded(300 * kib));
  CHECK(fixture.cache.kept() == 2 * mib + 300 * kib + 2 * spare);
}

TEST_CASE("kept memory is reused only for elements of the same type") {
  Fixture fixture;
  (void)fixture.decode<std::uint8_t>(encoded(4 * mib));
  (void)fixture.decode<double>(encoded(4 * mib, sizeof(double)));
  CHECK(fixture.cache.kept() == 8 * mib + 2 * spare);
}

TEST_CASE("a decoder without an ORB keeps nothing") {
  const Octets octets = encoded(4 * mib);
  cdr::Decoder decoder(octets, std::endian::native);
  cdr::KeptSequence<std::uint8_t> values;
  decoder >> values;
  const std::vector<std::uint8_t>& vector = values;
  CHECK(vector.size() == 4 * mib);
}

TEST_CASE("a length beyond the octets of the message takes no memory, and gives an empty vector") {
  Fixture fixture;
  (void)fixture.decode<std::uint8_t>(encoded(4 * mib));
  Octets octets = encoded(mib);
  const std::uint32_t count = 3 * mib;
  std::memcpy(octets.data(), &count, sizeof count);
  cdr::Decoder decoder(octets, std::endian::native);
  decoder.set_environment(&fixture.environment);
  cdr::KeptSequence<std::uint8_t> values;
  decoder >> values;
  CHECK_FALSE(decoder.ok());
  const std::vector<std::uint8_t>& vector = values;
  CHECK(vector.empty());
  CHECK(fixture.cache.kept() == 4 * mib + spare);
}

TEST_CASE(
    "the cache keeps a limited size and one larger vector, and nothing that exceeds the budget") {
  Fixture fixture;
  for (int count = 0; count < 6; ++count) {
    cdr::KeptSequence<std::uint8_t> other;  // both are in use at the same time
    const Octets octets = encoded(6 * mib);
    cdr::Decoder decoder(octets, std::endian::native);
    decoder.set_environment(&fixture.environment);
    decoder >> other;
    (void)fixture.decode<std::uint8_t>(encoded(6 * mib));
  }
  CHECK(fixture.cache.kept() == 12 * mib + 2 * spare);
  (void)fixture.decode<std::uint8_t>(encoded(40 * mib));
  CHECK(fixture.cache.kept() == 52 * mib + 2 * spare);
  (void)fixture.decode<std::uint8_t>(encoded(81 * mib));
  CHECK(fixture.cache.kept() == 52 * mib + 2 * spare);
  CHECK(fixture.cache.clear());
  REQUIRE(fixture.budget->try_charge(Use::unfinished, 98 * mib));
  (void)fixture.decode<std::uint8_t>(encoded(4 * mib));
  CHECK(fixture.cache.kept() == 0);
}

TEST_CASE("a kept vector is freed after five seconds, and when the ORB ends") {
  Fixture fixture;
  (void)fixture.decode<std::uint8_t>(encoded(4 * mib));
  fixture.clock.advance(seconds(4));
  CHECK(fixture.cache.trim());
  fixture.clock.advance(seconds(1));
  CHECK_FALSE(fixture.cache.trim());
  CHECK(fixture.cache.kept() == 0);
  CHECK(fixture.budget->charged(Use::unfinished) == 0);
  fixture.cache.close();
  (void)fixture.decode<std::uint8_t>(encoded(4 * mib));
  CHECK(fixture.cache.kept() == 0);
}

std::size_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_minflt);
}

TEST_CASE("a stream of large parameters causes no page fault for each page") {
  Fixture fixture;
  const Octets octets = encoded(48 * mib);
  (void)fixture.decode<std::uint8_t>(octets);
  const std::size_t before = page_faults();
  for (int call = 0; call < 4; ++call) (void)fixture.decode<std::uint8_t>(octets);
  CHECK(page_faults() - before < 256);  // 12,288 pages in each
}

}  // namespace
}  // namespace perigee::engine::test
