// TypeCodes on the wire, from correct and from hostile peers; comparing and copying TypeCodes.
#include "support/allocations.h"
#include "support/octets.h"
#include "typecode_nodes.h"
#include <perigee/cdr/typecode.h>

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

namespace perigee::cdr {

namespace {

using test::decode_node;
using test::encode_node;
using test::octets;

/// The error of decoding. A decoding that fails leaves tk_null.
ErrorKind error_of(const Octets& wire, TypeLimits limits = {}) {
  Decoder decoder(wire, std::endian::big);
  const TypeRef type = decode_type(decoder, limits);
  CHECK((decoder.ok() || type.node->kind == TypeKind::tk_null));
  return decoder.error().kind;
}

void patch(Octets& wire, std::size_t offset, std::uint32_t value) {
  for (std::size_t index = 0; index < 4; ++index)
    wire[offset + index] = static_cast<std::byte>(value >> (24 - 8 * index));
}

/// A sequence of a sequence of … of long, `depth` TypeCodes in all, big-endian.
Octets nested_sequences(std::size_t depth) {
  Octets wire = octets(0, 0, 0, 3);
  for (std::size_t level = 1; level < depth; ++level) {
    Octets outer = octets(0, 0, 0, 19);
    const std::size_t size = 4 + wire.size() + 4;  // byte order and padding, element, bound
    for (const int shift : {24, 16, 8, 0}) outer.push_back(static_cast<std::byte>(size >> shift));
    outer.insert(outer.end(), 4, std::byte{0});
    outer.insert(outer.end(), wire.begin(), wire.end());
    outer.insert(outer.end(), 4, std::byte{0});
    wire = std::move(outer);
  }
  return wire;
}

/// An indirection to where a TypeCode began: `start` octets from the start of the buffer.
void write_indirection(Encoder& encoder, std::size_t start) {
  encoder.write(std::uint32_t{0xffffffff});
  encoder.align(4);
  encoder.write(static_cast<std::int32_t>(static_cast<std::int64_t>(start) -
                                          static_cast<std::int64_t>(encoder.buffer().size())));
}

/// A struct of `count` aliases. The first is an alias of octet. Each other alias is an alias of its
/// predecessor.
Octets alias_chain(std::size_t count) {
  Buffer buffer;
  Encoder encoder(buffer, std::endian::big);
  encoder.write(static_cast<std::uint32_t>(TypeKind::tk_struct));
  encoder.write_encapsulation([&](Encoder& body) {
    for (const std::string_view empty : {"", ""}) body.write_string(empty);
    body.write_length(count);
    std::size_t last = 0;
    for (std::size_t index = 0; index < count; ++index) {
      body.write_string("");
      body.align(4);
      const std::size_t start = buffer.size();
      body.write(static_cast<std::uint32_t>(TypeKind::tk_alias));
      body.write_encapsulation([&](Encoder& alias) {
        for (const std::string_view empty : {"", ""}) alias.write_string(empty);
        if (index == 0) return alias.write(static_cast<std::uint32_t>(TypeKind::tk_octet));
        alias.align(4);
        write_indirection(alias, last);
      });
      last = start;
    }
  });
  return buffer.flatten();
}

/// A union over wchar with `count` branches of one type, whose id of 1000 octets comes once.
void write_repetitive_union(Encoder& encoder, std::uint32_t count) {
  Buffer& buffer = encoder.buffer();
  encoder.write(static_cast<std::uint32_t>(TypeKind::tk_union));
  encoder.write_encapsulation([&](Encoder& body) {
    for (const std::string_view empty : {"", ""}) body.write_string(empty);
    body.write(static_cast<std::uint32_t>(TypeKind::tk_wchar));
    body.write(std::int32_t{-1});
    body.write(count);
    std::size_t start = 0;
    for (std::uint32_t index = 0; index < count; ++index) {
      for (const std::uint32_t octet : {2U, index >> 8, index & 255U})
        body.write(static_cast<std::uint8_t>(octet));
      body.write_string("");
      body.align(4);
      if (index > 0) {
        write_indirection(body, start);
        continue;
      }
      start = buffer.size();
      body.write(static_cast<std::uint32_t>(TypeKind::tk_objref));
      body.write_encapsulation([](Encoder& reference) {
        reference.write_string(std::string(1000, 'i'));
        reference.write_string("");
      });
    }
  });
}

/// union switch (Kind) { default: octet d; }, with the label as JacORB writes it: one octet of 0
/// after the number of members. Big-endian.
Octets union_of_jacorb(Octets discriminator, std::initializer_list<int> label) {
  Octets body = octets(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0);  // no names
  body.insert(body.end(), discriminator.begin(), discriminator.end());
  const Octets before = octets(0, 0, 0, 0, 0, 0, 0, 1);  // the default is member 0 of 1
  body.insert(body.end(), before.begin(), before.end());
  for (const int octet : label) body.push_back(static_cast<std::byte>(octet));
  while (body.size() % 4 != 0) body.push_back(std::byte{0});
  const Octets member = octets(0, 0, 0, 2, 'd', 0, 0, 0, 0, 0, 0, 10);
  body.insert(body.end(), member.begin(), member.end());
  Octets wire = octets(0, 0, 0, 16, 0, 0, 0, body.size());
  wire.insert(wire.end(), body.begin(), body.end());
  return wire;
}

// struct N { sequence<N> c; }
const Octets recursive_wire =
    octets(0, 0, 0, 15,  //  0: tk_struct
           0, 0, 0, 64,  //  4: octets of its encapsulation
           0, 0, 0, 0,   //  8: big-endian, padding
           0, 0, 0, 10, 'I', 'D', 'L', ':', 'N', ':', '1', '.', '0', 0, 0, 0,  // 12: id, padding
           0, 0, 0, 2, 'N', 0, 0, 0,                                           // 28: name
           0, 0, 0, 1,                                                         // 36: one member
           0, 0, 0, 2, 'c', 0, 0, 0,                                           // 40: its name
           0, 0, 0, 19,                                                        // 48: tk_sequence
           0, 0, 0, 16,             // 52: octets of its encapsulation
           0, 0, 0, 0,              // 56: big-endian
           0xff, 0xff, 0xff, 0xff,  // 60: indirection
           0xff, 0xff, 0xff, 0xc0,  // 64: to 64 - 64
           0, 0, 0, 0);             // 68: no bound
constexpr std::size_t offset_field = 64;

}  // namespace

// CORBA 3.0, 15.3.5.1; interop fact 36 of docs/interop.md.
TEST_CASE("a recursive struct is written with an indirection from the offset's own position") {
  CHECK(encode_node(test::recursive, std::endian::big) == recursive_wire);
  const TypeRef type = decode_node(recursive_wire, std::endian::big);
  CHECK(type.node->members[0].type->content == type.node);
  CHECK(equal(*type.node, test::recursive));
}

TEST_CASE("a sequence that contains itself by way of a struct leads back to the struct") {
  const TypeRef type =
      decode_node(encode_node(test::recursive_list, std::endian::big), std::endian::big);
  CHECK(equal(*type.node, test::recursive_list));
  const TypeNode& element = *type.node->content;
  CHECK(element.members[0].type->content == &element);
}

TEST_CASE("simple TypeCodes have their parameters after the kind") {
  CHECK(encode_node(basic_node<TypeKind::tk_long>, std::endian::big) == octets(0, 0, 0, 3));
  CHECK(encode_node(string_node<5>, std::endian::big) == octets(0, 0, 0, 18, 0, 0, 0, 5));
  CHECK(encode_node(wstring_node<>, std::endian::little) == octets(27, 0, 0, 0, 0, 0, 0, 0));
  CHECK(encode_node(fixed_node<7, 2>, std::endian::big) == octets(0, 0, 0, 28, 0, 7, 0, 2));
}

// CORBA 3.0, 15.3.5.1: the label of the default member is a value of no meaning; ours is 0.
TEST_CASE("a union's TypeCode holds its discriminator, its default and its labels") {
  const Octets wire = encode_node(test::flag_union, std::endian::big);
  CHECK(wire == octets(0, 0, 0, 16, 0, 0, 0, 76,  // tk_union
                       0, 0, 0, 0,                //
                       0, 0, 0, 10, 'I', 'D', 'L', ':', 'U', ':', '1', '.', '0', 0, 0, 0,  // id
                       0, 0, 0, 2, 'U', 0, 0, 0,                                           // name
                       0, 0, 0, 8,                            // discriminator: boolean
                       0, 0, 0, 1,                            // the member number 1 is the default
                       0, 0, 0, 2,                            // two members
                       1, 0, 0, 0,                            // case TRUE
                       0, 0, 0, 2, 'a', 0, 0, 0, 0, 0, 0, 3,  // long a
                       0, 0, 0, 0,                            // default
                       0, 0, 0, 2, 'b', 0, 0, 0, 0, 0, 0, 18, 0, 0, 0, 0));  // string b
}

TEST_CASE("every TypeCode survives the round trip in both byte orders, octet for octet") {
  for (const TypeNode* node : test::all_nodes) {
    CAPTURE(to_text(*node));
    for (const std::endian order : {std::endian::little, std::endian::big}) {
      const Octets wire = encode_node(*node, order);
      const TypeRef type = decode_node(wire, order);
      CHECK(equal(*type.node, *node));
      CHECK(equivalent(*type.node, *node));
      CHECK(encode_node(*type.node, order) == wire);
      // In the other order the outermost kind and length are swapped. All other octets are
      // unchanged.
      const std::endian other =
          order == std::endian::little ? std::endian::big : std::endian::little;
      const TypeRef again = decode_node(encode_node(*type.node, other), other);
      CHECK(equal(*again.node, *node));
    }
  }
}

TEST_CASE("a TypeCode that is cut off anywhere is an error") {
  for (const TypeNode* node : test::all_nodes) {
    const Octets wire = encode_node(*node, std::endian::big);
    for (std::size_t size = 0; size < wire.size(); ++size) {
      CAPTURE(size);
      Decoder decoder(OctetSpan(wire).first(size), std::endian::big);
      decode_type(decoder);
      CHECK_FALSE(decoder.ok());
    }
  }
}

TEST_CASE("an indirection to a place without a TypeCode is an error") {
  for (const std::int32_t offset : {0, -4, 4, 8, -8, -63, -65, -68, -1000, INT32_MIN, INT32_MAX}) {
    CAPTURE(offset);
    Octets wire = recursive_wire;
    patch(wire, offset_field, static_cast<std::uint32_t>(offset));
    CHECK(error_of(wire) == ErrorKind::bad_value);
  }
}

TEST_CASE("an indirection to a sequence that is not complete is an error") {
  Octets wire = recursive_wire;
  patch(wire, offset_field, static_cast<std::uint32_t>(-16));  // to the sequence around it
  CHECK(error_of(wire) == ErrorKind::bad_value);
}

// omniORB's TypeCode of L, for `typedef sequence<N> L; struct N { L c; };`.
TEST_CASE("an indirection may lead to the alias of a sequence around a recursive struct") {
  const Octets wire =
      octets(0, 0, 0, 21, 0, 0, 0, 84, 0, 0, 0, 0,                        //  0: tk_alias
             0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,              // 12: no names
             0, 0, 0, 19, 0, 0, 0, 56, 0, 0, 0, 0,                        // 28: tk_sequence
             0, 0, 0, 15, 0, 0, 0, 40, 0, 0, 0, 0,                        // 40: tk_struct
             0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1,  // 52: one member
             0, 0, 0, 2, 'c', 0, 0, 0,                                    // 72: its name
             0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xac,              // 80: 84 - 84
             0, 0, 0, 0);                                                 // 88: no bound
  const TypeRef type = decode_node(wire, std::endian::big);
  CHECK(type.node->content->content->members[0].type == type.node);
  CHECK(to_text(*type.node) == "typedef sequence<struct> typedef");
  // In the octets that are written again, the recursion leads to the struct.
  const TypeRef copy = deep_copy(*type.node);
  CHECK(equivalent(*decode_node(encode_node(*copy.node, std::endian::big), std::endian::big).node,
                   *type.node));
}

TEST_CASE("a union over an alias that leads back to the union is an error") {
  const Octets wire =
      octets(0, 0, 0, 21, 0, 0, 0, 64, 0, 0, 0, 0,            //  0: tk_alias
             0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,  // 12: no names
             0, 0, 0, 16, 0, 0, 0, 36, 0, 0, 0, 0,            // 28: tk_union
             0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,  // 40: no names
             0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc4,  // 56: discriminator: 60 - 60
             0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);             // 64: no default, no members
  CHECK(error_of(wire) == ErrorKind::bad_value);
}

TEST_CASE("an indirection on its own is an error") {
  CHECK(error_of(octets(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf0)) == ErrorKind::bad_value);
}

// Interop fact 38 of docs/interop.md: other ORBs write an indirection for each TypeCode that
// appears again.
TEST_CASE("an indirection to a complete TypeCode is understood") {
  const Octets wire =
      octets(0, 0, 0, 15, 0, 0, 0, 84,                                    //  0: tk_struct
             0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,  // 8: no names
             0, 0, 0, 2,                                                  // 28: 2 members
             0, 0, 0, 2, 'a', 0, 0, 0,                                    // 32
             0, 0, 0, 19, 0, 0, 0, 12,                                    // 40: tk_sequence
             0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 9,                          // 48: <long, 9>
             0, 0, 0, 2, 'b', 0, 0, 0,                                    // 60
             0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe0,              // 68: to 40
             0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);             // 76: trailing
  const TypeRef type = decode_node(wire, std::endian::big);
  REQUIRE(type.node->members.size() == 2);
  CHECK(type.node->members[1].type == type.node->members[0].type);
  CHECK(type.node->members[1].type->bound == 9);
}

TEST_CASE("nesting is limited, when reading and when writing") {
  CHECK(error_of(nested_sequences(66)) == ErrorKind::too_deep);
  CHECK(error_of(nested_sequences(5000)) == ErrorKind::too_deep);
  const Octets wire = nested_sequences(64);
  const TypeRef type = decode_node(wire, std::endian::big);
  Buffer buffer;
  Encoder encoder(buffer);
  const TypeRef copy = deep_copy(*type.node);
  encode_type(encoder, *copy.node, {.depth_max = 10});
  CHECK(encoder.error().kind == ErrorKind::too_deep);
}

// Aliases do not count as nested, but code that resolves an alias follows the whole chain.
TEST_CASE("the length of a chain of aliases is limited, also if it uses indirections") {
  CHECK(error_of(alias_chain(64)) == ErrorKind::none);
  CHECK(error_of(alias_chain(65)) == ErrorKind::too_deep);
  CHECK(error_of(alias_chain(16'000)) == ErrorKind::too_deep);
}

TEST_CASE("the number of parts is limited") {
  const Octets wire = encode_node(test::everything, std::endian::big);
  CHECK(error_of(wire, {.nodes_max = 5}) == ErrorKind::too_large);
}

// An enumerator takes five octets on the wire, and far more in memory.
TEST_CASE("enumerators, flags and members count as parts, for the encoder and the decoder") {
  const TypeMember member{"m", nullptr, 1};
  const TypeMember typed{"m", &basic_node<TypeKind::tk_octet>, 1};
  for (const TypeKind kind :
       {TypeKind::tk_enum, TypeKind::tk_valued_enum, TypeKind::tk_bitmask, TypeKind::tk_struct}) {
    const std::vector<TypeMember> members(999, kind == TypeKind::tk_struct ? typed : member);
    const TypeNode type{.kind = kind, .bound = 64, .members = members};
    Buffer buffer;
    Encoder encoder(buffer, std::endian::big);
    encode_type(encoder, type, {.nodes_max = 1000});
    REQUIRE(encoder.ok());
    const Octets wire = buffer.flatten();
    CHECK(error_of(wire, {.nodes_max = 1000}) == ErrorKind::none);
    CHECK(error_of(wire, {.nodes_max = 999}) == ErrorKind::too_large);
    encode_type(encoder, type, {.nodes_max = 999});
    CHECK(encoder.error().kind == ErrorKind::too_large);
  }
}

// Each enumerator takes 8 octets in the message. It is charged with 48 octets if a pointer has
// 32 bits, and with 64 octets otherwise. The values before the TypeCode leave less for it.
TEST_CASE("the memory of a TypeCode is charged to its message") {
  const std::vector<TypeMember> members(1'000, TypeMember{"", nullptr, 0});
  const Octets wire =
      encode_node({.kind = TypeKind::tk_enum, .members = members}, std::endian::big);
  Decoder decoder(wire, std::endian::big);
  decoder.charge(decoder.decoded_max() - 4 * wire.size());
  REQUIRE(decoder.ok());
  decode_type(decoder);
  CHECK(decoder.error().kind == ErrorKind::too_much_memory);
}

// A search of all enumerators for each label would take 10^11 steps in total.
TEST_CASE("a union with many labels is checked against the enumerators of its discriminator fast") {
  constexpr std::uint32_t count = 300'000;
  std::vector<TypeMember> enumerators(count);
  for (TypeMember& each : enumerators) each.label = 1;
  const TypeNode discriminator{
      .kind = TypeKind::tk_valued_enum, .bound = 8, .members = enumerators};
  std::vector<TypeMember> branches(count);
  for (TypeMember& each : branches) each = {"", &basic_node<TypeKind::tk_short>, 200};
  const TypeNode type{.kind = TypeKind::tk_union, .content = &discriminator, .members = branches};
  Buffer buffer;
  Encoder encoder(buffer, std::endian::big);
  constexpr TypeLimits limits{.nodes_max = 3 * count, .octets_max = 1 << 26};
  encode_type(encoder, type, limits);
  REQUIRE(encoder.ok());
  const Octets wire = buffer.flatten();
  Decoder decoder(wire, std::endian::big);
  const TypeRef decoded = decode_type(decoder, limits);
  REQUIRE(decoder.ok());
  CHECK(decoded.node->members.back().label == 200);
}

// Each struct announces as many members as would fit into its octets. The first member is the next
// struct, and the innermost struct ends in the middle of a member.
TEST_CASE("nested TypeCodes do not take memory for all members that they announce") {
  const auto put = [](Octets& wire, std::size_t value) {
    for (const int shift : {24, 16, 8, 0}) wire.push_back(static_cast<std::byte>(value >> shift));
  };
  Octets wire(1 << 16, std::byte{0xff});
  for (int level = 0; level < 60; ++level) {
    Octets outer;
    put(outer, static_cast<std::size_t>(TypeKind::tk_struct));
    put(outer, 32 + wire.size());
    put(outer, 0);  // byte order
    const auto put_empty_text = [&] {
      put(outer, 1);
      put(outer, 0);
    };
    put_empty_text();  // id
    put_empty_text();  // name
    put(outer, wire.size() / 8);
    put_empty_text();  // name of the first member
    outer.insert(outer.end(), wire.begin(), wire.end());
    wire = std::move(outer);
  }
  const ::perigee::test::Allocations used =
      ::perigee::test::allocations_of([&] { CHECK(error_of(wire) == ErrorKind::bad_value); });
  CHECK(used.octets < 10 * wire.size());
}

// A chain of 14 structs. Each has two members of the type before it. Such a TypeCode takes 1 KB
// with indirections and 2 MB without.
TEST_CASE("the octets of a TypeCode that is written anew are limited") {
  const std::string name(100, 'n');
  std::vector<TypeNode> doubled(15);
  std::vector<std::array<TypeMember, 2>> members(15);
  doubled[0] = {.kind = TypeKind::tk_objref, .name = name};
  for (std::size_t index = 1; index < doubled.size(); ++index) {
    members[index] = {TypeMember{"", &doubled[index - 1]}, TypeMember{"", &doubled[index - 1]}};
    doubled[index] = {.kind = TypeKind::tk_struct, .members = members[index]};
  }
  const auto error = [&](TypeLimits limits) {
    Buffer buffer;
    Encoder encoder(buffer);
    encode_type(encoder, doubled[14], limits);
    CHECK(buffer.size() < 5 << 20);
    return encoder.error().kind;
  };
  CHECK(error({.nodes_max = 100'000}) == ErrorKind::none);
  CHECK(error({.nodes_max = 100'000, .octets_max = 1 << 20}) == ErrorKind::too_large);
}

TEST_CASE("a TypeCode that was received with indirections is not written far larger") {
  Buffer buffer;
  Encoder encoder(buffer);
  write_repetitive_union(encoder, 2000);
  Decoder decoder(buffer.own_octets(), std::endian::native);
  const TypeRef type = decode_type(decoder);
  REQUIRE(decoder.ok());
  Buffer again;
  Encoder anew(again);
  encode_type(anew, *type.node);
  CHECK(anew.error().kind == ErrorKind::too_large);
  CHECK(again.size() < 17 * buffer.size() + 4096);
}

TEST_CASE("the text of a type is cut where it becomes too long") {
  const std::string name(1000, 'n');
  std::vector<TypeNode> doubled(16, {.kind = TypeKind::tk_map});
  doubled[0] = {.kind = TypeKind::tk_struct, .name = name};
  for (std::size_t index = 1; index < doubled.size(); ++index)
    doubled[index].key = doubled[index].content = &doubled[index - 1];
  const std::string text = to_text(doubled.back());
  CHECK(text.size() == 64 * 1024 + 3);
  CHECK(text.ends_with("nnn..."));
  CHECK(to_text(doubled[2]) ==
        "map<map<" + name + ", " + name + ">, map<" + name + ", " + name + ">>");
}

// TypeCodes with parameters take far more memory than octets.
TEST_CASE("the TypeCodes with parameters in one message are limited") {
  Buffer buffer;
  Encoder encoder(buffer, std::endian::big);
  for (const TypeNode* node : {&basic_node<TypeKind::tk_long>, &string_node<>, &test::point})
    encode_type(encoder, *node);
  encode_type(encoder, string_node<3>);
  encode_type(encoder, test::colour);
  Limits limits;
  limits.objects_max = 2;
  Decoder decoder(buffer.own_octets(), std::endian::big, 0, limits);
  for (int count = 0; count < 4; ++count) decode_type(decoder);
  CHECK(decoder.ok());
  decode_type(decoder);
  CHECK(decoder.error().kind == ErrorKind::too_large);
}

TEST_CASE("a count that the octets cannot hold is an error before memory is taken") {
  Octets wire = recursive_wire;
  patch(wire, 36, 0xffffffff);
  CHECK(error_of(wire) == ErrorKind::bad_length);
}

TEST_CASE("a union whose type of discriminator is not allowed is an error") {
  Octets wire = encode_node(test::flag_union, std::endian::big);
  for (const std::uint32_t kind : {0u, 6u, 7u, 11u, 12u, 25u}) {
    CAPTURE(kind);
    patch(wire, 36, kind);
    CHECK(error_of(wire) == ErrorKind::bad_value);
  }
}

TEST_CASE("a union's default must be one of its members") {
  Octets wire = encode_node(test::flag_union, std::endian::big);
  for (const std::uint32_t index : {2u, 0x7fffffffu}) {
    patch(wire, 40, index);
    CHECK(error_of(wire) == ErrorKind::bad_value);
  }
}

// omniORB writes -2 if there is no default and the labels use all values.
TEST_CASE("any negative number says that a union has no default") {
  Octets wire = encode_node(test::flag_union, std::endian::big);
  for (const std::uint32_t index : {0xffffffffu, 0xfffffffeu, 0x80000000u}) {
    patch(wire, 40, index);
    const TypeRef type = decode_node(wire, std::endian::big);
    CHECK(type.node->default_index == -1);
    CHECK(encode_node(*type.node, std::endian::big) == wire);  // as it was received
  }
}

TEST_CASE("a label that is not a value of the discriminator is an error") {
  Octets wire = encode_node(test::flag_union, std::endian::big);
  wire[48] = std::byte{2};  // a boolean
  CHECK(error_of(wire) == ErrorKind::bad_boolean);
}

// CORBA 3.0, 15.3.5.1: the default's label has no meaning. JacORB's is one octet, and the name
// begins at the next multiple of 4.
TEST_CASE("the label of a union's default is ignored, and may be one octet") {
  const Octets number = octets(0, 0, 0, 3);
  const Octets long_number = octets(0, 0, 0, 23);
  const Octets wide = octets(0, 0, 0, 26);
  const Octets choice = octets(0, 0, 0, 17, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,  //
                               0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0);  // an enum of nothing
  for (const Octets& wire : {union_of_jacorb(number, {0}), union_of_jacorb(number, {1, 2, 3, 4}),
                             union_of_jacorb(octets(0, 0, 0, 8), {2}), union_of_jacorb(choice, {0}),
                             union_of_jacorb(choice, {0, 0, 0, 9}), union_of_jacorb(wide, {0}),
                             union_of_jacorb(wide, {2, 0, 'a'}),
                             union_of_jacorb(wide, {3, 1, 2, 3}), union_of_jacorb(long_number, {0}),
                             union_of_jacorb(long_number, {0, 0, 0, 0, 0, 0, 0, 7})}) {
    CAPTURE(wire.size());
    const TypeRef type = decode_node(wire, std::endian::big);
    REQUIRE(type.node->members.size() == 1);
    CHECK(type.node->members[0].name == "d");
    CHECK(type.node->members[0].type->kind == TypeKind::tk_octet);
    CHECK(type.node->members[0].label == 0);
  }
  CHECK(error_of(union_of_jacorb(long_number, {1})) == ErrorKind::bad_value);
}

// A TypeCode may end at any alignment. JacORB's form of the octets after it is shorter than the
// form of the standard.
TEST_CASE(
    "the default's label of one octet is distinguished from a label of four, after any member") {
  const Octets wire = octets(0, 0, 0, 16, 0, 0, 0, 84, 0, 0, 0, 0,               // tk_union
                             0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,     // no names
                             0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2,                 // over long
                             0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0,                 // case 5, no name
                             0, 0, 0, 14, 0, 0, 0, 17,                           // tk_objref
                             0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0,  // no names
                             0, 0, 0, 0, 0, 0, 2, 'd', 0, 0, 0, 0, 0, 0, 10);  // one octet; octet d
  CHECK(decode_node(wire, std::endian::big).node->members[1].name == "d");
}

// A TypeCode of Perigee's own: docs/mapping.md.
TEST_CASE("the TypeCode of an enum with values has the number of its bits, and the values") {
  CHECK(encode_node(test::code, std::endian::big) ==
        octets(0x50, 0x47, 0, 5, 0, 0, 0, 80, 0, 0, 0, 0,                                   //
               0, 0, 0, 13, 'I', 'D', 'L', ':', 'C', 'o', 'd', 'e', ':', '1', '.', '0', 0,  // id
               0, 0, 0, 0, 0, 0, 5, 'C', 'o', 'd', 'e', 0, 0, 0, 0,  // padding, name, padding
               0, 0, 0, 8, 0, 0, 0, 2,                               // 8 bits, 2 enumerators
               0, 0, 0, 5, 'n', 'o', 'n', 'e', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  // 0
               0, 0, 0, 4, 'a', 'l', 'l', 0, 0, 0, 0, 0, 0, 0, 0, 255));            // 255
}

TEST_CASE("an unknown kind is an error") {
  CHECK(error_of(octets(0, 0, 0, 37)) == ErrorKind::bad_value);
  CHECK(error_of(octets(0x50, 0x47, 0xff, 0xff)) == ErrorKind::bad_value);
}

TEST_CASE("equal compares names and aliases, equivalent ignores them") {
  CHECK_FALSE(equal(test::alias, test::point));
  CHECK(equivalent(test::alias, test::point));
  CHECK_FALSE(equal(test::point, test::renamed_point));
  CHECK(equivalent(test::point, test::renamed_point));
  CHECK_FALSE(equivalent(test::point, test::other_point));
  CHECK_FALSE(equivalent(string_node<>, string_node<5>));
  CHECK_FALSE(equivalent(test::point, test::flag_union));
}

TEST_CASE("a recursive type without ids equals itself unrolled") {
  CHECK(equivalent(test::anonymous_ring, test::anonymous_ring_of_two));
  CHECK(equal(test::anonymous_ring, test::anonymous_ring_of_two));
}

TEST_CASE("a compact copy has no names, and is equivalent") {
  for (const TypeNode* node : test::all_nodes) {
    CAPTURE(to_text(*node));
    const TypeRef copy = compact_copy(*node);
    CHECK(equivalent(*copy.node, *node));
    CHECK(copy.node->name.empty());
    CHECK(copy.node->id == node->id);
    for (const TypeMember& member : copy.node->members) CHECK(member.name.empty());
  }
}

TEST_CASE("a deep copy closes the circle of a recursive type") {
  const TypeNode place{.kind = TypeKind::tk_recursive, .id = "IDL:N:1.0"};
  const TypeNode list{.kind = TypeKind::tk_sequence, .content = &place};
  const TypeMember members[] = {{"c", &list}};
  const TypeNode open{
      .kind = TypeKind::tk_struct, .id = "IDL:N:1.0", .name = "N", .members = members};
  const TypeRef closed = deep_copy(open);
  CHECK(equal(*closed.node, test::recursive));
  Buffer buffer;
  Encoder encoder(buffer);
  encode_type(encoder, open);
  CHECK(encoder.error().kind == ErrorKind::bad_value);
}

TEST_CASE("a deep copy never makes an alias of itself") {
  const TypeNode place{.kind = TypeKind::tk_recursive, .id = "IDL:A:1.0"};
  const TypeNode open{.kind = TypeKind::tk_alias, .id = "IDL:A:1.0", .content = &place};
  const TypeRef copy = deep_copy(open);
  CHECK(unaliased(*copy.node).kind == TypeKind::tk_recursive);
}

TEST_CASE("the text of a type is IDL") {
  CHECK(to_text(test::point) == "struct Point { double x; double y; }");
  CHECK(to_text(test::flag_union) ==
        "union U switch (boolean) { case TRUE: long a; default: string b; }");
  CHECK(to_text(test::colour) == "enum Colour { red, green }");
  CHECK(to_text(test::level) == "enum Level { low, high }");
  CHECK(to_text(test::union_over<test::level, -2, 300>) ==
        "union V switch (Level) { case low: long a; case high: Point b; }");
  CHECK(to_text(test::alias) == "typedef Point Place");
  CHECK(to_text(test::recursive) == "struct N { sequence<N> c; }");
  CHECK(to_text(sequence_node<string_node<8>, 3>) == "sequence<string<8>, 3>");
  CHECK(to_text(array_node<array_node<fixed_node<5, 2>, 2>, 3>) == "fixed<5, 2>[3][2]");
}

}  // namespace perigee::cdr
