// Constructors and traits of generated types that programs for TAOX11 use.
#include "two_orbs.h"
#include "valuesC.h"

#include <doctest/doctest.h>

#include <sstream>
#include <type_traits>
#include <utility>

TEST_CASE("a constructor of a derived struct takes the base and the struct's own members") {
  const Compat::Base base(1, "one");
  const Compat::Derived derived(base, 2);
  CHECK(derived == Compat::Derived(1, "one", 2));
  CHECK(derived.text() == "one");
}

TEST_CASE("the constructor of a bitset takes the values of all its fields") {
  const Compat::MoreFlags flags(5, 17, 9);
  CHECK(flags.low() == 5);
  CHECK(flags.high() == 17);
  CHECK(flags.top() == 9);
  CHECK_THROWS_AS(Compat::Flags(8, 0), CORBA::BAD_PARAM);
}

TEST_CASE("the traits of an enum name its size") {
  static_assert(IDL::traits<Compat::Colour>::bit_bound::value == 32);
  static_assert(IDL::traits<Compat::Small>::bit_bound::value == 8);
  static_assert(std::is_same_v<IDL::traits<Compat::Small>::underlying_type, uint8_t>);
}

TEST_CASE("the traits of a bitmask name its integer type") {
  using MaskTraits = IDL::traits<Compat::Marks>;
  static_assert(std::is_same_v<MaskTraits::underlying_type, uint8_t>);
  static_assert(MaskTraits::bit_bound::value == 8);
  CHECK(static_cast<MaskTraits::underlying_type>(Compat::Marks(Compat::Marks::kept)) == 2);
}

TEST_CASE("a new union without a default label selects the first member with an @default value") {
  Compat::Amount amount;
  CHECK(amount._d() == 1);
  CHECK(amount.pieces() == 5);
  amount._default();
  CHECK(amount._d() == 0);
  CHECK_THROWS_AS(amount.pieces(), CORBA::BAD_PARAM);
  amount.grams(9);
  CHECK(amount.grams() == 9);
}

TEST_CASE(
    "if the labels of a union cover all values, @default does not change its first selection") {
  CHECK(Compat::Limit().most() == 7);
  CHECK(Compat::Length().feet() == 1.5);
}

TEST_CASE("_is_a of a TypeCode is true for the interface TypeCode only") {
  CHECK(CORBA::_tc_long->_is_a("IDL:omg.org/CORBA/TypeCode:1.0"));
  CHECK_FALSE(CORBA::_tc_long->_is_a("IDL:Compat/Store:1.0"));
}

TEST_CASE("numbers of a fixed type have postfix operators, and are read from streams") {
  Compat::Price price("1.50");
  CHECK(price++ == Compat::Price("1.50"));
  CHECK(price-- == Compat::Price("2.50"));
  std::istringstream in("-12.34 many 1234567");
  in >> price;
  CHECK(price == Compat::Price("-12.34"));
  CHECK(!(in >> price));
  in.clear();
  CHECK(!(in >> price));
  CHECK(price == Compat::Price("-12.34"));
}

TEST_CASE("the sequences of module CORBA have names in C++") {
  static_assert(std::is_same_v<CORBA::OctetSeq, std::vector<uint8_t>>);
  static_assert(std::is_same_v<CORBA::WCharSeq, std::vector<wchar_t>>);
  static_assert(std::is_same_v<CORBA::LongDoubleSeq, std::vector<long double>>);
  CORBA::Any any;
  any <<= CORBA::StringSeq{"a", "b"};
  CORBA::StringSeq texts;
  CHECK((any >>= texts));
  CHECK(texts == CORBA::StringSeq{"a", "b"});
  const CORBA::Identifier name = "name";
  CHECK(name == "name");
}

TEST_CASE("the client header declares the operators of any, and the TypeCodes") {
  CORBA::Any any;
  any <<= Compat::Base(1, "one");
  Compat::Base base;
  CHECK((any >>= base));
  CHECK(any.type()->equal(Compat::_tc_Base));
}

TEST_CASE("a member named std has accessors of this name, but a keyword gets a prefix") {
  Compat::Words words(1, 2, 3);
  words.std(4);
  CHECK(words.std() == 4);
  CHECK(words.printf() == 2);
  CHECK(words._cxx_int() == 3);
}

