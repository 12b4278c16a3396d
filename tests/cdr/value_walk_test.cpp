// Values that are walked by their TypeCode: skipped, written again in another form, refused.
#include "support/octets.h"
#include "typecode_nodes.h"
#include <perigee/cdr/operators.h>
#include <perigee/cdr/typecode.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace perigee::cdr {

namespace {

using test::octets;
using enum TypeKind;

constexpr std::endian orders[] = {std::endian::little, std::endian::big};

/// A value of test::everything; `start` octets of a message come before it.
Octets everything(std::endian order, std::size_t start, CodeSets code_sets = {}) {
  Buffer buffer;
  Encoder encoder(buffer, order, Encoder::Borrowing::no, start);
  encoder.set_code_sets(code_sets);
  encoder << true << 'x' << L'\u20ac' << std::uint8_t{200} << std::int16_t{-3};
  encoder << std::uint64_t{1} << 0.5F << 1.25L << std::string("text")
          << std::wstring(L"w\U0001d11e");
  encoder << 1.5 << -2.5;                    // place
  encoder.write_enum(1);                     // tint
  encoder << false << std::string("other");  // either
  encoder << std::uint32_t{2};               // tree: two leaves
  encoder << std::uint32_t{0} << std::uint32_t{0};
  encoder.write_octets(octets(0x12, 0x34, 0x5d));  // price
  encoder << std::vector<std::int16_t>{1, 2, 3} << std::vector<std::int16_t>{};
  encoder << std::uint32_t{1} << std::string("pi") << 3.14;                    // table
  encoder << std::string("IDL:I:1.0") << std::uint32_t{1} << std::uint32_t{9}  // object
          << std::vector<std::uint8_t>{1, 2, 3};
  encode_type(encoder, test::recursive);  // type
  encode_type(encoder, test::point);      // inner
  encoder << 7.0 << 8.0;
  encoder << std::uint16_t{0x201};  // mask
  REQUIRE(encoder.ok());
  return buffer.flatten();
}

/// A message with the value after `start` other octets, so that alignment counts from the message.
Octets after(std::size_t start, const Octets& wire) {
  Octets message(start);
  message.insert(message.end(), wire.begin(), wire.end());
  return message;
}

Error skip(const Octets& wire, const TypeNode& type, std::size_t start = 0) {
  Decoder decoder(wire, std::endian::big, start);
  skip_value(decoder, type);
  return decoder.error();
}

}  // namespace

TEST_CASE("a value is skipped exactly to its end, at every position") {
  for (const std::endian order : orders) {
    for (std::size_t start = 0; start < 8; ++start) {
      const Octets message = after(start, everything(order, start));
      Decoder decoder(message, order, start);
      skip_value(decoder, test::everything);
      CHECK(decoder.ok());
      CHECK(decoder.remaining() == 0);
    }
  }
}

TEST_CASE("a value is written again in any byte order, at any place") {
  for (const std::endian from : orders) {
    for (const std::endian to : orders) {
      for (std::size_t start = 0; start < 8; ++start) {
        const Octets wire = everything(from, 0);
        Decoder decoder(wire, from);
        Buffer buffer;
        Encoder encoder(buffer, to, Encoder::Borrowing::no, start);
        copy_value(decoder, encoder, test::everything);
        REQUIRE(decoder.ok());
        REQUIRE(encoder.ok());
        // TypeCodes inside keep the byte order in which they were received: compare their meaning.
        const Octets message = after(start, buffer.flatten());
        Decoder again(message, to, start);
        Buffer back;
        Encoder normal(back, from);
        copy_value(again, normal, test::everything);
        CHECK(back.flatten() == wire);
      }
    }
  }
}

TEST_CASE("all 16 octets of a long double are written again") {
  Octets wire(16);
  for (std::size_t index = 0; index != wire.size(); ++index)
    wire[index] = static_cast<std::byte>(index + 1);
  Octets reversed = wire;
  std::ranges::reverse(reversed);
  for (const std::endian from : orders) {
    for (const std::endian to : orders) {
      Decoder decoder(wire, from);
      Buffer buffer;
      Encoder encoder(buffer, to);
      copy_value(decoder, encoder, basic_node<tk_longdouble>);
      CHECK(decoder.remaining() == 0);
      CHECK(buffer.flatten() == (from == to ? wire : reversed));
    }
  }
  Decoder cut_off(OctetSpan(wire).first(15), std::endian::big);
  skip_value(cut_off, basic_node<tk_longdouble>);
  CHECK_FALSE(cut_off.ok());
}

