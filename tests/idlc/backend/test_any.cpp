// CORBA::Any and CORBA::TypeCode with generated types: extraction returns the inserted value, also
// after encoding and decoding. Extraction of another type fails and changes nothing.
#include "anyA.h"
#include "arraysA.h"
#include "boundedA.h"
#include "enumsA.h"
#include "exceptionsA.h"
#include "fixedA.h"
#include "namesA.h"
#include "recursionA.h"
#include "referencesA.h"
#include "sequencesA.h"
#include "structsA.h"
#include "support/allocations.h"
#include "support/octets.h"
#include "unionsA.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/write.h>

#include <doctest/doctest.h>

#include <limits>
#include <sstream>

namespace {

using CORBA::Any;
using CORBA::TCKind;
using CORBA::TypeCode;
using perigee::Octets;
using perigee::cdr::Buffer;
using perigee::cdr::Decoder;
using perigee::cdr::Encoder;
using TypeCodeRef = IDL::traits<TypeCode>::ref_type;

Octets encode(const Any& any, std::endian order, std::size_t start = 0) {
  Buffer buffer;
  Encoder encoder(buffer, order);
  for (std::size_t count = 0; count < start; ++count) encoder << std::uint8_t{0xee};
  encoder << any;
  REQUIRE(encoder.ok());
  return buffer.flatten();
}

Any decode(const Octets& wire, std::endian order, std::size_t start = 0) {
  Decoder decoder(wire, order, start);
  Any any;
  decoder >> any;
  REQUIRE(decoder.ok());
  CHECK(decoder.remaining() == 0);
  return any;
}

template <typename T>
void check_holds(const Any& any, const T& value) {
  T extracted{};
  REQUIRE((any >>= extracted));
  CHECK((extracted == value));
}

/// Inserts a value and extracts it: directly, after encoding and decoding, and after forwarding.
template <typename T>
void check_any(const T& value) {
  Any any;
  any <<= value;
  check_holds(any, value);
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (std::size_t start = 0; start < 8; ++start) {
      const Any received = decode(encode(any, order, start), order, start);
      check_holds(received, value);
      CHECK((received == any));
      const std::size_t elsewhere = (start + 3) % 8;
      const Any forwarded =
          decode(encode(received, std::endian::big, elsewhere), std::endian::big, elsewhere);
      check_holds(forwarded, value);
      CHECK((forwarded == any));
    }
  }
  Boxes::Parcel unchanged("x", Any(), nullptr, Boxes::Grade::best);
  CHECK_FALSE((any >>= unchanged));
  CHECK(unchanged.label() == "x");
}

Boxes::Tree tree() { return Boxes::Tree(1, {Boxes::Tree(2, {}), Boxes::Tree(3, {Boxes::Tree()})}); }

}  // namespace

TEST_CASE("an any without a value has the TypeCode tk_null") {
  const Any any;
  CHECK(any.type()->kind() == TCKind::tk_null);
  CHECK_FALSE(any.has_value());
  CHECK((decode(encode(any, std::endian::big), std::endian::big) == any));
}

TEST_CASE("basic types are inserted into anys and extracted") {
  check_any(true);
  check_any('x');
  check_any(L'\u20ac');
  check_any(std::uint8_t{255});
  check_any(std::int16_t{-2});
  check_any(std::uint16_t{65535});
  check_any(std::numeric_limits<std::int32_t>::min());
  check_any(std::uint32_t{7});
  check_any(std::numeric_limits<std::int64_t>::min());
  check_any(std::numeric_limits<std::uint64_t>::max());
  check_any(0.5F);
  check_any(-1e300);
  check_any(1.25L);
}

TEST_CASE("strings and sequences are inserted into anys and extracted") {
  check_any(std::string());
  check_any(std::string("text"));
  check_any(std::wstring(L"wide \U0001d11e"));
  check_any(std::vector<std::uint8_t>{1, 2, 3});
  check_any(std::vector<bool>{true, false});
  check_any(std::vector<std::string>{"a", "bcd"});
  check_any(Lists::Matrix{{}, {1}, {1, 2, 3}});
  check_any(std::vector<double>(1000, 0.5));
}

