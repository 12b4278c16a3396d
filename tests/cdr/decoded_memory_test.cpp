// The memory that decoded values may take: limited for each message, and for all of an ORB.
#include "support/octets.h"
#include <perigee/cdr/operators.h>
#include <perigee/orb/map.h>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace perigee::cdr {

/// Like a generated union: large in memory, four octets on the wire.
struct Large {
  std::int32_t branch = 0;
  std::array<std::byte, 4092> unused;
};
Decoder& operator>>(Decoder& decoder, Large& value) { return decoder >> value.branch; }

namespace {

constexpr std::uint32_t kib = 1024;
constexpr std::uint32_t mib = 1024 * kib;

class Budget final : public DecodedBudget {
 public:
  explicit Budget(std::uint64_t limit) : limit_(limit) {}
  [[nodiscard]] bool try_charge(std::uint64_t octets) noexcept override {
    if (charged + octets > limit_) return false;
    charged += octets;
    return true;
  }
  void release(std::uint64_t octets) noexcept override { charged -= octets; }
  [[nodiscard]] counted_ptr<DecodedBudget> share() noexcept override { return nullptr; }

  std::uint64_t charged = 0;

 private:
  std::uint64_t limit_;
};

class OrbStandIn final : public Environment {
 public:
  explicit OrbStandIn(DecodedBudget& budget) { decoded_budget_ = &budget; }
};

Octets sequence_of_large(std::uint32_t count) {
  Buffer buffer;
  Encoder encoder(buffer);
  encoder.write(count);
  for (std::uint32_t element = 0; element < count; ++element) encoder.write(element);
  return buffer.flatten();
}

Limits allowing(std::uint32_t decoded) {
  Limits limits;
  limits.decoded_size_max = decoded;
  return limits;
}

TEST_CASE("a sequence whose elements are large in memory is refused before the memory is taken") {
  const Octets wire = sequence_of_large(100'000);
  Decoder decoder(wire, std::endian::native, 0, allowing(4 * mib));
  std::vector<Large> values;
  decoder >> values;
  CHECK(decoder.error().kind == ErrorKind::too_much_memory);
  CHECK(values.capacity() * sizeof(Large) <= 4 * mib + 8 * wire.size());
}

TEST_CASE("the values of a message may always take eight times its size") {
  const Octets wire = sequence_of_large(1);
  Octets longer = wire;
  longer.resize(sizeof(Large));
  for (const Octets& message : {wire, longer}) {
    Decoder decoder(message, std::endian::native, 0, allowing(0));
    for (int time = 0; time < 70; ++time)
      decoder.charge(sizeof(Large));  // more than the uncharged part
    CHECK(decoder.error().kind == ErrorKind::too_much_memory);
  }
  const Octets zeros(mib);
  Decoder decoder(zeros, std::endian::native, 0, allowing(0));
  decoder.charge(8 * mib);
  CHECK(decoder.ok());
  decoder.charge(1);
  CHECK(decoder.error().kind == ErrorKind::too_much_memory);
}

TEST_CASE("a message in pieces may take eight times the size of all pieces") {
  const Octets zeros(64 * kib);
  const std::array<std::size_t, 4> sizes{16 * kib, 16 * kib, 16 * kib, 16 * kib};
  Decoder decoder(zeros, std::endian::native, 0, allowing(mib));
  decoder.set_pieces(sizes.data());
  decoder.skip(60 * kib);
  decoder.charge(mib + 8 * zeros.size());
  CHECK(decoder.ok());
  decoder.charge(1);
  CHECK(decoder.error().kind == ErrorKind::too_much_memory);
}

TEST_CASE("small messages are not charged to the budget of the ORB") {
  Budget budget(0);
  OrbStandIn orb(budget);
  DecodedMemory memory;
  const Octets wire = sequence_of_large(60);
  Decoder decoder(wire, std::endian::native);
  decoder.set_environment(&orb);
  decoder.set_decoded_memory(memory);
  std::vector<Large> values;
  decoder >> values;
  CHECK(decoder.ok());
  CHECK(values.size() == 60);
  CHECK(memory.charged() == 0);
}

TEST_CASE("the memory of a message is charged to the budget until its owner is destroyed") {
  Budget budget(16 * mib);
  OrbStandIn orb(budget);
  const Octets wire = sequence_of_large(1000);
  std::vector<Large> values;
  {
    DecodedMemory memory;
    Decoder decoder(wire, std::endian::native);
    decoder.set_environment(&orb);
    decoder.set_decoded_memory(memory);
    decoder >> values;
    CHECK(decoder.ok());
    CHECK(memory.charged() >= 1000 * sizeof(Large) - 256 * kib);
    CHECK(budget.charged == memory.charged());
  }
  CHECK(budget.charged == 0);
}

TEST_CASE("a message that needs at most the rest of the budget is accepted") {
  Budget budget(9 * mib);
  OrbStandIn orb(budget);
  const Octets wire = sequence_of_large(1100);
  std::array<DecodedMemory, 2> memories;
  for (DecodedMemory& memory : memories) {
    Decoder decoder(wire, std::endian::native);
    decoder.set_environment(&orb);
    decoder.set_decoded_memory(memory);
    decoder.charge(1100 * sizeof(Large));
    CHECK(decoder.ok());
  }
}

TEST_CASE("a deferred request takes over the charge") {
  Budget budget(mib);
  DecodedMemory memory;
  REQUIRE(memory.try_charge(budget, 100));
  {
    const DecodedMemory later(std::move(memory));
    CHECK(budget.charged == 100);
  }
  CHECK(budget.charged == 0);
}

TEST_CASE("the largest limit is four GiB plus eight times the size of the message") {
  const Octets wire = sequence_of_large(1000);
  Decoder decoder(wire, std::endian::native, 0, allowing(~std::uint32_t{0}));
  decoder.charge(std::uint64_t{1} << 32);
  CHECK(decoder.ok());
  decoder.charge(8 * wire.size());
  CHECK(decoder.error().kind == ErrorKind::too_much_memory);
}

TEST_CASE("a full budget refuses the values of a message, and other messages keep their memory") {
  Budget budget(6 * mib);
  OrbStandIn orb(budget);
  const Octets wire = sequence_of_large(1000);
  std::array<DecodedMemory, 2> memories;
  std::array<std::vector<Large>, 2> values;
  std::array<ErrorKind, 2> errors{};
  for (std::size_t message = 0; message < 2; ++message) {
    Decoder decoder(wire, std::endian::native);
    decoder.set_environment(&orb);
    decoder.set_decoded_memory(memories[message]);
    decoder >> values[message];
    errors[message] = decoder.error().kind;
  }
  CHECK(errors[0] == ErrorKind::none);
  CHECK(errors[1] == ErrorKind::memory_full);
  CHECK(budget.charged == memories[0].charged() + memories[1].charged());
}

TEST_CASE("the entries of maps are charged") {
  Buffer buffer;
  Encoder encoder(buffer);
  encoder.write(std::uint32_t{20'000});
  for (std::uint32_t key = 0; key < 20'000; ++key) {
    encoder.write(key);
    encoder.write(key);
  }
  const Octets wire = buffer.flatten();
  Decoder decoder(wire, std::endian::native, 0, allowing(0));
  std::map<std::uint32_t, Large> values;
  decoder >> values;
  CHECK(decoder.error().kind == ErrorKind::too_much_memory);
  CHECK(values.size() < 500);
}

TEST_CASE("a copy of a decoder does not charge the DecodedMemory of the original") {
  Budget budget(0);
  OrbStandIn orb(budget);
  DecodedMemory memory;
  const Octets wire = sequence_of_large(1000);
  Decoder decoder(wire, std::endian::native);
  decoder.set_environment(&orb);
  decoder.set_decoded_memory(memory);
  Decoder::Copied octets;
  Decoder copy = decoder.copy_into(octets);
  std::vector<Large> values;
  copy >> values;
  CHECK(copy.ok());
  CHECK(memory.charged() == 0);
}

TEST_CASE("a sequence of strings takes at most eight times the size of its message") {
  Buffer buffer;
  Encoder encoder(buffer);
  const std::vector<std::string> texts(100'000, "a text of some length");
  encoder << texts;
  const Octets wire = buffer.flatten();
  Decoder decoder(wire, std::endian::native, 0, allowing(0));
  std::vector<std::string> decoded;
  decoder >> decoded;
  CHECK(decoder.ok());
  CHECK(decoded == texts);
}

}  // namespace
}  // namespace perigee::cdr
