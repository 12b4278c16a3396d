// The input that the decoder refuses, and the cost of a refusal.
#include "support/allocations.h"
#include "support/octets.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/landed_sequence.h>
#include <perigee/cdr/operators.h>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

using namespace perigee;
using cdr::Decoder;
using cdr::ErrorKind;
using perigee::test::allocations_of;
using perigee::test::octets;

namespace {

template <typename T>
ErrorKind error_of(const Octets& message) {
  Decoder decoder(message, std::endian::big);
  T value{};
  decoder >> value;
  return decoder.error().kind;
}

/// A length that is far larger than the octets after it.
const Octets lying_length = octets(0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4);

}  // namespace

TEST_CASE("alignment counts anew in each piece, from 12 octets before it") {
  // The first piece is a header of 12 octets and a long. The second piece has padding, two whole
  // doubles and the begin of an octet sequence. The third piece has the end of the sequence and a
  // long long.
  Octets message(12 + 4);
  message[15] = std::byte{7};
  const Octets second =
      octets(0, 0, 0, 0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,  //
             0, 0, 0, 3, 0xa1, 0xa2);
  const Octets third = octets(0xa3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9);
  message.insert(message.end(), second.begin(), second.end());
  message.insert(message.end(), third.begin(), third.end());
  const std::size_t sizes[] = {16, second.size(), third.size()};
  Decoder decoder(message, std::endian::big, 12);
  decoder.set_pieces(sizes);
  CHECK(decoder.remaining() == message.size() - 12);
  CHECK(decoder.read<std::int32_t>() == 7);
  CHECK(decoder.is_cut_within(1));
  CHECK(decoder.read<double>() == 1);
  CHECK(decoder.read<double>() == 2);
  const OctetSpan three = decoder.read_octet_sequence();
  REQUIRE(three.size() == 3);
  CHECK(three[2] == std::byte{0xa3});
  CHECK(decoder.read<std::int64_t>() == 9);
  CHECK(decoder.remaining() == 0);
  CHECK(decoder.ok());
  CHECK(decoder.read<std::uint8_t>() == 0);
  CHECK(decoder.error().kind == ErrorKind::truncated);
}

TEST_CASE("an array of numbers after the end of a piece has the padding of the next piece") {
  // The first piece ends at a multiple of 8, with and without padding of its own. In the second
  // piece, 4 octets of padding follow the header of 12 octets.
  for (const std::size_t padding : {std::size_t{0}, std::size_t{4}, std::size_t{7}}) {
    CAPTURE(padding);
    Octets message(24, std::byte{1});
    const Octets second =
        octets(9, 9, 9, 9, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0);
    message.insert(message.end(), second.begin(), second.end());
    const std::size_t sizes[] = {24, second.size()};
    const auto decoder_at_end = [&] {
      Decoder decoder(message, std::endian::big, 24 - padding);
      decoder.set_pieces(sizes);
      return decoder;
    };
    std::array<double, 2> values{};
    Decoder decoder = decoder_at_end();
    decoder.read_array(std::span<double>(values));
    CHECK(values == std::array{2.0, 1.0});
    CHECK(decoder.ok());
    CHECK(decoder.remaining() == 0);
    decoder = decoder_at_end();
    CHECK(static_cast<double>(decoder.read<long double>()) == doctest::Approx(2.0));
    CHECK(decoder.ok());
  }
}

TEST_CASE("a block that is longer than all pieces is an error, and empty pieces are allowed") {
  const Octets message(40);
  const std::size_t sizes[] = {16, 0, 0, 24};
  Decoder decoder(message, std::endian::native, 12);
  decoder.set_pieces(sizes);
  CHECK(decoder.read_octets(28).size() == 28);
  CHECK(decoder.ok());
  CHECK(decoder.remaining() == 0);
  CHECK(decoder.read_octets(1).empty());
  CHECK(decoder.error().kind == ErrorKind::truncated);
}

TEST_CASE("a boolean other than 0 and 1 is an error") {
  CHECK(error_of<bool>(octets(2)) == ErrorKind::bad_boolean);
  CHECK(error_of<std::vector<bool>>(octets(0, 0, 0, 2, 1, 0xff)) == ErrorKind::bad_boolean);
}

TEST_CASE("an enumerator beyond the last is an error and reads as the first") {
  const Octets message = octets(0, 0, 0, 3);
  Decoder decoder(message, std::endian::big);
  CHECK(decoder.read_enum(3) == 0);
  CHECK(decoder.error().kind == ErrorKind::bad_enum);
}

TEST_CASE("a string needs one NUL, at its end") {
  CHECK(error_of<std::string>(octets(0, 0, 0, 2, 'a', 'b')) == ErrorKind::bad_string);
  CHECK(error_of<std::string>(octets(0, 0, 0, 3, 'a', 0, 0)) == ErrorKind::bad_string);
  CHECK(error_of<std::string>(octets(0, 0, 0, 4, 'a', 0)) == ErrorKind::bad_length);
  CHECK(error_of<std::string>(octets(0, 0, 0, 2, 'a', 0)) == ErrorKind::none);
}