TEST_CASE("generated types are inserted into anys and extracted") {
  check_any(Shapes::Unit::foot);
  check_any(Shapes::Point(1.5, -2.5));
  check_any(
      Shapes::Outer(Shapes::Outer::Inner(5), Shapes::Outer::Kind::fancy, {Shapes::Point(1, 2)}));
  check_any(Lists::Entries{Lists::Entry("title", 3, {{1, 2}}), Lists::Entry()});
  check_any(tree());
  check_any(Faults::Detailed("reason", 7, {"first", "second"}));
  check_any(_cxx_class::_cxx_template(1, "what", _cxx_class::_cxx_operator::_cxx_delete));
}

TEST_CASE("unions over every discriminator are inserted into anys and extracted") {
  const auto check_union = [](auto value, auto set) {
    check_any(value);
    set(value);
    check_any(value);
  };
  using namespace Choices;
  check_union(Figure(), [](Figure& value) { value.length(3, Shape::line); });
  check_union(Otherwise(), [](Otherwise& value) { value.text("words", 2); });
  check_union(Maybe(), [](Maybe& value) { value.value(7); });
  check_union(Both(), [](Both& value) { value.number(-1); });
  check_union(Letter(), [](Letter& value) { value.a(5); });
  check_union(Tiny(), [](Tiny& value) { value.last(5); });
  check_union(Small(), [](Small& value) { value.least(5); });
  check_union(Number16(), [](Number16& value) { value.greatest(5); });
  check_union(Number32(), [](Number32& value) { value.greatest(5); });
  check_union(Number64(), [](Number64& value) { value.least(5); });
  check_union(Unsigned64(), [](Unsigned64& value) { value.value(5); });
  check_union(Own(), [](Own& value) { value.other(Own::Pair(1, 2)); });
  check_union(Tree(), [](Tree& value) { value.children({Tree(), Tree()}); });
  CHECK(_tc_Number64->_text() ==
        "union Number64 switch (long long) { case -9223372036854775808: octet least; "
        "case 9223372036854775807: octet greatest; }");
}

TEST_CASE("arrays, bounded types and fixed are inserted into anys and extracted") {
  check_any(Grids::Matrix{{{1, 2, 3}, {4, 5, 6}}});
  check_any(Grids::Board());
  check_any(Grids::RowList{{1, 2, 3}});
  check_any(Bounds::Code("abc"));
  check_any(Bounds::Few{1, 2, 3});
  check_any(Bounds::Label());
  check_any(Money::Amount("12345678.90"));
  check_any(Money::Amounts{Money::Amount("-1.5")});
  Any any;
  any <<= std::string("too long for it");
  Bounds::Code code("abc");
  CHECK_FALSE((any >>= code));
  CHECK(Grids::_tc_Matrix->content_type()->_text() == "double[2][3]");
}

TEST_CASE("anys and TypeCodes are inserted into anys and extracted") {
  Any inner;
  inner <<= tree();
  check_any(inner);
  check_any(Boxes::Anys{Any(), inner});
  Any outer;
  outer <<= Boxes::_tc_Tree;
  TypeCodeRef type;
  REQUIRE((decode(encode(outer, std::endian::big), std::endian::big) >>= type));
  CHECK(type->equal(Boxes::_tc_Tree));
  CHECK(type->member_type(1)->content_type()->content_type()->id() == "IDL:Boxes/Tree:1.0");
}

TEST_CASE("a string literal is inserted as a string") {
  Any any;
  any <<= "text";
  check_holds(any, std::string("text"));
  CHECK(any.type()->equal(CORBA::_tc_string));
}

