// The data that the end of a chunk may divide, and readers that go back over the end of a chunk.
#include "known_values.h"
#include "written_types.h"
#include <perigee/cdr/value_format.h>

#include <cstdint>
#include <functional>
#include <string>

namespace perigee::test {

namespace {

using cdr::Encoder;
using cdr::ErrorKind;
using cdr::TypeKind;
const std::string exception_id = "IDL:E:1.0";

Octets written(const std::function<void(Encoder&)>& write) {
  cdr::Buffer buffer;
  Encoder encoder(buffer, little);
  write(encoder);
  REQUIRE(encoder.ok());
  return buffer.flatten();
}

/// An any with a chunked value. `write_state` writes chunks and the end tag.
Octets any_of_value(const WriteType& member, const std::function<void(Encoder&)>& write_state) {
  return written([&](Encoder& encoder) {
    value_type("IDL:V:1.0", {member})(encoder);
    encoder.write(cdr::value_tag | cdr::value_chunked_bit);
    write_state(encoder);
  });
}

void write_chunk_of(Encoder& encoder, std::uint32_t number) {
  encoder.write(std::uint32_t{4});
  encoder.write(number);
}

/// Decodes an any, and reads on if that failed. `charged`: the memory that the message has charged.
ErrorKind error_of_any(OctetSpan octets, std::uint64_t* charged = nullptr) {
  KnownValues known;
  cdr::Decoder decoder(octets, little);
  decoder.set_environment(&known);
  const cdr::Limits before = decoder.limits_left();
  CORBA::Any any;
  decoder >> any;
  if (charged != nullptr)
    *charged = before.decoded_size_max - decoder.limits_left().decoded_size_max;
  const bool has_rest = decoder.ok() && decoder.remaining() != 0;
  return has_rest ? octets_left : decoder.error().kind;
}

const WriteType exception_type =
    struct_type(TypeKind::tk_except, exception_id,
                {basic_type(TypeKind::tk_ulong), basic_type(TypeKind::tk_ulong)});

/// The value of an exception with the id, in chunks that divide the id.
void write_divided_exception(Encoder& encoder, std::string_view id) {
  const auto size = static_cast<std::uint32_t>(exception_id.size() + 1);
  write_chunk_of(encoder, size);
  for (std::size_t index = 0; index != size; ++index) {
    encoder.write(std::uint32_t{1});
    encoder.write(index < id.size() ? id[index] : '\0');
  }
}

/// A value whose state is the numbers 1 and 2, each in a chunk of its own.
Octets value_of_two_chunks() {
  return written([](Encoder& encoder) {
    encoder.write(cdr::value_tag | cdr::value_chunked_bit);
    write_chunk_of(encoder, 1);
    write_chunk_of(encoder, 2);
    encoder.write(std::int32_t{-1});
  });
}

}  // namespace

TEST_CASE("an exception's id that a chunk divides is found") {
  CHECK(error_of_any(any_of_value(exception_type, [](Encoder& encoder) {
          write_divided_exception(encoder, exception_id);
          encoder.align(4);
          encoder.write(std::uint32_t{8});
          encoder << std::uint32_t{1} << std::uint32_t{2};
          encoder.write(std::int32_t{-1});
        })) == ErrorKind::none);
}

TEST_CASE("a number in front of the end of a chunk is read again if no exception's id follows") {
  const auto with_members = [](const std::function<void(Encoder&)>& write_rest) {
    return error_of_any(any_of_value(exception_type, [&](Encoder& encoder) {
      write_chunk_of(encoder, static_cast<std::uint32_t>(exception_id.size() + 1));
      write_rest(encoder);
    }));
  };
  CHECK(with_members([](Encoder& encoder) {
          write_chunk_of(encoder, 7);
          encoder.write(std::int32_t{-1});
        }) == ErrorKind::none);
  CHECK(with_members([](Encoder& encoder) {  // no chunk, but a tag of zero
          for (int index = 0; index != 8; ++index) encoder.write(std::uint32_t{0});
        }) == ErrorKind::bad_value);
  CHECK(with_members([](Encoder& encoder) {  // the value ends too early
          encoder.write(std::int32_t{-1});
          for (int index = 0; index != 8; ++index) encoder.write(std::uint32_t{0});
        }) == ErrorKind::bad_value);
}

TEST_CASE("the failed search for the id of an exception keeps no memory") {
  const auto charged_of = [](std::uint32_t count, std::size_t size) {
    const WriteType element =
        struct_type(TypeKind::tk_except, std::string(size, 'x'), {basic_type(TypeKind::tk_ulong)});
    const Octets octets = any_of_value(sequence_type(element), [&](Encoder& encoder) {
      encoder.write(4 + 4 * count);
      encoder.write(count);
      for (std::uint32_t index = 0; index != count; ++index)
        encoder.write(static_cast<std::uint32_t>(size + 1));
      encoder.write(static_cast<std::uint32_t>(size + 8));
      encoder.write_string(std::string(size + 8, 'y'));
    });
    std::uint64_t charged = 0;
    (void)error_of_any(octets, &charged);
    return charged;
  };
  CHECK(charged_of(1000, 10'000) < charged_of(10, 10'000) + 1'000'000);
}

TEST_CASE("a fixed-point number that chunks divide is put together") {
  const auto with_octets = [](std::initializer_list<int> values) {
    return error_of_any(any_of_value(fixed_type(31), [&](Encoder& encoder) {
      for (const int value : values) {
        encoder.align(4);
        encoder.write(std::uint32_t{1});
        encoder.write(static_cast<std::uint8_t>(value));
      }
      encoder.align(4);
      encoder.write(std::int32_t{-1});
      encoder.write(std::uint64_t{0});
    }));
  };
  CHECK(with_octets({0x12, 0x34, 0x5c}) == octets_left);
  CHECK(with_octets({0x5d}) == octets_left);
  CHECK(with_octets({0x12, 0x34}) == ErrorKind::bad_value);  // no sign
  CHECK(with_octets({0x12, 0xa4, 0x5c}) == ErrorKind::bad_value);
  CHECK(with_octets({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0c}) ==
        ErrorKind::bad_value);  // too long
}

TEST_CASE("a chunk must not end inside a number") {
  const auto with_rest = [](std::size_t rest) {
    return error_of_any(
        any_of_value(struct_type(TypeKind::tk_struct, "IDL:S:1.0",
                                 {basic_type(TypeKind::tk_ulong), basic_type(TypeKind::tk_ulong)}),
                     [rest](Encoder& encoder) {
                       encoder.write(static_cast<std::uint32_t>(4 + rest));
                       encoder.write(std::uint32_t{1});
                       for (std::size_t index = 0; index != rest; ++index)
                         encoder.write(std::uint8_t{0x41});
                       write_chunk_of(encoder, 2);
                       encoder.write(std::int32_t{-1});
                     }));
  };
  CHECK(with_rest(0) == ErrorKind::none);
  for (std::size_t rest = 1; rest != 4; ++rest) {
    CAPTURE(rest);
    CHECK(with_rest(rest) == ErrorKind::bad_value);
  }
}

TEST_CASE("chunks that hold only padding are read without recursion") {
  constexpr std::uint32_t count = 200'000;
  const Octets octets = any_of_value(basic_type(TypeKind::tk_double), [](Encoder& encoder) {
    if (encoder.position() % 8 != 0) write_chunk_of(encoder, 0);
    for (std::uint32_t index = 0; index != count; ++index) {
      encoder.write(std::uint32_t{4});
      encoder.write(std::uint32_t{0x41414141});
    }
    encoder.write(std::int32_t{-1});
  });
  CHECK(error_of_any(octets) != ErrorKind::none);
}

TEST_CASE("a fixed-point number that a chunk and fragments of GIOP 1.1 divide is read") {
  for (const bool has_number : {false, true}) {
    CAPTURE(has_number);
    const Octets octets = written([has_number](Encoder& encoder) {
      encoder.write(cdr::value_tag | cdr::value_chunked_bit);
      encoder.write(std::uint32_t{has_number ? 12U : 8U});
      if (has_number) encoder.write(std::uint32_t{99});
      encoder.write(std::uint32_t{0x78563412});
      for (const int value : {0x12, 0x34, 0x56, 0x7c})
        encoder.write(static_cast<std::uint8_t>(value));
      encoder.write(std::int32_t{-1});
      encoder.write(std::uint32_t{7});
    });
    const std::size_t first = octets.size() - 12;
    const std::size_t sizes[] = {first, octets.size() - first};
    cdr::Decoder decoder(octets, little);
    decoder.set_pieces(sizes);
    cdr::ValueReading reading(decoder);
    REQUIRE(reading.begin(decoder).kind == cdr::ValueHeader::Kind::state);
    if (has_number) CHECK(decoder.read<std::uint32_t>() == 99);
    CHECK(decoder.read_fixed(31).size() == 8);
    reading.end_chunked(decoder, cdr::ValueReading::Rest::refuse);
    CHECK(decoder.read<std::uint32_t>() == 7);
    CHECK(decoder.ok());
    CHECK(decoder.remaining() == 0);
  }
}

TEST_CASE("a copy of a decoder cannot read beyond the end of its chunk") {
  const Octets octets = value_of_two_chunks();
  cdr::Decoder decoder(octets, little);
  cdr::ValueReading reading(decoder);
  REQUIRE(reading.begin(decoder).kind == cdr::ValueHeader::Kind::state);
  CHECK(decoder.read<std::uint32_t>() == 1);
  cdr::Decoder copy = decoder;
  CHECK(copy.read<std::uint32_t>() == 0);
  CHECK(copy.error().kind == ErrorKind::bad_value);
  CHECK(decoder.read<std::uint32_t>() == 2);
  reading.end_chunked(decoder, cdr::ValueReading::Rest::refuse);
  CHECK(decoder.ok());
}

TEST_CASE("a mark leads back over the end of a chunk") {
  const Octets octets = value_of_two_chunks();
  cdr::Decoder decoder(octets, little);
  cdr::ValueReading reading(decoder);
  REQUIRE(reading.begin(decoder).kind == cdr::ValueHeader::Kind::state);
  cdr::DecoderMark mark(decoder);
  for (int round = 0; round != 3; ++round) {
    CHECK(decoder.read<std::uint32_t>() == 1);
    CHECK(decoder.read<std::uint32_t>() == 2);
    CHECK(decoder.read<std::uint32_t>() == 0);
    CHECK_FALSE(decoder.ok());
    mark.go_back();
    CHECK(decoder.ok());
  }
}

}  // namespace perigee::test
