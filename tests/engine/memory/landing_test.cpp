// Large sequences at the end of messages. They are received into the vector of their parameter,
// which gets exactly the octets of the message.
#include "engine/connection/inbox.h"
#include "engine/memory/sequence_cache.h"
#include "engine/memory/units.h"
#include "support/fake_clock.h"
#include <perigee/cdr/borrowed.h>
#include <perigee/cdr/kept_sequence.h>
#include <perigee/giop/giop.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace perigee::engine::test {
namespace {

using messaging::IncomingMessage;
using perigee::test::FakeClock;

struct Environment final : cdr::Environment {
  explicit Environment(cdr::SequenceMemory* memory) { sequence_memory_ = memory; }
};

template <typename T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t index = 0; index < count; ++index) values[index] = static_cast<T>(index % 251);
  return values;
}

/// One side of a connection, and the memory of its ORB. Requests arrive as a peer sends them.
class Receiver {
 public:
  explicit Receiver(std::size_t fragment_size = 64 * mib)
      : protocol_(giop::make_giop({.fragment_size = static_cast<std::uint32_t>(fragment_size)})),
        session_(protocol_->open(messaging::Role::acceptor, {})),
        inbox_(*session_, nullptr, &cache) {}

  /// The octets of a request with one argument.
  template <typename T>
  Octets request(const T& argument, std::endian order = std::endian::native) const {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer, order);
    const Octets key(20);
    session_->begin_request(encoder, {1, 2}, {.request_id = 7, .object_key = key, .operation = "f"},
                            messaging::Body::present);
    encoder << argument;
    session_->finish(encoder);
    REQUIRE(encoder.ok());
    std::vector<OctetSpan> segments;
    Octets headers;
    session_->gather(buffer, segments, headers);
    Octets octets;
    for (const OctetSpan segment : segments)
      octets.insert(octets.end(), segment.begin(), segment.end());
    return octets;
  }

  /// Feeds octets, at most `at_once` in one receive, and takes the message that they complete.
  InboxStatus receive(OctetSpan octets, std::size_t at_once = 1000) {
    InboxStatus status = InboxStatus::need_more;
    while (!octets.empty() && status == InboxStatus::need_more) {
      const ReceiveSpace space = inbox_.receive_space(scratch_);
      const std::size_t first = std::min({space.first.size(), octets.size(), at_once});
      const std::size_t rest = std::min(space.rest.size(), octets.size() - first);
      std::copy_n(octets.begin(), first, space.first.begin());
      const bool also_rest = first == space.first.size();
      if (also_rest) std::ranges::copy(octets.subspan(first, rest), space.rest.begin());
      const std::size_t count = also_rest ? first + rest : first;
      inbox_.received(count);
      octets = octets.subspan(count);
      memory_max = std::max(memory_max, inbox_.unfinished().memory);
      status = inbox_.next(message);
    }
    return status;
  }

  /// The decoder of the message's arguments.
  cdr::Decoder body() {
    auto request = session_->parse_request(message, contexts_);
    REQUIRE(request);
    CHECK(request->header.operation == "f");
    request->body.set_environment(&environment);
    return request->body;
  }

  /// Decodes the argument as a skeleton does. Returns the address of the numbers.
  template <typename T>
  const T* decode(const std::vector<T>& expected) {
    cdr::Decoder decoder = body();
    cdr::KeptSequence<T> values;
    decoder >> values;
    CHECK(decoder.ok());
    CHECK(decoder.remaining() == 0);
    const std::vector<T>& vector = values;
    CHECK(vector == expected);
    return vector.data();
  }

  /// Receives a first request. Then the inbox knows the place of the argument, and the cache keeps
  /// a vector for it.
  template <typename T>
  const T* learn(const std::vector<T>& argument, std::endian order = std::endian::native) {
    REQUIRE(receive(request(argument, order)) == InboxStatus::message);
    CHECK_FALSE(message.landed);
    return decode(argument);
  }

  FakeClock clock;
  SequenceCache cache{clock, nullptr, {.size_max = 16 * mib, .entry_max = 80 * mib}};
  Environment environment{&cache};
  IncomingMessage message;
  std::size_t memory_max = 0;

  Inbox& inbox() { return inbox_; }

 private:
  std::unique_ptr<messaging::MessagingProtocol> protocol_;
  std::unique_ptr<messaging::Session> session_;
  Octets scratch_ = Octets(8 * kib);
  messaging::ContextStorage contexts_;
  Inbox inbox_;
};

/// Two arguments, of which the first is a sequence.
struct WithTail {
  std::vector<std::uint8_t> values;
};
cdr::Encoder& operator<<(cdr::Encoder& encoder, const WithTail& value) {
  encoder << value.values;
  encoder.write(std::uint32_t{99});
  return encoder;
}