TEST_CASE("nil references in anys are extracted as their own type and as Object") {
  Any any;
  any <<= IDL::traits<Boxes::Shelf>::ref_type();
  CHECK(any.type()->id() == "IDL:Boxes/Shelf:1.0");
  const Any received = decode(encode(any, std::endian::little), std::endian::little);
  IDL::traits<Boxes::Shelf>::ref_type shelf;
  CHECK((received >>= shelf));
  IDL::traits<CORBA::Object>::ref_type object;
  CHECK((received >>= object));
  IDL::traits<Graph::Vertex>::ref_type other;
  CHECK_FALSE((received >>= other));
}

TEST_CASE("extraction ignores aliases, and insertion adds none") {
  Any any;
  any <<= Boxes::Packet("p", Any(), CORBA::_tc_long, Boxes::Grade::good);
  CHECK(any.type()->equal(Boxes::_tc_Parcel));
  any.type(Boxes::_tc_Packet);
  CHECK(any.type()->kind() == TCKind::tk_alias);
  const Any received = decode(encode(any, std::endian::big), std::endian::big);
  CHECK(received.type()->name() == "Packet");
  Boxes::Parcel parcel;
  REQUIRE((received >>= parcel));
  CHECK(parcel.label() == "p");
  CHECK(parcel.kind()->equal(CORBA::_tc_long));
  CHECK_THROWS_AS(any.type(Boxes::_tc_Tree), CORBA::BAD_TYPECODE);
}

TEST_CASE("a comparison of anys ignores names and aliases, also in nested anys") {
  Any plain;
  plain <<= tree();
  Any named = plain;
  named.type(named.type()->get_compact_typecode());
  Any packet;
  packet <<= Boxes::Parcel("p", plain, CORBA::_tc_long, Boxes::Grade::good);
  Any renamed;
  renamed <<= Boxes::Packet("p", named, CORBA::_tc_long, Boxes::Grade::good);
  renamed.type(Boxes::_tc_Packet);
  CHECK((packet == renamed));
  CHECK((Any(packet) == decode(encode(renamed, std::endian::big), std::endian::big)));
  renamed <<= Boxes::Parcel("p", plain, Boxes::_tc_Packet, Boxes::Grade::good);
  packet <<= Boxes::Parcel("p", plain, Boxes::_tc_Parcel, Boxes::Grade::good);
  CHECK_FALSE((packet == renamed));  // TypeCodes that are values are compared as a whole
}

TEST_CASE("a sequence of a recursive type is inserted into an any and extracted") {
  check_any(std::vector<Boxes::Tree>{tree(), Boxes::Tree()});
}

TEST_CASE("structs that hold sequences of each other are inserted into anys and extracted") {
  const Recursion::Folder inner;
  const Recursion::File file("file", {inner}, {Recursion::Entry()});
  check_any(Recursion::Folder(file, {file, file}, {Recursion::Folders{inner}, {}}));
}

TEST_CASE("extraction accepts compact TypeCodes") {
  Any any;
  any <<= tree();
  any.type(any.type()->get_compact_typecode());
  CHECK(any.type()->member_name(0).empty());
  check_holds(decode(encode(any, std::endian::big), std::endian::big), tree());
}

TEST_CASE("copies of an any share their value, and keep it when another copy changes") {
  Any first;
  first <<= std::string("one");
  Any second = first;
  first <<= std::int32_t{2};
  check_holds(second, std::string("one"));
  check_holds(first, std::int32_t{2});
  first = std::move(second);
  check_holds(first, std::string("one"));
  CHECK_FALSE(second.has_value());
}

TEST_CASE("anys are equal if their values are equal") {
  Any a;
  Any b;
  CHECK((a == b));
  a <<= Shapes::Point(1, 2);
  CHECK_FALSE((a == b));
  b <<= Shapes::Point(1, 2);
  CHECK((a == b));
  b <<= Shapes::Point(1, 3);
  CHECK_FALSE((a == b));
}

