// Large arguments are borrowed instead of copied, if the encoder may borrow.
#include "support/octets.h"
#include <perigee/cdr/borrowed.h>
#include <perigee/cdr/operators.h>

#include <doctest/doctest.h>

using namespace perigee;
using cdr::Encoder;

namespace {

constexpr auto swapped =
    std::endian::native == std::endian::little ? std::endian::big : std::endian::little;

/// A message with small and large values in turn.
template <typename T>
Octets flattened(const std::vector<T>& large, std::endian order, Encoder::Borrowing borrowing) {
  cdr::Buffer buffer;
  Encoder encoder(buffer, order, borrowing);
  encoder << std::uint8_t{1} << large << std::uint8_t{2} << 2.5 << large << std::string("end");
  CHECK(encoder.position() == buffer.size());
  return buffer.flatten();
}

template <typename T>
void check_same(std::size_t count) {
  CAPTURE(count);
  std::vector<T> large(count);
  for (std::size_t index = 0; index < count; ++index) large[index] = static_cast<T>(index);
  for (const auto order : {std::endian::native, swapped})
    CHECK(flattened(large, order, Encoder::Borrowing::yes) ==
          flattened(large, order, Encoder::Borrowing::no));
}

}  // namespace

TEST_CASE("a message is the same octets whether large sequences are borrowed or not") {
  for (const std::size_t count : {1023UZ, 1024UZ, 8191UZ, 8192UZ, 8193UZ, 8197UZ}) {
    check_same<std::uint8_t>(count);
    check_same<std::int16_t>(count);
    check_same<double>(count);
    check_same<long double>(count);
  }
}

TEST_CASE(
    "a sequence of 8 KiB is one segment in the caller's memory, between segments of the buffer") {
  const std::vector<std::uint8_t> large(Encoder::borrow_size_min, 7);
  cdr::Buffer buffer;
  Encoder encoder(buffer, std::endian::native, Encoder::Borrowing::yes);
  encoder << large << std::uint32_t{1};
  std::vector<OctetSpan> segments;
  buffer.gather(segments);
  REQUIRE(segments.size() == 3);
  CHECK(segments[0].size() == 4);
  CHECK(segments[1].data() == std::as_bytes(std::span(large)).data());
  CHECK(segments[1].size() == large.size());
  CHECK(segments[2].size() == 4);
  CHECK(buffer.own_size() == 8);
}

TEST_CASE("a string of 8 KiB is borrowed with its NUL, and a view is borrowed without a NUL") {
  const std::string large(Encoder::borrow_size_min, 'x');
  const std::string longer = large + 'y';
  const std::string_view view = std::string_view(longer).substr(0, large.size());
  cdr::Buffer copied;
  Encoder copying(copied, std::endian::big);
  copying << large << std::uint32_t{1};
  cdr::Buffer whole;
  Encoder of_string(whole, std::endian::big, Encoder::Borrowing::yes);
  of_string << large << std::uint32_t{1};
  cdr::Buffer part;
  Encoder of_view(part, std::endian::big, Encoder::Borrowing::yes);
  of_view << cdr::borrowed(view) << std::uint32_t{1};
  REQUIRE(whole.borrowed().size() == 1);
  CHECK(whole.borrowed()[0].octets.data() == std::as_bytes(std::span(large)).data());
  CHECK(whole.borrowed()[0].octets.size() == large.size() + 1);
  REQUIRE(part.borrowed().size() == 1);
  CHECK(part.borrowed()[0].octets.data() == std::as_bytes(std::span(view)).data());
  CHECK(part.borrowed()[0].octets.size() == large.size());
  CHECK(whole.flatten() == copied.flatten());
  CHECK(part.flatten() == copied.flatten());
}

TEST_CASE("a string is copied if it is below 8 KiB, or may end before the message is sent") {
  cdr::Buffer buffer;
  Encoder borrowing(buffer, std::endian::native, Encoder::Borrowing::yes);
  borrowing << std::string(Encoder::borrow_size_min - 1, 'x');
  borrowing.write_string(std::string(Encoder::borrow_size_min, 'x'));
  Encoder copying(buffer);
  copying << std::string(Encoder::borrow_size_min, 'x');
  CHECK(buffer.borrowed().empty());
}

TEST_CASE("a large string with a NUL inside is an error, also when it is borrowed") {
  cdr::Buffer buffer;
  Encoder encoder(buffer, std::endian::native, Encoder::Borrowing::yes);
  std::string text(Encoder::borrow_size_min, 'x');
  text.back() = '\0';
  encoder << text;
  CHECK(encoder.error().kind == cdr::ErrorKind::bad_string);
  CHECK(buffer.borrowed().empty());
}

TEST_CASE("an encoder borrows values of at least the size that its owner chooses") {
  const std::vector<std::uint8_t> values(100, 7);
  const std::string text(100, 'x');
  for (const std::size_t size_min : {1UZ, 100UZ, 101UZ}) {
    cdr::Buffer buffer;
    Encoder encoder(buffer, size_min);
    encoder << values << text;
    CHECK(buffer.borrowed().size() == (size_min <= 100 ? 2 : 0));
    cdr::Buffer copied;
    Encoder copying(copied);
    copying << values << text;
    CHECK(buffer.flatten() == copied.flatten());
  }
}

TEST_CASE("octets that the encoder makes itself are never borrowed") {
  cdr::Buffer buffer;
  Encoder encoder(buffer, 1);
  encoder.set_code_sets({.giop_minor = 2});
  encoder << L'\u20ac' << std::wstring(L"\u20ac");
  const Octets digits = test::from_hex("12 3c");
  encoder.write_copied_octets(digits);
  CHECK(buffer.borrowed().empty());
  CHECK(buffer.size() == buffer.own_size());
}

TEST_CASE("nothing is borrowed below 8 KiB, in the other byte order, or without permission") {
  const std::vector<std::int16_t> small(Encoder::borrow_size_min / 2 - 1);
  const std::vector<std::int16_t> large(Encoder::borrow_size_min / 2);
  cdr::Buffer buffer;
  Encoder native(buffer, std::endian::native, Encoder::Borrowing::yes);
  native << small;
  Encoder foreign(buffer, swapped, Encoder::Borrowing::yes);
  foreign << large;
  Encoder copying(buffer);
  copying << large;
  CHECK(buffer.borrowed().empty());
}

TEST_CASE("a length that follows borrowed octets is patched at the right place") {
  const std::vector<std::uint8_t> large(Encoder::borrow_size_min, 7);
  cdr::Buffer buffer;
  Encoder encoder(buffer, std::endian::big, Encoder::Borrowing::yes);
  encoder << large;
  encoder.write_encapsulation([](Encoder& contents) { contents << std::uint32_t{5}; });
  const Octets message = buffer.flatten();
  cdr::Decoder decoder(message, std::endian::big);
  CHECK(decoder.read_octet_sequence().size() == large.size());
  CHECK(decoder.read_encapsulation().read<std::uint32_t>() == 5);
  CHECK(decoder.remaining() == 0);
}
