// Valuetypes in anys: with and without a class of the program.
#include "known_values.h"
#include "valuesA.h"
#include "written_types.h"
#include <perigee/cdr/value_format.h>

namespace perigee::test {

namespace {

CORBA::Any through_octets(KnownValues& known, const CORBA::Any& any) {
  const Octets octets = encode_values(little, 3, any);
  CORBA::Any decoded;
  REQUIRE(decode_values(known, octets, little, 3, decoded) == cdr::ErrorKind::none);
  return decoded;
}

}  // namespace

TEST_CASE("an any holds a value and gives the same value each time") {
  const auto point = make_point(1, 2);
  CORBA::Any any;
  any <<= point;
  Ledger::Point::_ref_type extracted;
  REQUIRE((any >>= extracted));
  CHECK(extracted == point);
  Ledger::Node::_ref_type node;
  CHECK_FALSE((any >>= node));
  CORBA::valuetype_reference<CORBA::ValueBase> base;
  REQUIRE((any >>= base));
  CHECK(base == point);
}

TEST_CASE("a value in an any arrives with its derived type") {
  KnownValues known;
  CORBA::Any any;
  any <<= Ledger::Point::_ref_type(make_named(1, 2, "n"));
  const CORBA::Any received = through_octets(known, any);
  Ledger::Named::_ref_type named;
  REQUIRE((received >>= named));
  CHECK(named->name() == "n");
  CHECK(received.type()->kind() == CORBA::TCKind::tk_value);
}

TEST_CASE("null and boxed values survive in an any") {
  KnownValues known;
  CORBA::Any any;
  any <<= Ledger::Point::_ref_type();
  Ledger::Point::_ref_type point = make_point(1, 2);
  REQUIRE((through_octets(known, any) >>= point));
  CHECK(!point);
  Ledger::Node::_ref_type node;
  CHECK_FALSE((through_octets(known, any) >>= node));

  any <<= CORBA::make_reference<Ledger::Words>(std::vector<std::string>{"a", "b"});
  Ledger::Words::_ref_type words;
  REQUIRE((through_octets(known, any) >>= words));
  CHECK(words->_value() == std::vector<std::string>{"a", "b"});
}

TEST_CASE("an any forwards a value of a type that has no factory") {
  KnownValues known;
  KnownValues gateway;
  for (const auto id : {Ledger::Deep::_type_id, Ledger::Named::_type_id, Ledger::Point::_type_id,
                        Ledger::Node::_type_id})
    gateway.factories().remove(std::string(id));
  const auto deep = CORBA::make_reference<OBV_Ledger::Deep>(
      3, 0.25, std::string("deep"), uint16_t{9}, make_point(5, 6),
      Ledger::Nodes{make_node(1), nullptr}, std::string("note"));
  deep->nodes().push_back(deep->nodes().front());
  CORBA::Any any;
  any <<= Ledger::Deep::_ref_type(deep);
  const CORBA::Any forwarded = through_octets(gateway, any);
  const CORBA::Any received = through_octets(known, forwarded);
  Ledger::Deep::_ref_type decoded;
  REQUIRE((received >>= decoded));
  CHECK(decoded->name() == "deep");
  CHECK(decoded->inner()->x() == 5);
  CHECK(decoded->nodes().at(0)->id() == 1);
  CHECK(decoded->note() == "note");
}

TEST_CASE("structs with values survive in an any") {
  KnownValues known;
  const auto node = make_node(4);
  CORBA::Any any;
  any <<= Ledger::Pair(node, node, CORBA::make_reference<Ledger::Number>(6));
  const CORBA::Any received = through_octets(known, any);
  const CORBA::Any again = through_octets(known, received);
  Ledger::Pair pair;
  REQUIRE((again >>= pair));
  CHECK(pair.first()->id() == 4);
  CHECK(pair.first() == pair.second());
  CHECK(pair.count()->_value() == 6);
}

// Other ORBs write the id of a value once in a message, and refer to it from a later any.
TEST_CASE("several anys of one message may share repository ids and values") {
  KnownValues known;
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, little);
  const WriteType type = value_type("IDL:V:1.0", {basic_type(cdr::TypeKind::tk_ulong)});
  type(encoder);
  encoder.write(cdr::value_tag | cdr::value_with_id);
  const std::size_t id = encoder.position();
  encoder.write_string("IDL:V:1.0");
  encoder.write(std::uint32_t{5});
  type(encoder);
  encoder.write(cdr::value_tag | cdr::value_with_id);
  encoder.write(cdr::value_indirection_tag);
  encoder.write(static_cast<std::int32_t>(id - encoder.position()));
  encoder.write(std::uint32_t{5});
  const Octets octets = buffer.flatten();
  cdr::Decoder decoder(octets, little);
  decoder.set_environment(&known);
  Ledger::Disagreed received;
  decoder >> received;
  CHECK(decoder.ok());
  CHECK(decoder.remaining() == 0);
  CHECK(received.mine() == received.its());
}