TEST_CASE("a value is written again in other code sets") {
  constexpr CodeSets old{.chars = CharSet::iso_8859_1, .giop_minor = 1};
  const Octets wire = everything(std::endian::big, 0, old);
  Decoder decoder(wire, std::endian::big);
  decoder.set_code_sets(old);
  Buffer buffer;
  Encoder encoder(buffer, std::endian::big);
  constexpr TypeMember members[] = {{"", &basic_node<tk_boolean>}, {"", &basic_node<tk_char>},
                                    {"", &basic_node<tk_wchar>},   {"", &basic_node<tk_octet>},
                                    {"", &basic_node<tk_short>},   {"", &basic_node<tk_ulonglong>},
                                    {"", &basic_node<tk_float>},   {"", &basic_node<tk_longdouble>},
                                    {"", &string_node<>},          {"", &wstring_node<>}};
  const TypeNode front{.kind = tk_struct, .members = members};
  copy_value(decoder, encoder, front);
  REQUIRE(encoder.ok());
  const Octets expected = everything(std::endian::big, 0);
  const Octets copied = buffer.flatten();
  CHECK(copied == Octets(expected.begin(), expected.begin() + static_cast<long>(copied.size())));
}

// The inner type is decoded and written again. It is destroyed before the message is sent.
TEST_CASE("no TypeCode is borrowed, however large it is") {
  const std::string name(10'000, 'n');
  const TypeNode large{.kind = tk_alias, .name = name, .content = &basic_node<tk_octet>};
  Buffer came;
  Encoder peer(came);
  encode_type(peer, large);
  peer << std::uint8_t{7};
  Decoder decoder(came.own_octets(), std::endian::native);
  Buffer buffer;
  Encoder encoder(buffer, std::endian::native, Encoder::Borrowing::yes);
  copy_value(decoder, encoder, basic_node<tk_any>);
  CHECK(buffer.borrowed().empty());
  CHECK(buffer.flatten() == came.flatten());
}

// The walk reads numbers and wide texts into local variables, which are gone when the message is
// sent.
TEST_CASE("numbers and wide strings that are written again are never borrowed") {
  constexpr CodeSets native{.wide = WideSet::native};
  constexpr TypeMember members[] = {{"", &sequence_node<basic_node<tk_octet>>},
                                    {"", &sequence_node<basic_node<tk_short>>},
                                    {"", &sequence_node<basic_node<tk_double>>},
                                    {"", &wstring_node<>}};
  const TypeNode type{.kind = tk_struct, .members = members};
  const auto encode = [native](std::endian order) {
    Buffer buffer;
    Encoder encoder(buffer, order);
    encoder.set_code_sets(native);
    encoder << std::vector<std::uint8_t>(300, 7) << std::vector<std::int16_t>(300, 8);
    encoder << std::vector<double>(300, 0.5) << std::wstring(300, L'w');
    return buffer.flatten();
  };
  for (const std::endian order : orders) {
    const Octets wire = encode(order);
    Decoder decoder(wire, order);
    decoder.set_code_sets(native);
    Buffer buffer;
    Encoder encoder(buffer, std::size_t{1});  // the size from which on octets may be borrowed
    encoder.set_code_sets(native);
    copy_value(decoder, encoder, type);
    REQUIRE(decoder.ok());
    CHECK(buffer.borrowed().empty());
    const bool is_equal = buffer.flatten() == encode(std::endian::native);
    CHECK(is_equal);
  }
}

TEST_CASE("a value that is cut off anywhere is an error") {
  const Octets wire = everything(std::endian::big, 0);
  for (std::size_t size = 0; size < wire.size(); ++size) {
    CAPTURE(size);
    Decoder decoder(OctetSpan(wire).first(size), std::endian::big);
    skip_value(decoder, test::everything);
    CHECK_FALSE(decoder.ok());
  }
}

TEST_CASE("a union's discriminator selects the member that follows") {
  constexpr const TypeNode& type = test::union_over<basic_node<tk_char>, 'a', 255>;
  CHECK(skip(octets('a', 0, 0, 0, 0, 0, 0, 9), type).kind == ErrorKind::none);
  CHECK(skip(octets('a', 0, 0, 0, 0, 0, 0), type).kind == ErrorKind::truncated);
  CHECK(skip(octets('z'), type).kind == ErrorKind::none);  // no member
}

TEST_CASE("values that their type does not have are errors") {
  CHECK(skip(octets(2), basic_node<tk_boolean>).kind == ErrorKind::bad_boolean);
  CHECK(skip(octets(0, 0, 0, 2), test::colour).kind == ErrorKind::bad_enum);
  CHECK(skip(octets(1, 44), test::level).kind == ErrorKind::none);  // 300
  CHECK(skip(octets(0xff, 0xfe), test::level).kind == ErrorKind::none);
  CHECK(skip(octets(0, 1), test::level).kind == ErrorKind::bad_enum);
  CHECK(skip(octets(7), test::code).kind == ErrorKind::bad_enum);
  CHECK(skip(octets(3, 0xff), test::bitmask).kind == ErrorKind::none);
  CHECK(skip(octets(4, 0), test::bitmask).kind == ErrorKind::bad_value);
  CHECK(skip(octets(0xa0, 0x0c), fixed_node<3, 0>).kind == ErrorKind::bad_value);
  CHECK(skip(octets(0x12, 0x3e), fixed_node<3, 0>).kind == ErrorKind::bad_value);
  CHECK(skip(octets(0x1d), fixed_node<3, 0>).kind ==
        ErrorKind::none);  // fewer digits than declared
  CHECK(skip(octets(0, 0, 0, 2, 1, 1), sequence_node<basic_node<tk_octet>, 1>).kind ==
        ErrorKind::bad_length);
  CHECK(skip(octets(0, 0, 0, 3, 'a', 'b', 0), string_node<1>).kind == ErrorKind::bad_length);
  CHECK(skip(octets(0xff, 0xff, 0xff, 0xff), sequence_node<test::point>).kind ==
        ErrorKind::truncated);
  CHECK(skip(octets(0xff, 0xff, 0xff, 0xff), sequence_node<basic_node<tk_long>>).kind ==
        ErrorKind::bad_length);
}

// Found by fuzzing: the octets after the value decided whether it was accepted.
TEST_CASE("a sequence of elements without octets needs no octets for them") {
  constexpr static TypeNode nothing{.kind = tk_struct};
  CHECK(skip(octets(0, 0, 0, 2), sequence_node<nothing>).kind == ErrorKind::none);
  CHECK(skip(octets(0, 1, 0, 0), sequence_node<nothing>).kind == ErrorKind::none);
  CHECK(skip(octets(0, 1, 0, 1), sequence_node<nothing>).kind == ErrorKind::too_large);
  // Found by fuzzing: the position of the value does not matter.
  CHECK(skip(octets(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0), sequence_node<nothing>, 5).kind ==
        ErrorKind::none);
}

// Found by fuzzing: with an empty id, the octets after the value decided whether it was accepted.
TEST_CASE("an exception's id may be missing only if the TypeCode has the id") {
  constexpr static TypeNode named{.kind = tk_except, .id = "ID"};
  constexpr static TypeNode anonymous{.kind = tk_except};
  CHECK(skip(octets(), named).kind == ErrorKind::none);
  CHECK(skip(octets(0, 0, 0, 3, 'I', 'D', 0), named).kind == ErrorKind::none);
  CHECK(skip(octets(), anonymous).kind == ErrorKind::truncated);
  CHECK(skip(octets(0, 0, 0, 3, 'I', 'D', 0), anonymous).kind == ErrorKind::none);
}

TEST_CASE("the walk skips a valuetype only if it has exactly the type of the TypeCode") {
  CHECK(skip(octets(0, 0, 0, 0), test::value).kind == ErrorKind::none);
  CHECK(skip(octets(0x7f, 0xff, 0xff, 0), test::value).kind == ErrorKind::truncated);
  CHECK(skip(octets(0x7f, 0xff, 0xff, 0,  // a box without an id
                    0, 0, 0, 2, 'x', 0),
             test::box)
            .kind == ErrorKind::none);
  CHECK(skip(octets(0x7f, 0xff, 0xff, 2, 0, 0, 0, 3, 'I', 'D', 0, 0,  // a box with another id
                    0, 0, 0, 2, 'x', 0),
             test::box)
            .kind == ErrorKind::no_value_factory);
  CHECK(skip(octets(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf8), test::value).kind ==
        ErrorKind::bad_value);
}

// CORBA 3.0, 15.3.7.
TEST_CASE("an abstract interface is skipped if it holds an object or null") {
  CHECK(skip(octets(1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0), test::abstract).kind ==
        ErrorKind::none);  // a nil object
  CHECK(skip(octets(0, 0, 0, 0, 0, 0, 0, 0), test::abstract).kind == ErrorKind::none);
  CHECK(skip(octets(0, 0, 0, 0, 0x7f, 0xff, 0xff, 0), test::abstract).kind ==
        ErrorKind::no_value_factory);  // the TypeCode does not describe the state of a value
  CHECK(skip(octets(1), test::abstract).kind == ErrorKind::truncated);
  CHECK(skip(octets(2), test::abstract).kind == ErrorKind::bad_boolean);
}

// The octets do not contain the id of the exception, but the form for comparison does.
TEST_CASE("a value that is written for comparison does not become far larger") {
  const std::string id(10'000, 'i');
  const TypeNode failed{.kind = tk_except, .id = id};
  const TypeNode many{.kind = tk_array, .bound = 1000, .content = &failed};
  Decoder decoder(OctetSpan(), std::endian::big);
  Buffer buffer;
  Encoder encoder(buffer);
  InnerTypes inner_types;
  write_comparable(decoder, encoder, many, inner_types);
  CHECK(decoder.error().kind == ErrorKind::too_large);
  CHECK(buffer.size() < 2 << 20);
}

TEST_CASE("a value of a local type cannot be received") {
  CHECK(skip(octets(0), test::local).kind == ErrorKind::local_object);
  CHECK(skip(octets(0), test::native).kind == ErrorKind::local_object);
}

// A walk over one octet would take 2^32 or 2^40 steps.
TEST_CASE("types with very many empty elements are refused, so that the walk ends soon") {
  constexpr static TypeNode nothing{.kind = tk_struct};
  CHECK(skip(octets(0), array_node<nothing, 0xffffffff>).kind == ErrorKind::too_large);
  CHECK(skip(octets(0), array_node<array_node<nothing, 0xffffffff>, 0xffffffff>).kind ==
        ErrorKind::too_large);
  std::vector<TypeNode> doubled(41);
  std::vector<std::array<TypeMember, 2>> members(41);
  doubled[0].kind = tk_struct;
  for (std::size_t index = 1; index < doubled.size(); ++index) {
    members[index] = {TypeMember{"a", &doubled[index - 1]}, TypeMember{"b", &doubled[index - 1]}};
    doubled[index].kind = tk_struct;
    doubled[index].members = members[index];
  }
  CHECK(skip(octets(0), doubled.back()).kind == ErrorKind::too_large);
}

// The walk looks for the id of the exception in each element of these sequences. A search for the
// end of the id would take as many steps as the message has octets, for each element.
TEST_CASE("an exception without its id does not search the message for each element") {
  const TypeNode no_members{.kind = tk_except, .id = "IDL:E:1.0"};
  const TypeMember member[] = {{"", &basic_node<tk_octet>}};
  const TypeNode one_octet{.kind = tk_except, .id = "IDL:E:1.0", .members = member};
  constexpr std::uint32_t size = 1 << 24;
  Octets wire(8 + size, std::byte{'a'});
  std::ranges::copy(octets(0, 0, 0xff, 0xff, 1, 0, 0, 0), wire.begin());
  CHECK(skip(wire, {.kind = tk_sequence, .content = &no_members}).kind == ErrorKind::none);
  std::ranges::fill(wire, std::byte{1});  // each length in it is 0x01010101
  CHECK(skip(wire, {.kind = tk_sequence, .content = &one_octet}).kind == ErrorKind::truncated);
}

TEST_CASE("the octets of a message limit the work of searching for long ids of exceptions") {
  const std::string id(0x01010100, '\x01');
  const TypeMember member[] = {{"", &basic_node<tk_octet>}};
  const TypeNode type{.kind = tk_except, .id = id, .members = member};
  const Octets wire(id.size() + (1 << 20), std::byte{1});  // each length in it is that of the id
  CHECK(skip(wire, {.kind = tk_sequence, .content = &type}).kind == ErrorKind::too_large);
}

TEST_CASE("empty values are counted for all values of a message together") {
  constexpr static TypeNode nothing{.kind = tk_struct};
  Decoder decoder(octets(0), std::endian::big);
  for (int value = 0; value < 2; ++value) {
    skip_value(decoder, array_node<nothing, 40'000>);
    CHECK(decoder.error().kind == (value == 0 ? ErrorKind::none : ErrorKind::too_large));
  }
}

// The product of octets and labels needs more than 32 bits.
TEST_CASE("a large message may have unions with many labels") {
  std::vector<TypeMember> branches(2048);
  for (std::size_t index = 0; index < branches.size(); ++index)
    branches[index] = {"", &basic_node<tk_octet>, static_cast<std::int64_t>(index) + 1};
  const TypeNode choice{.kind = tk_union, .content = &basic_node<tk_ushort>, .members = branches};
  const TypeNode choices{.kind = tk_sequence, .content = &choice};
  const TypeMember members[] = {{"", &sequence_node<basic_node<tk_octet>>}, {"", &choices}};
  constexpr std::uint32_t large = 1 << 24;
  constexpr std::uint32_t count = 1000;
  Octets wire(4 + large + 4 + count * 2);  // the discriminators are 0: no branch
  const auto put_length = [&wire](std::size_t place, std::uint32_t length) {
    for (std::size_t index = 0; index < 4; ++index)
      wire[place + index] = static_cast<std::byte>(length >> (24 - 8 * index));
  };
  put_length(0, large);
  put_length(4 + large, count);
  CHECK(skip(wire, {.kind = tk_struct, .members = members}).kind == ErrorKind::none);
}

// Many values of a large type use an index of its labels.
TEST_CASE("in a large union, the first branch with the label of the value is chosen") {
  std::vector<TypeMember> branches(1000);
  for (std::size_t index = 0; index < branches.size(); ++index)
    branches[index] = {"", &basic_node<tk_octet>, 7 * static_cast<std::int64_t>(index / 2)};
  for (std::size_t index = 1; index < branches.size(); index += 2)
    branches[index].type = &basic_node<tk_double>;  // never chosen: same label as before
  branches[500] = {"", &basic_node<tk_short>, 0};   // the default
  const TypeNode choice{.kind = tk_union,
                        .default_index = 500,
                        .content = &basic_node<tk_ushort>,
                        .members = branches};
  const TypeNode type{.kind = tk_sequence, .content = &choice};
  for (int time = 0; time < 2; ++time) {
    CHECK(skip(octets(0, 0, 0, 3, 0, 7, 1, 0, 0, 14, 2, 0, 0, 21, 3), type).kind ==
          ErrorKind::none);
    CHECK(skip(octets(0, 0, 0, 2, 0, 0, 1, 0, 0, 8, 0, 0), type).kind == ErrorKind::none);
    CHECK(skip(octets(0, 0, 0, 2, 0, 0, 1, 0, 0, 8, 0), type).kind == ErrorKind::truncated);
  }
}

TEST_CASE("a value that a large enum with @value does not have is an error") {
  std::vector<TypeMember> enumerators(300);
  for (std::size_t index = 0; index < enumerators.size(); ++index)
    enumerators[index].label = 2 * static_cast<std::int64_t>(index) - 100;
  const TypeNode even{.kind = tk_valued_enum, .bound = 16, .members = enumerators};
  const TypeNode type{.kind = tk_array, .bound = 3, .content = &even};
  CHECK(skip(octets(0, 2, 0xff, 0x9c, 1, 0xf2), type).kind == ErrorKind::none);
  CHECK(skip(octets(0, 2, 0, 3, 0, 4), type).kind == ErrorKind::bad_enum);
  CHECK(skip(octets(0, 2, 0, 4, 1, 0xf4), type).kind == ErrorKind::bad_enum);
}

TEST_CASE("nesting of values is limited") {
  Octets wire;
  for (int depth = 0; depth < 200; ++depth)
    for (const int octet : {0, 0, 0, 1}) wire.push_back(static_cast<std::byte>(octet));
  wire.insert(wire.end(), 4, std::byte{0});
  CHECK(skip(wire, test::recursive).kind == ErrorKind::too_deep);
  Octets anys;
  for (int depth = 0; depth < 200; ++depth)
    for (const int octet : {0, 0, 0, 11}) anys.push_back(static_cast<std::byte>(octet));
  CHECK(skip(anys, basic_node<tk_any>).kind == ErrorKind::too_deep);
}

}  // namespace perigee::cdr
