// Encapsulations. CORBA 3.0, 15.3.3.
#include "support/octets.h"
#include <perigee/cdr/operators.h>

#include <doctest/doctest.h>

using namespace perigee;
using cdr::Decoder;
using cdr::Encoder;
using cdr::ErrorKind;
using perigee::test::octets;

namespace {

/// Encapsulations inside each other, `depth` in all. The innermost has only its byte order.
Octets nested(std::size_t depth) {
  Octets inner = octets(0);
  for (std::size_t level = 1; level < depth; ++level)
    inner = cdr::encode_encapsulation(std::endian::big, [&inner](Encoder& encoder) {
      encoder.write_length(inner.size());
      encoder.write_octets(inner);
    });
  return inner;
}

/// How many encapsulations can be entered until there is an error or no more octets.
std::size_t levels_of(Decoder& decoder, ErrorKind& error) {
  std::size_t levels = 0;
  Decoder current = decoder;
  while (current.ok() && current.remaining() > 0) {
    current = current.read_encapsulation();
    levels += current.ok();
  }
  error = current.error().kind;
  return levels;
}

}  // namespace

TEST_CASE("an encapsulation is an octet sequence with a byte order and an alignment of its own") {
  cdr::Buffer buffer;
  Encoder encoder(buffer, std::endian::big);
  encoder << std::uint8_t{9};
  encoder.write_encapsulation(
      [](Encoder& contents) { contents << std::uint8_t{1} << 1.0 << std::string("x"); });
  encoder << std::uint16_t{7};
  CHECK(buffer.flatten() == octets(9, 0, 0, 0,                    // octet, padding
                                   0, 0, 0, 22,                   // length
                                   0,                             // big-endian
                                   1,                             // octet
                                   0, 0, 0, 0, 0, 0,              // padding to 8 within
                                   0x3f, 0xf0, 0, 0, 0, 0, 0, 0,  // 1.0
                                   0, 0, 0, 2, 'x', 0,            // string
                                   0, 7));                        // aligned to the message again
}

TEST_CASE("byte orders may differ from level to level") {
  const Octets inner = cdr::encode_encapsulation(
      std::endian::big, [](Encoder& encoder) { encoder << std::uint32_t{0x01020304}; });
  const Octets outer = cdr::encode_encapsulation(std::endian::little, [&](Encoder& encoder) {
    encoder << std::uint16_t{0x0506} << std::uint64_t{0x0708};
    encoder.write_length(inner.size());
    encoder.write_octets(inner);
    encoder << std::uint16_t{0x090a};
  });
  Decoder decoder = Decoder::from_encapsulation(outer);
  CHECK(decoder.read<std::uint16_t>() == 0x0506);
  CHECK(decoder.read<std::uint64_t>() == 0x0708);
  Decoder within = decoder.read_encapsulation();
  CHECK(within.swaps() != decoder.swaps());
  CHECK(within.read<std::uint32_t>() == 0x01020304);
  CHECK(within.remaining() == 0);
  CHECK(decoder.read<std::uint16_t>() == 0x090a);
  CHECK(decoder.ok());
  CHECK(within.ok());
}

TEST_CASE("an empty encapsulation or an invalid byte order fails the inner and the outer decoder") {
  for (const Octets& message :
       {octets(0, 0, 0, 0), octets(0, 0, 0, 1, 2), octets(0, 0, 0, 1, 255)}) {
    Decoder decoder(message, std::endian::big);
    const Decoder within = decoder.read_encapsulation();
    CHECK(within.error().kind == ErrorKind::bad_encapsulation);
    CHECK(decoder.error().kind == ErrorKind::bad_encapsulation);
  }
  CHECK_FALSE(Decoder::from_encapsulation({}).ok());
}

TEST_CASE("an encapsulation cannot be longer than the message, nor be read beyond its end") {
  const Octets wrong = octets(0, 0, 0, 3, 0, 0);
  Decoder decoder(wrong, std::endian::big);
  CHECK(decoder.read_encapsulation().error().kind == ErrorKind::bad_length);
  const Octets message = octets(0, 0, 0, 2, 0, 5, 6);
  Decoder whole(message, std::endian::big);
  Decoder within = whole.read_encapsulation();
  CHECK(within.read<std::uint8_t>() == 5);
  CHECK(within.read<std::uint8_t>() == 0);
  CHECK(within.error().kind == ErrorKind::truncated);
  CHECK(whole.read<std::uint8_t>() == 6);
  CHECK(whole.ok());
}

TEST_CASE("encapsulations nest down to the depth limit and no deeper") {
  const Octets message = nested(200);
  ErrorKind error{};
  Decoder decoder = Decoder::from_encapsulation(message);
  CHECK(levels_of(decoder, error) == cdr::Limits{}.depth_max);
  CHECK(error == ErrorKind::too_deep);
  Decoder shallow = Decoder::from_encapsulation(message, {.depth_max = 3});
  CHECK(levels_of(shallow, error) == 3);
  Decoder deep = Decoder::from_encapsulation(message, {.depth_max = 200});
  CHECK(levels_of(deep, error) == 199);
  CHECK(error == ErrorKind::none);
}

TEST_CASE("a decoder may enter and leave any number of values within the depth limit") {
  const Octets message(4);
  Decoder decoder(message, std::endian::big, 0, {.depth_max = 1});
  for (int round = 0; round < 3; ++round) {
    decoder.enter();
    decoder.leave();
  }
  CHECK(decoder.ok());
  decoder.enter();
  decoder.enter();
  CHECK(decoder.error().kind == ErrorKind::too_deep);
}

TEST_CASE("an encapsulation decodes in the environment of the message around it") {
  struct : cdr::Environment {
  } environment;
  const Octets message = octets(0, 0, 0, 1, 0);
  Decoder decoder(message, std::endian::big);
  decoder.set_environment(&environment);
  CHECK(decoder.read_encapsulation().environment() == &environment);
}

TEST_CASE("an error while an encapsulation is written is an error of the whole message") {
  cdr::Buffer buffer;
  Encoder encoder(buffer);
  encoder.write_encapsulation([](Encoder& contents) { contents.fail(ErrorKind::local_object); });
  CHECK(encoder.error().kind == ErrorKind::local_object);
}