template <typename T>
void check_stream(Receiver& receiver, std::size_t at_once) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const auto* const first = receiver.learn(numbers<T>(mib / sizeof(T)), order);
    for (const std::size_t size : {mib, mib / 2, mib - 8}) {
      const auto argument = numbers<T>(size / sizeof(T));
      const Octets request = receiver.request(argument, order);
      receiver.memory_max = 0;
      REQUIRE(receiver.receive(request, at_once) == InboxStatus::message);
      REQUIRE(receiver.message.landed);
      CHECK(receiver.message.octets.size() < 200);
      CHECK(receiver.message.size() > size);
      CHECK(receiver.memory_max >= mib);
      CHECK(receiver.memory_max < mib + 300 * kib);
      CHECK(receiver.decode(argument) == first);
    }
    receiver.cache.clear();
    REQUIRE(receiver.receive(receiver.request(numbers<T>(mib / sizeof(T)))) ==
            InboxStatus::message);
    CHECK_FALSE(receiver.message.landed);  // an announced size alone makes no vector
  }
}

TEST_CASE("a sequence is received into the vector of the previous call, whatever its type") {
  Receiver receiver;
  for (const std::size_t at_once : {std::size_t{100}, 5000 * kib}) {
    check_stream<std::uint8_t>(receiver, at_once);
    check_stream<std::int16_t>(receiver, at_once);
    check_stream<float>(receiver, at_once);
    check_stream<double>(receiver, at_once);
  }
}

TEST_CASE("a sequence in fragments is received into the vector, without their headers") {
  for (const std::size_t fragment_size : {1 * kib, 100 * kib, 600 * kib}) {
    Receiver receiver(fragment_size);
    check_stream<std::uint8_t>(receiver, 300);
    check_stream<double>(receiver, 5000 * kib);
  }
}

/// Receives a message whose numbers go into a vector. Then `read` reads the argument in another way
/// than a skeleton.
template <typename Read>
void check_other_reading(const Read& read) {
  for (const std::size_t fragment_size : {100 * kib, 64 * mib}) {
    Receiver receiver(fragment_size);
    const auto argument = numbers<std::uint8_t>(mib);
    receiver.learn(argument);
    const Octets request = receiver.request(argument);
    REQUIRE(receiver.receive(request) == InboxStatus::message);
    REQUIRE(receiver.message.landed);
    cdr::Decoder decoder = receiver.body();
    read(decoder, argument);
    CHECK(decoder.ok());
    CHECK(decoder.remaining() == 0);
    REQUIRE(receiver.receive(request) == InboxStatus::message);
    CHECK_FALSE(receiver.message.landed);  // a place that was guessed wrong is not used again
    receiver.decode(argument);
  }
}

using Argument = std::vector<std::uint8_t>;

TEST_CASE("numbers in a vector are read as a view, and as a vector of the application") {
  check_other_reading([](cdr::Decoder& decoder, const Argument& argument) {
    cdr::BorrowedSequence<std::uint8_t> values;
    decoder >> values;
    CHECK(std::ranges::equal(std::span<const std::uint8_t>(values), argument));
  });
  check_other_reading([](cdr::Decoder& decoder, const Argument& argument) {
    Argument values;
    decoder >> values;
    CHECK(values == argument);
  });
}

TEST_CASE("numbers in a vector are read as a sequence of another type") {
  check_other_reading([](cdr::Decoder& decoder, const Argument& argument) {
    cdr::KeptSequence<std::int8_t> values;
    decoder >> values;
    const std::vector<std::int8_t>& vector = values;
    CHECK(std::memcmp(vector.data(), argument.data(), argument.size()) == 0);
  });
}

TEST_CASE("numbers in a vector are read as octets, also across the end of their length") {
  check_other_reading([](cdr::Decoder& decoder, const Argument& argument) {
    CHECK(decoder.read_octets(2).size() == 2);
    CHECK(decoder.is_cut_within(3));
    const OctetSpan octets = decoder.read_octets(2 + argument.size());
    CHECK(std::ranges::equal(octets.subspan(2), std::as_bytes(std::span(argument))));
  });
  check_other_reading([](cdr::Decoder& decoder, const Argument& argument) {
    for (std::size_t count = 0; count < 4 + argument.size(); count += 4)
      (void)decoder.read<std::uint32_t>();
  });
}

TEST_CASE("a copy of the octets has the numbers that are in a vector") {
  check_other_reading([](cdr::Decoder& decoder, const Argument& argument) {
    cdr::Decoder::Copied copied;
    cdr::Decoder copy = decoder.copy_into(copied);
    Argument values;
    copy >> values;
    CHECK(copy.remaining() == 0);
    CHECK(values == argument);
    decoder.skip(decoder.remaining());
  });
}

