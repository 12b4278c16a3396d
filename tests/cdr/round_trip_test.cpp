// Properties of all types: what is written is read again at every alignment and in both byte
// orders, and a message that is cut anywhere is an error. The random test accepts
// PERIGEE_TEST_SEED.
#include "support/octets.h"
#include <perigee/cdr/operators.h>

#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>
#include <random>

using namespace perigee;

namespace {

struct Start {
  std::size_t position;
  std::endian order;
};

/// Calls `check` for each byte order and each position modulo 8.
template <typename Check>
void for_each_start(Check check) {
  for (const auto order : {std::endian::little, std::endian::big})
    for (std::size_t position = 0; position < 8; ++position) {
      const bool little = order == std::endian::little;
      CAPTURE(little);
      CAPTURE(position);
      check(Start{position, order});
    }
}

/// The whole message: octets before the value, then the value.
template <typename T>
Octets message_of(const T& value, Start start) {
  cdr::Buffer buffer;
  std::memset(buffer.extend(start.position + 1), 0xff, start.position + 1);
  buffer.truncate(start.position);
  cdr::Encoder encoder(buffer, start.order, cdr::Encoder::Borrowing::no, start.position);
  encoder << value;
  REQUIRE(encoder.ok());
  REQUIRE(encoder.position() == buffer.size());
  return buffer.flatten();
}

template <typename T>
void check_round_trip(const T& value) {
  for_each_start([&value](Start start) {
    const Octets message = message_of(value, start);
    cdr::Decoder decoder(message, start.order, start.position);
    T decoded{};
    decoder >> decoded;
    CHECK(decoder.ok());
    CHECK(decoder.remaining() == 0);
    CHECK(decoded == value);
  });
}

template <typename T>
void check_cuts(const T& value) {
  for_each_start([&value](Start start) {
    const Octets message = message_of(value, start);
    for (std::size_t size = start.position; size < message.size(); ++size) {
      const Octets cut(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(size));
      cdr::Decoder decoder(cut, start.order, start.position);
      T decoded{};
      decoder >> decoded;
      CHECK_FALSE(decoder.ok());
      CHECK(decoder.remaining() == 0);
    }
  });
}

template <typename T>
void check_type(const T& value) {
  check_round_trip(value);
  check_cuts(value);
}

template <typename Number>
void check_number() {
  using Limits = std::numeric_limits<Number>;
  for (const Number value : {Number{}, Number{1}, Limits::min(), Limits::max(), Limits::lowest()})
    check_type(value);
  check_type(std::vector<Number>{});
  check_type(std::vector<Number>{Number{1}, Limits::max(), Limits::lowest()});
}

}  // namespace

TEST_CASE("numbers and their sequences are read as they were written, and cuts are errors") {
  check_number<std::uint8_t>();
  check_number<std::int8_t>();
  check_number<char>();
  check_number<std::int16_t>();
  check_number<std::uint16_t>();
  check_number<std::int32_t>();
  check_number<std::uint32_t>();
  check_number<std::int64_t>();
  check_number<std::uint64_t>();
  check_number<float>();
  check_number<double>();
  check_number<long double>();
}

TEST_CASE("booleans, strings and their sequences are read as they were written") {
  check_type(true);
  check_type(false);
  check_type(std::vector<bool>{true, false, true});
  check_type(std::string());
  check_type(std::string("Grüße"));
  check_type(std::string(300, 'x'));
  check_type(std::vector<std::string>{"", "one", "two and more"});
}

TEST_CASE("sequences of sequences are read as they were written") {
  check_type(std::vector<std::vector<double>>{{1.5, -2.5}, {}, {3.25}});
  check_type(std::vector<std::vector<std::vector<std::string>>>{{{"a"}, {}}, {}, {{"b", "c"}}});
}

namespace {

struct Record {
  std::uint8_t small;
  std::uint64_t large;
  std::string text;
  std::vector<std::int16_t> shorts;
  bool truth;
  long double wide;
  std::vector<std::string> texts;
  friend bool operator==(const Record&, const Record&) = default;
};

cdr::Encoder& operator<<(cdr::Encoder& encoder, const Record& r) {
  return encoder << r.small << r.large << r.text << r.shorts << r.truth << r.wide << r.texts;
}
cdr::Decoder& operator>>(cdr::Decoder& decoder, Record& r) {
  return decoder >> r.small >> r.large >> r.text >> r.shorts >> r.truth >> r.wide >> r.texts;
}

unsigned seed() {
  const char* given = std::getenv("PERIGEE_TEST_SEED");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                          : std::random_device()();
}

class Random {
 public:
  explicit Random(unsigned from) : engine_(from) {}
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(engine_() % limit); }
  std::string text() {
    std::string text(below(20), 0);
    for (char& c : text) c = static_cast<char>(1 + below(255));
    return text;
  }
  Record record() {
    Record r{static_cast<std::uint8_t>(below(256)), engine_(), text(), {}, below(2) == 1, 0, {}};
    r.shorts.resize(below(9));
    for (auto& value : r.shorts) value = static_cast<std::int16_t>(below(65536));
    r.wide = static_cast<long double>(engine_()) / 3;
    r.texts.resize(below(4));
    for (auto& value : r.texts) value = text();
    return r;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

TEST_CASE("random records are read as they were written, and cuts are errors") {
  const unsigned from = seed();
  INFO("PERIGEE_TEST_SEED=", from);
  Random random(from);
  for (int round = 0; round < 30; ++round) {
    std::vector<Record> records(random.below(4));
    for (Record& record : records) record = random.record();
    check_round_trip(records);
  }
  check_cuts(random.record());
}