/// An any in an any. The type of the inner any is a recursive struct. Its TypeCode contains the
/// struct `unrolled` more times before it refers back. The value has `elements` empty children.
Any nested_recursive(std::size_t unrolled, std::uint32_t elements = 0) {
  using perigee::cdr::TypeKind;
  using perigee::cdr::TypeMember;
  using perigee::cdr::TypeNode;
  std::vector<TypeNode> lists(unrolled + 1, {.kind = TypeKind::tk_sequence});
  std::vector<TypeMember> members(unrolled + 1);
  std::vector<TypeNode> nodes(unrolled + 1,
                              {.kind = TypeKind::tk_struct, .id = "IDL:N:1.0", .name = "N"});
  for (std::size_t level = 0; level <= unrolled; ++level) {
    lists[level].content = &nodes[level < unrolled ? level + 1 : 0];
    members[level] = {"children", &lists[level]};
    nodes[level].members = std::span(&members[level], 1);
  }
  Buffer buffer;
  Encoder encoder(buffer, std::endian::little);
  perigee::cdr::encode_type(encoder, perigee::cdr::basic_node<TypeKind::tk_any>);
  perigee::cdr::encode_type(encoder, nodes[0]);
  encoder << elements;
  for (std::uint32_t element = 0; element < elements; ++element) encoder << std::uint32_t{0};
  return decode(buffer.flatten(), std::endian::little);
}

TEST_CASE("anys are equal if the types of the anys inside them are equivalent") {
  CHECK((nested_recursive(0) == nested_recursive(0)));
  CHECK((nested_recursive(0) == nested_recursive(1)));
  CHECK((nested_recursive(2, 3) == nested_recursive(1, 3)));
  CHECK_FALSE((nested_recursive(0) == nested_recursive(1, 1)));
  Any of_short;
  Any of_string;
  Any of_bounded_string;
  of_short <<= std::int16_t{0};
  of_string <<= std::string("text");
  of_bounded_string <<= IDL::bounded_string<9>("text");
  std::vector<Any> values{of_string, of_bounded_string};
  std::vector<Any> other_order{of_bounded_string, of_string};
  Any sequence;
  Any other;
  sequence <<= values;
  other <<= other_order;
  CHECK_FALSE((sequence == other));
  other <<= values;
  CHECK((sequence == other));
  other <<= std::vector<Any>{of_string, of_short};
  CHECK_FALSE((sequence == other));
}

TEST_CASE("an any whose octets do not match its TypeCode is an error") {
  Any any;
  any <<= Shapes::Unit::foot;
  Octets wire = encode(any, std::endian::big);
  wire.back() = std::byte{2};
  Decoder decoder(wire, std::endian::big);
  Any received;
  decoder >> received;
  CHECK(decoder.error().kind == perigee::cdr::ErrorKind::bad_enum);
  CHECK_FALSE(received.has_value());
}

TEST_CASE("a truncated any is an error") {
  Any any;
  any <<= Boxes::Parcel("label", Any(), Boxes::_tc_Tree, Boxes::Grade::best);
  const Octets wire = encode(any, std::endian::big);
  for (std::size_t size = 0; size < wire.size(); ++size) {
    Decoder decoder(perigee::OctetSpan(wire).first(size), std::endian::big);
    Any received;
    decoder >> received;
    CHECK_FALSE(decoder.ok());
  }
}