TEST_CASE("a second decoder of taken numbers reports a truncated message") {
  Receiver receiver;
  const auto argument = numbers<std::int32_t>(mib);
  receiver.learn(argument);
  REQUIRE(receiver.receive(receiver.request(argument)) == InboxStatus::message);
  REQUIRE(receiver.message.landed);
  receiver.decode(argument);
  cdr::Decoder again = receiver.body();
  std::vector<std::int32_t> values;
  again >> values;
  CHECK(again.error().kind == cdr::ErrorKind::truncated);
}

TEST_CASE("reads beyond the numbers are errors") {
  Receiver receiver;
  const auto argument = numbers<std::uint8_t>(mib);
  receiver.learn(argument);
  REQUIRE(receiver.receive(receiver.request(argument)) == InboxStatus::message);
  cdr::Decoder decoder = receiver.body();
  CHECK(decoder.read_octets(mib + 5).empty());
  CHECK(decoder.error().kind == cdr::ErrorKind::truncated);
  decoder = receiver.body();
  CHECK(decoder.read_octets(mib + 4).size() == mib + 4);
  CHECK(decoder.read<std::uint8_t>() == 0);
  CHECK(decoder.error().kind == cdr::ErrorKind::truncated);
}

TEST_CASE("a message with a value after the sequence is decoded unchanged") {
  for (const std::size_t fragment_size : {100 * kib, mib + 64, 64 * mib}) {
    Receiver receiver(fragment_size);
    const auto argument = numbers<std::uint8_t>(mib);
    receiver.learn(argument);
    REQUIRE(receiver.receive(receiver.request(WithTail{argument})) == InboxStatus::message);
    CHECK_FALSE(receiver.message.landed);
    cdr::Decoder decoder = receiver.body();
    std::vector<std::uint8_t> values;
    decoder >> values;
    CHECK(values == argument);
    CHECK(decoder.read<std::uint32_t>() == 99);
    CHECK(decoder.ok());
  }
}

/// Changes the length of the sequence from `from` to `to`.
void set_length(Octets& request, std::uint32_t from, std::uint32_t to) {
  for (std::size_t index = 12; index + 4 < request.size(); index += 4) {
    std::uint32_t value = 0;
    std::memcpy(&value, &request[index], sizeof value);
    if (value != from) continue;
    std::memcpy(&request[index], &to, sizeof to);
    return;
  }
  FAIL("there is no such length");
}

TEST_CASE(
    "a wrong sequence length uses no kept vector, and a length beyond the message is an error") {
  const auto argument = numbers<std::uint8_t>(mib);
  for (const std::size_t fragment_size : {100 * kib, 64 * mib}) {
    for (const std::uint32_t length : {0u, 1u, 500'000u, 1'048'577u, 2'000'000u, 0xffffffffu}) {
      Receiver receiver(fragment_size);
      receiver.learn(numbers<std::uint8_t>(2 * mib));
      Octets request = receiver.request(argument);
      set_length(request, mib, length);
      REQUIRE(receiver.receive(request) == InboxStatus::message);
      CHECK_FALSE(receiver.message.landed);
      CHECK(receiver.message.octets.size() == receiver.message.size());
      cdr::Decoder decoder = receiver.body();
      cdr::KeptSequence<std::uint8_t> values;
      decoder >> values;
      const std::vector<std::uint8_t>& vector = values;
      CHECK(decoder.ok() == (length < mib));
      CHECK(vector.size() == (length < mib ? length : 0));
      CHECK(std::equal(vector.begin(), vector.end(), argument.begin()));
    }
  }
}

TEST_CASE("a message whose fragments end early has only the octets that arrived") {
  Receiver receiver(100 * kib);
  const auto argument = numbers<std::uint8_t>(mib);
  receiver.learn(argument);
  Octets request = receiver.request(argument);
  request[2 * 100 * kib + 6] &= std::byte{0xfd};  // no more fragments after the third piece
  REQUIRE(receiver.receive(OctetSpan(request).first(3 * 100 * kib)) == InboxStatus::message);
  CHECK_FALSE(receiver.message.landed);
  CHECK(receiver.message.octets.size() == 3 * 100 * kib - 2 * 16);
  cdr::Decoder decoder = receiver.body();
  CHECK(decoder.read_length(1) == 0);
  CHECK(decoder.error().kind == cdr::ErrorKind::bad_length);
}

TEST_CASE("a sequence that never arrives wholly frees its vector") {
  Receiver receiver;
  const auto argument = numbers<std::uint8_t>(mib);
  receiver.learn(argument);
  const Octets request = receiver.request(argument);
  CHECK(receiver.receive(OctetSpan(request).first(5000)) == InboxStatus::need_more);
  CHECK(receiver.cache.kept() == 0);
  CHECK(receiver.inbox().unfinished().octets == 5000);
  CHECK(receiver.inbox().unfinished().left == request.size() - 5000);
  CHECK(receiver.inbox().unfinished().memory >= mib);
  receiver.inbox().discard();
  CHECK(receiver.inbox().unfinished().memory == 0);
}

}  // namespace
}  // namespace perigee::engine::test
