// The types of IDL 4 inside CORBA::Any: their TypeCodes are Perigee's own (docs/mapping.md).
#include "codesA.h"
#include "modernA.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/typecode_factory.h>

#include <doctest/doctest.h>

namespace {

using CORBA::Any;
using perigee::Octets;
using perigee::cdr::Buffer;
using perigee::cdr::Decoder;
using perigee::cdr::Encoder;

Octets encode(const Any& any, std::endian order) {
  Buffer buffer;
  Encoder encoder(buffer, order);
  encoder << any;
  REQUIRE(encoder.ok());
  return buffer.flatten();
}

template <typename T>
void check_any(const T& value) {
  Any any;
  any <<= value;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const Octets wire = encode(any, order);
    Decoder decoder(wire, order);
    Any received;
    decoder >> received;
    REQUIRE(decoder.ok());
    CHECK(decoder.remaining() == 0);
    CHECK((received == any));
    T extracted{};
    REQUIRE((received >>= extracted));
    CHECK((extracted == value));
  }
}

}  // namespace

TEST_CASE("enums with values are inserted into anys and extracted") {
  check_any(Codes::Level::high);
  check_any(Codes::Signed::least);
  check_any(Codes::Large::much);
  check_any(Modern::Code::next);
  check_any(std::vector{Codes::Signed::most, Codes::Signed::least});
  for (const Codes::Signed choice : {Codes::Signed::least, Codes::Signed::most}) {
    Codes::By_Signed by_signed;
    if (choice == Codes::Signed::least) by_signed.small(7);
    if (choice == Codes::Signed::most) by_signed.text("most");
    check_any(by_signed);
    check_any(Codes::Record(Codes::Level::low, Codes::Large::much, by_signed, {choice}));
  }
}

TEST_CASE("maps, bitmasks and bitsets are inserted into anys and extracted") {
  check_any(Modern::Dictionary{{"one", {1}}, {"two", {}}});
  check_any(Modern::Few{{1, Modern::Sized()}});
  check_any(Modern::Flags(Modern::Flags::first | Modern::Flags::sixth));
  check_any(Modern::Wide(Modern::Wide::highest));
  Modern::More bits;
  bits.a(5);
  bits.d(-2);
  check_any(bits);
  check_any(Modern::Last());
  check_any(Modern::Everything({{"word", {1, 2}}}, Modern::Level::high, Modern::Code::many, bits,
                               Modern::Wide::lowest));
}

TEST_CASE("a decoded any refuses a value that its enum does not have; a bitmask has its own kind") {
  Any level;
  level <<= Codes::Level::high;
  Octets wire = encode(level, std::endian::big);
  wire.back() = std::byte{2};
  Decoder decoder(wire, std::endian::big);
  Any any;
  decoder >> any;
  CHECK(decoder.error().kind == perigee::cdr::ErrorKind::bad_enum);
  Any flags;
  flags <<= Modern::Unbounded(Modern::Unbounded::only);
  CHECK(flags.type()->kind() == CORBA::TCKind::tk_bitmask);
}

TEST_CASE("a union over an enum with values has enumerators as labels") {
  const IDL::traits<CORBA::TypeCode>::ref_type type = Codes::_tc_By_Signed;
  Codes::Signed label{};
  REQUIRE((type->member_label(0) >>= label));
  CHECK(label == Codes::Signed::least);
  CHECK(type->_text() ==
        "union By_Signed switch (Signed) { case least: octet small; default: string text; }");
  const CORBA::TypeCodeFactory factory;
  const auto again = factory.create_union_tc(
      type->id(), type->name(), type->discriminator_type(),
      {CORBA::UnionMember("small", type->member_label(0), type->member_type(0)),
       CORBA::UnionMember("text", type->member_label(1), type->member_type(1))});
  CHECK(again->equal(type));
}