// The decoder looks for a NUL block by block, while it copies such texts.
TEST_CASE("a NUL anywhere in a long string is found") {
  constexpr std::size_t size = 20'000;
  cdr::Buffer buffer;
  cdr::Encoder(buffer, std::endian::big).write_string(std::string(size, 'x'));
  const Octets good = buffer.flatten();
  for (const std::size_t wrong : {0uz, 8191uz, 8192uz, 16'384uz, size - 1}) {
    Octets message = good;
    message[4 + wrong] = std::byte{0};
    Decoder decoder(message, std::endian::big);
    std::string text = "before";
    decoder >> text;
    CHECK(decoder.error().kind == ErrorKind::bad_string);
    CHECK(text.empty());
  }
  Octets endless = good;
  endless.back() = std::byte{'x'};
  CHECK(error_of<std::string>(endless) == ErrorKind::bad_string);
  CHECK(error_of<std::string>(good) == ErrorKind::none);
}

TEST_CASE("a string is read into a string that has less room, but more than half") {
  for (const std::size_t size : {1U, 7U, 8U, 15U, 16U, 29U, 30U, 1024U, 1600U, 3000U}) {
    const std::string value(size, 'v');
    cdr::Buffer buffer;
    cdr::Encoder(buffer).write_string(value);
    const Octets message = buffer.flatten();
    for (const std::size_t room : {size / 2, size / 2 + 1, size - 1, size, 2 * size}) {
      std::string text(room, 'x');
      text.shrink_to_fit();
      Decoder decoder(message, std::endian::native);
      decoder.read_string(text);
      CHECK(decoder.ok());
      CHECK(text == value);
    }
  }
}

// Interop fact 26 of docs/interop.md: VisiBroker sends it.
TEST_CASE("a string of length 0 is read as the empty string") {
  const Octets message = octets(0, 0, 0, 0, 0, 0, 0, 7);
  Decoder decoder(message, std::endian::big);
  CHECK(decoder.read_string_view().empty());
  CHECK(decoder.read<std::uint32_t>() == 7);
  CHECK(decoder.ok());
}

TEST_CASE("after an error all reads give zero, and the error stays the first") {
  const Octets message = octets(1, 2, 3, 4, 5);
  Decoder decoder(message, std::endian::big);
  CHECK(decoder.read<std::uint32_t>() == 0x01020304);
  CHECK(decoder.read<std::uint16_t>() == 0);
  CHECK(decoder.error() == cdr::Error{ErrorKind::truncated, 4});
  CHECK(decoder.read<std::uint8_t>() == 0);
  CHECK(decoder.read<long double>() == 0);
  CHECK_FALSE(decoder.read_boolean());
  CHECK(decoder.read_enum(5) == 0);
  CHECK(decoder.read_length(1) == 0);
  CHECK(decoder.read_string_view().empty());
  CHECK(decoder.read_octet_sequence().empty());
  CHECK_FALSE(decoder.read_encapsulation().ok());
  CHECK(decoder.remaining() == 0);
  CHECK(decoder.error() == cdr::Error{ErrorKind::truncated, 4});
}

TEST_CASE("padding alone cannot be read beyond the end") {
  const Octets message(5);
  Decoder decoder(message, std::endian::big, 5);
  decoder.align(8);
  CHECK(decoder.error().kind == ErrorKind::truncated);
}

TEST_CASE("a decoder that begins after the end of the message has nothing to read") {
  const Octets message(5);
  Decoder decoder(message, std::endian::big, 6);
  CHECK(decoder.remaining() == 0);
  CHECK(decoder.read<std::uint8_t>() == 0);
  CHECK_FALSE(decoder.ok());
}

TEST_CASE(
    "a sequence longer than the rest of the message is an error, and no memory is taken for it") {
  CHECK(allocations_of([] {
          CHECK(error_of<std::string>(lying_length) == ErrorKind::bad_length);
          CHECK(error_of<std::vector<std::uint8_t>>(lying_length) == ErrorKind::bad_length);
          CHECK(error_of<std::vector<bool>>(lying_length) == ErrorKind::bad_length);
          CHECK(error_of<std::vector<double>>(lying_length) == ErrorKind::bad_length);
          CHECK(error_of<std::vector<long double>>(lying_length) == ErrorKind::bad_length);
          CHECK(error_of<std::vector<std::string>>(lying_length) == ErrorKind::bad_length);
        }).octets < 4096);  // doctest's own
  for (const Octets& message : {lying_length, octets(0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0)}) {
    Decoder decoder(message, std::endian::big);
    std::vector<std::uint64_t> values;
    CHECK(allocations_of([&] { decoder >> values; }).count == 0);
    CHECK_FALSE(decoder.ok());
  }
}

TEST_CASE("a decoder allocates in proportion to the size of a message, whatever its lengths say") {
  using Nested = std::vector<std::vector<std::vector<std::string>>>;
  for (const int filler : {0, 1, 0x7f, 0xff}) {
    for (std::size_t size = 4; size <= 4096; size *= 2) {
      CAPTURE(filler);
      CAPTURE(size);
      Octets message(size, static_cast<std::byte>(filler));
      const auto count = static_cast<std::uint32_t>(size - 4);  // as if each element had one octet
      for (std::size_t index = 0; index < 4; ++index)
        message[index] = static_cast<std::byte>(count >> (24 - 8 * index));
      Decoder decoder(message, std::endian::big);
      Nested nested;
      CHECK(allocations_of([&] { decoder >> nested; }).octets <= 32 * size + 256);
    }
  }
}

TEST_CASE("sequences nest down to the depth limit and no deeper") {
  const std::vector<std::vector<std::string>> value{{"a"}};
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << value;
  std::vector<std::vector<std::string>> decoded;
  Decoder deep_enough(buffer.own_octets(), std::endian::native, 0, {.depth_max = 2});
  deep_enough >> decoded;
  CHECK(deep_enough.ok());
  CHECK(decoded == value);
  Decoder too_shallow(buffer.own_octets(), std::endian::native, 0, {.depth_max = 1});
  too_shallow >> decoded;
  CHECK(too_shallow.error().kind == ErrorKind::too_deep);
}

TEST_CASE("views point into the message") {
  const Octets message = octets(0, 0, 0, 2, 'a', 0, 0, 0, 0, 0, 0, 2, 8, 9);
  Decoder decoder(message, std::endian::big);
  CHECK(static_cast<const void*>(decoder.read_string_view().data()) == &message[4]);
  const OctetSpan sequence = decoder.read_octet_sequence();
  CHECK(sequence.data() == &message[12]);
  CHECK(sequence.size() == 2);
}

TEST_CASE("an array is viewed in place only in the native byte order and aligned in memory") {
  constexpr auto swapped =
      std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
  alignas(8) std::byte storage[25]{};
  const std::uint32_t value = 0x01020304;
  std::memcpy(storage + 8, &value, sizeof value);
  Decoder native({storage, 24}, std::endian::native, 5);
  const auto view = native.view_array<std::uint32_t>(4);
  REQUIRE(view.size() == 4);
  CHECK(view[0] == value);
  CHECK(native.position() == 24);
  Decoder foreign({storage, 24}, swapped, 5);
  CHECK(foreign.view_array<std::uint32_t>(4).empty());
  CHECK(foreign.view_array<std::uint8_t>(4).size() == 4);
  Decoder misaligned({storage + 1, 24}, std::endian::native, 4);
  CHECK(misaligned.view_array<std::uint32_t>(1).empty());
  CHECK(misaligned.position() == 4);
}

TEST_CASE("a view of an incomplete array is empty and does not move the decoder") {
  alignas(8) const std::byte storage[16]{};
  for (const std::size_t count : {std::size_t{0}, std::size_t{2}, SIZE_MAX, SIZE_MAX / 8 + 1}) {
    Decoder decoder({storage, 15}, std::endian::native, 1);
    CHECK(decoder.view_array<std::uint64_t>(count).empty());
    CHECK(decoder.position() == 1);
  }
  Decoder at_end({storage, 15}, std::endian::native, 15);
  CHECK(at_end.view_array<std::uint64_t>(1).empty());
  CHECK(at_end.ok());
}

TEST_CASE("an error says what is wrong, and where") {
  CHECK(to_string(cdr::Error{ErrorKind::bad_boolean, 17}) ==
        "a boolean is neither 0 nor 1 (at octet 17)");
  CHECK(to_string(cdr::Error{}) == "no error");
}

// A sequence has taken the octets that landed behind the head, so no text can be made of them.
TEST_CASE("a text whose octets were taken as a sequence is an error") {
  for (const std::size_t size : {100U, 100'000U}) {
    CAPTURE(size);
    for (const bool is_view : {true, false}) {
      cdr::LandedSequence landed(std::vector<std::uint8_t>(size, 'a'), {}, 4);
      std::vector<std::uint8_t> taken;
      REQUIRE(landed.take(taken));
      const Octets head = octets(0, static_cast<int>(size >> 16), static_cast<int>(size >> 8 & 255),
                                 static_cast<int>(size & 255));
      Decoder decoder(head, std::endian::big);
      decoder.set_landed(landed);
      std::string text;
      if (is_view)
        CHECK(decoder.read_string_view().empty());
      else
        decoder.read_string(text);
      CHECK(decoder.error().kind == ErrorKind::truncated);
      CHECK(text.empty());
    }
  }
}