TEST_CASE("the sequences of module CORBA have TypeCodes") {
  CORBA::Any any;
  any <<= CORBA::ShortSeq{1, 2};
  CHECK(any.type()->equal(CORBA::_tc_ShortSeq));
  CHECK(CORBA::_tc_WStringSeq->content_type()->kind() == CORBA::TCKind::tk_wstring);
}

TEST_CASE("a system exception in an any has the TypeCode of its class") {
  const CORBA::TRANSIENT sent(7, CORBA::COMPLETED_MAYBE);
  const CORBA::SystemException& base = sent;
  CORBA::Any any;
  any <<= base;
  CHECK(any.type()->kind() == CORBA::TCKind::tk_except);
  CHECK(any.type()->id() == sent._rep_id());
  CORBA::TRANSIENT received;
  REQUIRE((any >>= received));
  CHECK(received.minor() == 7);
  CHECK(received.completed() == CORBA::COMPLETED_MAYBE);
  CORBA::TIMEOUT other(1);
  CHECK_FALSE((any >>= other));
  any <<= 5;
  CHECK_FALSE((any >>= other));
  CHECK(other.minor() == 1);
}

TEST_CASE("the initial reference TypeCodeFactory makes TypeCodes") {
  perigee::test::TwoOrbs orbs;
  const auto factory = IDL::traits<CORBA::TypeCodeFactory>::narrow(
      orbs.client->resolve_initial_references("TypeCodeFactory"));
  REQUIRE(factory);
  CHECK(factory->create_sequence_tc(3, CORBA::_tc_long)->length() == 3);
}

TEST_CASE("a user exception is inserted through a reference to its base class") {
  const Compat::Torn sent("page", 3);
  const CORBA::UserException& base = sent;
  CORBA::Any any;
  any <<= base;
  CHECK(any.type()->equal(Compat::_tc_Torn));
  Compat::Torn received;
  REQUIRE((any >>= received));
  CHECK(received.message() == "page");
  CHECK(received.sheet() == 3);
}

template <typename T>
concept IsInsertable = requires(CORBA::Any& any, const T& value) { any <<= value; };

TEST_CASE("the insertion of an exception class without a TypeCode does not compile") {
  static_assert(IsInsertable<Compat::Torn>);
  static_assert(IsInsertable<CORBA::UserException>);
  static_assert(!IsInsertable<CORBA::ORB::InvalidName>);
}

TEST_CASE("a user exception without a TypeCode in the program raises BAD_TYPECODE") {
  const CORBA::ORB::InvalidName unknown;
  const CORBA::UserException& base = unknown;
  CORBA::Any any;
  any <<= 5;
  CHECK_THROWS_AS(any <<= base, CORBA::BAD_TYPECODE);
  CHECK(any.type()->kind() == CORBA::TCKind::tk_long);
}

TEST_CASE("impl() of an any is null if the any has no value") {
  CORBA::Any inner;
  CHECK(inner.impl() == nullptr);
  inner <<= 'k';
  CHECK(inner.impl() != nullptr);
  CORBA::Any outer;
  outer <<= std::move(inner);
  CHECK(inner.impl() == nullptr);  // NOLINT(bugprone-use-after-move)
  CHECK(outer.impl() != nullptr);
}

TEST_CASE("a nil reference to a TypeCode in an any raises MARSHAL with the minor code 4") {
  const IDL::traits<CORBA::TypeCode>::ref_type nil;
  CORBA::Any any;
  try {
    any <<= nil;
    FAIL("the any took a nil reference");
  } catch (const CORBA::MARSHAL& exception) {
    CHECK(exception.minor() == 4);
  }
  CHECK(any.type()->kind() == CORBA::TCKind::tk_null);
}

TEST_CASE("the traits of strings have the traits of their characters") {
  static_assert(std::is_same_v<IDL::traits<std::string>::element_traits, IDL::traits<char>>);
  static_assert(std::is_same_v<IDL::traits<std::wstring>::element_traits, IDL::traits<wchar_t>>);
  static_assert(std::is_same_v<IDL::traits<Compat::Code>::element_traits, IDL::traits<char>>);
}
