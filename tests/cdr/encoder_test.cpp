// The values that the encoder refuses.
#include <perigee/cdr/operators.h>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace perigee;
using cdr::Encoder;
using cdr::ErrorKind;

// Interop fact 26 of docs/interop.md.
TEST_CASE("a string with a NUL inside cannot be written") {
  cdr::Buffer buffer;
  Encoder encoder(buffer);
  encoder << std::uint32_t{1} << std::string("a\0b", 3) << std::uint32_t{2};
  CHECK(encoder.error() == cdr::Error{ErrorKind::bad_string, 4});
}

TEST_CASE("a NUL anywhere in a long string is found while it is copied") {
  for (const std::size_t wrong : {0uz, 8191uz, 8192uz, 19'999uz}) {
    std::string text(20'000, 'x');
    text[wrong] = '\0';
    cdr::Buffer buffer;
    Encoder encoder(buffer);
    encoder << text;
    CHECK(encoder.error().kind == ErrorKind::bad_string);
  }
}

// These are sizes at which the blocks and registers of the search begin and end.
TEST_CASE("a NUL is found at each place of a text, and no other octet counts as a NUL") {
  for (const std::size_t size : {17uz, 1023uz, 1024uz, 1025uz, 1151uz, 1152uz, 1153uz}) {
    std::string text(size, '\x80');
    for (std::size_t wrong = 0; wrong < size; ++wrong) {
      const char before = std::exchange(text[wrong], '\0');
      cdr::Buffer buffer;
      Encoder encoder(buffer);
      encoder << text;
      CHECK(encoder.error().kind == ErrorKind::bad_string);
      text[wrong] = wrong % 2 == 0 ? '\x01' : before;
    }
    cdr::Buffer buffer;
    Encoder encoder(buffer, std::endian::big);
    encoder << text;
    CHECK(encoder.ok());
    std::string read;
    const Octets octets = buffer.flatten();
    cdr::Decoder decoder(octets, std::endian::big);
    decoder >> read;
    CHECK(decoder.ok());
    CHECK(read == text);
  }
}

TEST_CASE("the first error is kept") {
  cdr::Buffer buffer;
  Encoder encoder(buffer);
  CHECK(encoder.ok());
  encoder.fail(ErrorKind::local_object);
  encoder.fail(ErrorKind::bad_value);
  CHECK(encoder.error().kind == ErrorKind::local_object);
}

TEST_CASE("a length beyond 32 bits is too large") {
  cdr::Buffer buffer;
  Encoder encoder(buffer);
  encoder.write_length(0xffffffff);
  CHECK(encoder.ok());
  if constexpr (sizeof(std::size_t) > 4) {  // otherwise no length is so large
    encoder.write_length(static_cast<std::size_t>(0x100000000));
    CHECK(encoder.error().kind == ErrorKind::too_large);
  }
}

TEST_CASE("an encoder knows its byte order") {
  cdr::Buffer buffer;
  CHECK(Encoder(buffer).order() == std::endian::native);
  CHECK(Encoder(buffer, std::endian::little).order() == std::endian::little);
  CHECK(Encoder(buffer, std::endian::big).order() == std::endian::big);
}