// A message may have 65,536 values that take no octets, for example of tk_null.
TEST_CASE("elements without octets are counted for all anys of a message together") {
  Buffer buffer;
  Encoder encoder(buffer, std::endian::big);
  for (int count = 0; count < 2; ++count) {
    const std::vector<std::uint8_t> parameters(12);  // big-endian, tk_null, no bound
    encoder << std::uint32_t{19} << parameters << std::uint32_t{40'000};
  }
  const Octets wire = buffer.flatten();
  Decoder decoder(wire, std::endian::big);
  Any any;
  decoder >> any;
  CHECK(decoder.ok());
  decoder >> any;
  CHECK(decoder.error().kind == perigee::cdr::ErrorKind::too_large);
}

TEST_CASE("an insertion allocates at most once, and not at all for basic types") {
  Any any;
  CHECK(perigee::test::allocations_of([&] { any <<= std::int32_t{5}; }).count == 0);
  CHECK(perigee::test::allocations_of([&] { any <<= 1.5L; }).count == 0);
  CHECK(perigee::test::allocations_of([&] { any <<= Shapes::Point(1, 2); }).count == 1);
  Shapes::Point point;
  CHECK(perigee::test::allocations_of([&] { any >>= point; }).count == 0);
  Lists::Names names(3, std::string(100, 'x'));
  CHECK(perigee::test::allocations_of([&] { any <<= std::move(names); }).count == 1);
  CHECK(perigee::test::allocations_of([&] { const Any copy = any; }).count == 0);
}

TEST_CASE("TypeCodes of generated types describe the IDL types") {
  const TypeCodeRef parcel = Boxes::_tc_Parcel;
  CHECK(parcel->kind() == TCKind::tk_struct);
  CHECK(parcel->id() == "IDL:Boxes/Parcel:1.0");
  CHECK(parcel->name() == "Parcel");
  REQUIRE(parcel->member_count() == 4);
  CHECK(parcel->member_name(3) == "quality");
  CHECK(parcel->member_type(3)->equal(Boxes::_tc_Grade));
  CHECK(parcel->member_type(2)->kind() == TCKind::tk_TypeCode);
  CHECK(Boxes::_tc_Grade->member_name(2) == "best");
  CHECK(Boxes::_tc_Packets->content_type()->content_type()->content_type()->equal(parcel));
  CHECK(Boxes::Shelf::_tc_Slot->member_type(0)->equal(Boxes::Shelf::_tc_Places));
  CHECK(Boxes::Shelf::_tc_Slot->member_type(1)->kind() == TCKind::tk_objref);
  CHECK(Boxes::_tc_Broken->kind() == TCKind::tk_except);
}

TEST_CASE("operations that a kind does not have raise BadKind, and wrong indexes raise Bounds") {
  const TypeCodeRef tree_type = Boxes::_tc_Tree;
  CHECK_THROWS_AS((void)tree_type->length(), TypeCode::BadKind);
  CHECK_THROWS_AS((void)tree_type->discriminator_type(), TypeCode::BadKind);
  CHECK_THROWS_AS((void)tree_type->content_type(), TypeCode::BadKind);
  CHECK_THROWS_AS((void)tree_type->fixed_digits(), TypeCode::BadKind);
  CHECK_THROWS_AS((void)tree_type->type_modifier(), TypeCode::BadKind);
  CHECK_THROWS_AS((void)CORBA::_tc_long->id(), TypeCode::BadKind);
  CHECK_THROWS_AS((void)tree_type->member_name(2), TypeCode::Bounds);
  CHECK_THROWS_AS((void)tree_type->member_type(2), TypeCode::Bounds);
}

TEST_CASE("anys and TypeCodes are printed with their contents") {
  Any any;
  any <<= Shapes::Point(1, 2);
  std::ostringstream text;
  text << Boxes::Parcel("p", any, Boxes::_tc_Grade, Boxes::Grade::best);
  CHECK(text.str() ==
        "Boxes::Parcel{label=\"p\", contents=any of struct Point { double x; double y; }, "
        "kind=enum Grade { good, better, best }, quality=best}");
}

// Measured: omniORB 4.2 writes an exception inside an any like a struct.
TEST_CASE("an exception without its repository id inside an any is decoded, too") {
  const Faults::Detailed failure("reason", 7, {});
  Buffer buffer;
  Encoder encoder(buffer, std::endian::big);
  perigee::cdr::encode_type(encoder, perigee::any::Traits<Faults::Detailed>::type);
  encoder << failure;
  const Any received = decode(buffer.flatten(), std::endian::big);
  check_holds(received, failure);
  Any own;
  own <<= failure;
  CHECK((received == own));
  CHECK(encode(received, std::endian::big) == buffer.flatten());
}
