// Anys whose TypeCodes hide that their values form a cycle, and the cost of the search for cycles.
#include "counted_node.h"
#include "known_values.h"
#include "valuesA.h"
#include "written_types.h"
#include <perigee/cdr/value_format.h>

#include <optional>
#include <utility>

namespace perigee::test {

namespace {

/// The type of a custom value. The TypeCode does not describe the value's state.
WriteType custom_type(const std::string& id) {
  return complex_type(cdr::TypeKind::tk_value, [id](cdr::Encoder& encoder) {
    encoder.write_string(id);
    encoder.write_string("");
    encoder.write(std::int16_t{1});
    encoder.write(static_cast<std::uint32_t>(cdr::TypeKind::tk_null));
    encoder.write(std::uint32_t{0});
  });
}

WriteType abstract_type() {
  return complex_type(cdr::TypeKind::tk_abstract_interface, [](cdr::Encoder& encoder) {
    encoder.write_string("IDL:A:1.0");
    encoder.write_string("");
  });
}

/// Writes a node whose `next` is the same node.
void write_cycle(cdr::Encoder& encoder) {
  encoder.align(4);
  const std::size_t node = encoder.position();
  encoder.write(cdr::value_tag | cdr::value_with_id);
  encoder.write_string(Ledger::Node::_type_id);
  encoder.write(std::int32_t{7});
  encoder.write(cdr::value_indirection_tag);
  encoder.write(static_cast<std::int32_t>(node) - static_cast<std::int32_t>(encoder.position()));
  encoder.write(std::uint32_t{0});
}

/// An any of a struct with one member, which is a node in a cycle.
Octets any_of_cycle(const WriteType& member, bool is_abstract = false) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, little);
  struct_type(cdr::TypeKind::tk_struct, "IDL:S:1.0", {member})(encoder);
  if (is_abstract) encoder << false;  // not an object
  write_cycle(encoder);
  return buffer.flatten();
}

void count_nodes(KnownValues& known) {
  known.factories().remove(std::string(Ledger::Node::_type_id));
  known.factories().add(std::string(Ledger::Node::_type_id),
                        CORBA::make_reference<CountedFactory>());
}

/// No node may stay after the end of the any.
void check_refused(const Octets& octets) {
  KnownValues known;
  count_nodes(known);
  {
    CORBA::Any any;
    CHECK(decode_values(known, octets, little, 0, any) == cdr::ErrorKind::value_cycle);
  }
  CHECK(CountedNode::count == 0);
}

}  // namespace

TEST_CASE("an any of a struct refuses a cycle of values that its TypeCode hides") {
  const std::string node(Ledger::Node::_type_id);
  const WriteType ulong = basic_type(cdr::TypeKind::tk_ulong);
  SUBCASE("ValueBase") {
    check_refused(any_of_cycle(value_type("IDL:omg.org/CORBA/ValueBase:1.0")));
  }
  SUBCASE("a custom value") { check_refused(any_of_cycle(custom_type(node))); }
  SUBCASE("an abstract interface") { check_refused(any_of_cycle(abstract_type(), true)); }
  SUBCASE("numbers") {
    check_refused(any_of_cycle(value_type(node, {ulong, ulong, ulong, ulong})));
  }
}

TEST_CASE("an any accepts a cycle in the state that truncation skips, and the ORB breaks it") {
  const auto node = make_node(1, make_node(2));
  node->next()->next(node);
  Ledger::Choice choice;
  choice.point(CORBA::make_reference<OBV_Ledger::Deep>(3, 0.25, std::string("deep"),
                                                       std::uint16_t{9}, nullptr,
                                                       Ledger::Nodes{node}, std::string("note")));
  CORBA::Any sent;
  sent <<= choice;
  const Octets octets = encode_values(little, 0, sent);
  node->next(nullptr);
  KnownValues known;
  known.factories().remove(std::string(Ledger::Deep::_type_id));
  count_nodes(known);
  CORBA::Any any;
  REQUIRE(decode_values(known, octets, little, 0, any) == cdr::ErrorKind::none);
  REQUIRE((any >>= choice));
  CHECK(choice.point()->x() == 3);
  CHECK(CountedNode::count == 0);
}

namespace {

/// A struct with a value and `count` empty structs, which the search for cycles passes first.
Octets any_of_empty_parts(std::uint32_t count) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, little);
  const WriteType empty = struct_type(cdr::TypeKind::tk_struct, "IDL:E:1.0", {});
  struct_type(cdr::TypeKind::tk_struct, "IDL:S:1.0",
              {value_type("IDL:V:1.0", {basic_type(cdr::TypeKind::tk_ulong)}),
               sequence_type(empty)})(encoder);
  encoder.write(cdr::value_tag);
  encoder.write(std::uint32_t{5});
  encoder.write(count);
  return buffer.flatten();
}

/// Decodes the any `times` times as one message.
cdr::ErrorKind decode_empty_parts(std::uint32_t count, int times) {
  const Octets once = any_of_empty_parts(count);
  Octets octets;
  for (int index = 0; index != times; ++index) {
    octets.resize((octets.size() + 7) & ~std::size_t{7});
    octets.insert(octets.end(), once.begin(), once.end());
  }
  cdr::Decoder decoder(octets, little);
  const value::Reading reading(decoder);
  for (int index = 0; index != times && decoder.ok(); ++index) {
    decoder.align(8);
    CORBA::Any any;
    decoder >> any;
  }
  return decoder.error().kind;
}

}  // namespace

// A message may have 65,536 empty values. The values that the search for cycles passes count, too.
TEST_CASE("the steps of the search for cycles count for the whole message") {
  CHECK(decode_empty_parts(30'000, 1) == cdr::ErrorKind::none);
  CHECK(decode_empty_parts(40'000, 1) == cdr::ErrorKind::too_large);
  CHECK(decode_empty_parts(0xffff'ffff, 1) == cdr::ErrorKind::too_large);
  CHECK(decode_empty_parts(10'000, 3) == cdr::ErrorKind::none);
  CHECK(decode_empty_parts(10'000, 4) == cdr::ErrorKind::too_large);
}

TEST_CASE("the search for cycles stays within the memory of a message, and gives it back") {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, little);
  constexpr std::uint32_t count = 1000;
  const WriteType value = value_type("IDL:V:1.0", {basic_type(cdr::TypeKind::tk_ulong)});
  struct_type(cdr::TypeKind::tk_struct, "IDL:S:1.0", {sequence_type(value)})(encoder);
  encoder.write(count);
  for (std::uint32_t index = 0; index != count; ++index) {
    encoder.write(cdr::value_tag);
    encoder.write(index);
  }
  const Octets octets = buffer.flatten();
  const auto decode = [&octets](bool expects_no_cycles, std::uint32_t memory) {
    cdr::Limits limits;
    limits.decoded_size_max = memory;
    cdr::Decoder decoder(octets, little, 0, limits);
    value::Reading reading(decoder);
    std::optional<value::Reading::WithoutCycles> without;
    if (expects_no_cycles) without.emplace(reading);
    CORBA::Any any;
    decoder >> any;
    return std::pair(decoder.error().kind, memory - decoder.limits_left().decoded_size_max);
  };
  constexpr std::uint32_t enough = 64 << 20;
  const auto with_look = decode(false, enough);
  CHECK(with_look.first == cdr::ErrorKind::none);
  CHECK(with_look == decode(true, enough));
  CHECK(decode(false, 1000).first == cdr::ErrorKind::too_much_memory);
}

}  // namespace perigee::test