TEST_CASE("anys are equal whether or not their values came in chunks") {
  KnownValues known;
  const auto received = [&known](std::uint32_t number, bool is_chunked) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer, little);
    const WriteType member = value_type("IDL:B:1.0", {basic_type(cdr::TypeKind::tk_ulong)});
    struct_type(cdr::TypeKind::tk_struct, "IDL:S:1.0", {member})(encoder);
    encoder.write(cdr::value_tag | (is_chunked ? cdr::value_chunked_bit : 0));
    if (is_chunked) encoder.write(std::uint32_t{4});
    encoder.write(number);
    if (is_chunked) encoder.write(std::int32_t{-1});
    const Octets octets = buffer.flatten();
    CORBA::Any any;
    REQUIRE(decode_values(known, octets, little, 0, any) == cdr::ErrorKind::none);
    return any;
  };
  CHECK(received(5, true) == received(5, false));
  CHECK(received(5, true) == received(5, true));
  CHECK_FALSE(received(5, true) == received(6, false));
}

TEST_CASE("an any with a value that cannot be written again is refused") {
  KnownValues known;
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, little);
  const std::string id(cdr::value_id_size_max + 1, 'x');
  const WriteType member = value_type(id, {basic_type(cdr::TypeKind::tk_ulong)});
  struct_type(cdr::TypeKind::tk_struct, "IDL:S:1.0", {member})(encoder);
  encoder.write(cdr::value_tag);
  encoder.write(std::uint32_t{0});
  const Octets octets = buffer.flatten();
  CORBA::Any any;
  CHECK(decode_values(known, octets, little, 0, any) == cdr::ErrorKind::too_large);
}

TEST_CASE("the memory for the bases of a value without a class is charged") {
  WriteType base = value_type("IDL:T0:1.0");
  for (int index = 1; index != 20; ++index) base = value_type("IDL:T:1.0", {}, base);
  const auto charged_of = [](const WriteType& member) {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer, little);
    value_type("IDL:H:1.0", {member})(encoder);
    encoder.write(cdr::value_tag);
    encoder.write(cdr::value_tag);
    const Octets octets = buffer.flatten();
    cdr::Decoder decoder(octets, little);
    CORBA::Any any;
    decoder >> any;
    REQUIRE(decoder.ok());
    return cdr::Limits{}.decoded_size_max - decoder.limits_left().decoded_size_max;
  };
  CHECK(charged_of(base) >= charged_of(value_type("IDL:T:1.0")) + 19 * sizeof(value::Description));
}

namespace {

/// A value with a truncated B, `others` empty Bs, and an indirection to a value in the skipped
/// state of the first B.
Octets refer_to_skipped_state(std::size_t others) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, little);
  const WriteType base = value_type("IDL:B:1.0");
  const WriteType all =
      struct_type(cdr::TypeKind::tk_struct, "IDL:S:1.0", std::vector<WriteType>(others + 2, base));
  value_type("IDL:D:1.0", {all})(encoder);
  constexpr std::uint32_t chunked = cdr::value_tag | cdr::value_chunked_bit;
  encoder.write(chunked);
  encoder.write(chunked | cdr::value_with_ids);  // the first B: truncated
  encoder.write(std::uint32_t{2});
  encoder.write_string("IDL:X:1.0");
  encoder.write_string("IDL:B:1.0");
  std::size_t skipped = 0;
  for (int index = 0; index != 200; ++index) {
    encoder.align(4);
    skipped = encoder.position();
    encoder.write(chunked | cdr::value_with_id);
    encoder.write_string(Ledger::Empty::_type_id);
    encoder.write(std::int32_t{-3});
  }
  encoder.write(std::int32_t{-2});
  for (std::size_t index = 0; index != others; ++index) {
    encoder.write(chunked);
    encoder.write(std::int32_t{-2});
  }
  encoder.write(std::uint32_t{8});
  encoder.write(cdr::value_indirection_tag);  // the last B
  encoder.write(static_cast<std::int32_t>(skipped - encoder.position()));
  encoder.write(std::int32_t{-1});
  return buffer.flatten();
}

}  // namespace

// As for arguments outside of anys: only a value of a known type has an object.
TEST_CASE("an any refuses an indirection to a value of an unknown type in skipped state") {
  KnownValues known;
  const Octets once = refer_to_skipped_state(1);
  CORBA::Any accepted;
  CHECK(decode_values(known, once, little, 0, accepted) == cdr::ErrorKind::none);
  known.factories().remove(std::string(Ledger::Empty::_type_id));
  KnownValues without_cycles;
  without_cycles.factories().remove(std::string(Ledger::Empty::_type_id));
  without_cycles.refuse_cycles();
  CORBA::Any any;
  for (const std::size_t others : {0u, 1u}) {
    CAPTURE(others);
    const Octets octets = refer_to_skipped_state(others);
    CHECK(decode_values(known, octets, little, 0, any) == cdr::ErrorKind::bad_value);
    CHECK(decode_values(without_cycles, octets, little, 0, any) == cdr::ErrorKind::bad_value);
  }
}

}  // namespace perigee::test
