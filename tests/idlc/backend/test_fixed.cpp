// IDL::Fixed: arithmetic by CORBA's rules, conversions, encoding and decoding.
#include "fixedC.h"
#include "round_trip.h"
#include "support/octets.h"

#include <doctest/doctest.h>

#include <type_traits>

using IDL::Fixed;
using perigee::test::check_round_trip;
using perigee::test::encode;
using perigee::test::octets;

namespace {

/// The error of decoding the octets as a fixed with `Digits` digits; `none` if they decode.
template <std::uint16_t Digits>
perigee::cdr::ErrorKind decoding_error(const perigee::Octets& wire) {
  perigee::cdr::Decoder decoder(wire, std::endian::big);
  Fixed<Digits, 0> value;
  decoder >> value;
  return decoder.error().kind;
}

}  // namespace

TEST_CASE("a fixed constant has its IDL value, and a type with the digits of its literal") {
  static_assert(std::is_same_v<decltype(Money::rate), const Fixed<4, 4>>);
  static_assert(IDL::traits<Fixed<4, 3>>::digits::value == 4);
  static_assert(IDL::traits<Fixed<4, 3>>::scale::value == 3);
  static_assert(Money::rate == Fixed<4, 4>("0.0725"));
  CHECK(Money::limit.to_string() == "12345678.90");
  CHECK(Money::debt.to_string() == "-3");
}

TEST_CASE("fixed constants of an interface are members of its class") {
  static_assert(Money::Till::tip == Fixed<2, 1>("1.5"));
  CHECK(Money::Till::float_of_cash.to_string() == "150.00");
}

TEST_CASE("text and numbers become fixed values, and back") {
  CHECK(Fixed<6, 2>("-12.3").to_string() == "-12.30");
  CHECK(Fixed<6, 2>("0.120d").to_string() == "0.12");
  CHECK(Fixed<6, 2>(-7).to_string() == "-7.00");
  CHECK(Fixed<6, 2>(1.005L).units() == 101);  // floating-point values are rounded
  CHECK(Fixed<4, 4>(".5").to_string() == "0.5000");
  CHECK(static_cast<double>(Fixed<6, 2>("2.50")) == 2.5);
  CHECK(static_cast<int>(Fixed<6, 2>("-2.99")) == -2);
}

TEST_CASE("a value that does not fit, or text that is not a number, raises DATA_CONVERSION") {
  using Small = Fixed<4, 2>;
  CHECK_THROWS_AS(Small(100), CORBA::DATA_CONVERSION);
  CHECK_THROWS_AS(Small("100"), CORBA::DATA_CONVERSION);
  CHECK_THROWS_AS(Small("1.234"), CORBA::DATA_CONVERSION);
  CHECK_THROWS_AS(Small("1.2300001"), CORBA::DATA_CONVERSION);
  CHECK_THROWS_AS(Small("1x"), CORBA::DATA_CONVERSION);
  CHECK_THROWS_AS(Small(""), CORBA::DATA_CONVERSION);
  CHECK_THROWS_AS(Small(1e9), CORBA::DATA_CONVERSION);
  CHECK_THROWS_AS(Small(Fixed<5, 2>("123.45")), CORBA::DATA_CONVERSION);
  CHECK_THROWS_AS((void)static_cast<std::int8_t>(Fixed<4, 0>(128)), CORBA::DATA_CONVERSION);
  Small value("99.99");
  CHECK_THROWS_AS(value += Small("0.01"), CORBA::DATA_CONVERSION);
  CHECK(value.to_string() == "99.99");
}

// CORBA 3.0, 3.10.2: the digits and scale of results.
TEST_CASE("results of two types have CORBA's digits; division by zero raises DATA_CONVERSION") {
  const Fixed<5, 2> a("123.45");
  const Fixed<4, 3> b("-1.005");
  static_assert(std::is_same_v<decltype(a + b), Fixed<7, 3>>);
  static_assert(std::is_same_v<decltype(a * b), Fixed<9, 5>>);
  static_assert(std::is_same_v<decltype(a / b), Fixed<31, 25>>);
  CHECK((a + b).to_string() == "122.445");
  CHECK((a - b).to_string() == "124.455");
  CHECK((a * b).to_string() == "-124.06725");
  CHECK((Fixed<1, 0>(1) / Fixed<2, 0>(3)).to_string() == "0.333333333333333333333333333333");
  CHECK((Fixed<1, 0>(-2) / Fixed<2, 0>(3)).to_string() == "-0.666666666666666666666666666666");
  CHECK_THROWS_AS((a / Fixed<1, 0>(0)), CORBA::DATA_CONVERSION);
}

TEST_CASE("a result of two values of the same type has this type") {
  using Price = Fixed<7, 3>;
  const Price left("1.250");
  const Price right("2.000");
  static_assert(std::is_same_v<decltype(left * right), Price>);
  static_assert(std::is_same_v<decltype(left + right), Price>);
  CHECK((right - left).to_string() == "0.750");
  CHECK((left * right).to_string() == "2.500");
  CHECK((Price(1) / Price(3)).to_string() == "0.333");
  CHECK_THROWS_AS((Fixed<3, 2>("9.99") / Fixed<3, 2>("0.01")), CORBA::DATA_CONVERSION);
  CHECK_THROWS_AS((Fixed<3, 2>("9.99") + Fixed<3, 2>("0.01")), CORBA::DATA_CONVERSION);
}

TEST_CASE("a value counts its digits without zeros in front, and with all after the point") {
  CHECK(Fixed<7, 3>("1.250").fixed_digits() == 4);
  CHECK(Fixed<7, 3>("1.250").fixed_scale() == 3);
  CHECK(Fixed<7, 3>("-1000").fixed_digits() == 7);
  CHECK(Fixed<7, 3>().fixed_digits() == 3);
  CHECK(Fixed<4, 0>().fixed_digits() == 1);
  CHECK(Fixed<5, 5>("0.00012").fixed_digits() == 5);
  CHECK(Fixed<31, 0>("9999999999999999999999999999999").fixed_digits() == 31);
}

TEST_CASE("results beyond 31 digits lose fractional digits, or raise DATA_CONVERSION") {
  const Fixed<31, 0> large("9999999999999999999999999999999");
  const Fixed<31, 31> tiny("0.9999999999999999999999999999999");
  CHECK_THROWS_AS(large + large, CORBA::DATA_CONVERSION);
  CHECK((large - tiny).to_string() == "9999999999999999999999999999998");
  const Fixed<30, 30> shorter("0.999999999999999999999999999999");
  CHECK((tiny + shorter).to_string() == "1.999999999999999999999999999998");
  CHECK_THROWS_AS(tiny + tiny, CORBA::DATA_CONVERSION);
  CHECK((large * tiny).to_string() == "9999999999999999999999999999998");
  CHECK((tiny * tiny).to_string() == "0.9999999999999999999999999999998");
  CHECK((large / large).to_string() == "1");
  CHECK((shorter / tiny).to_string() == "0");
  CHECK_THROWS_AS(tiny / tiny, CORBA::DATA_CONVERSION);
}

TEST_CASE("fixed values of different types compare by numeric value") {
  CHECK((Fixed<5, 2>("1.50") == Fixed<3, 1>("1.5")));
  CHECK((Fixed<31, 31>("0.5") < Fixed<31, 0>(1)));
  CHECK((Fixed<5, 2>("-1.50") > Fixed<5, 1>("-1.6")));
  CHECK((Fixed<5, 2>("1.50") > 1));
  CHECK((Fixed<5, 2>(2) == 2));
}

TEST_CASE("round rounds halves away from zero; truncate rounds towards zero") {
  CHECK(Fixed<6, 3>("1.235").round(2).to_string() == "1.240");
  CHECK(Fixed<6, 3>("-1.235").round(2).to_string() == "-1.240");
  CHECK(Fixed<6, 3>("1.234").round(0).to_string() == "1.000");
  CHECK(Fixed<6, 3>("-1.239").truncate(2).to_string() == "-1.230");
  CHECK_THROWS_AS(static_cast<void>(Fixed<2, 1>("9.9").round(0)), CORBA::DATA_CONVERSION);
}

TEST_CASE("increment and compound assignment change a fixed value in place") {
  Fixed<4, 1> value("1.5");
  ++value;
  CHECK(value.to_string() == "2.5");
  value *= Fixed<4, 1>(2);
  CHECK(value == 5);
  value -= Fixed<4, 1>("0.1");
  CHECK((-value).to_string() == "-4.9");
  value /= Fixed<4, 1>(2);
  CHECK(value.to_string() == "2.4");
}

// CORBA 3.0, 15.3.2.8: one half octet for each digit, then one for the sign; a leading zero if the
// number of digits is even.
TEST_CASE("a fixed value is its digits in half octets and a sign") {
  CHECK(encode(Fixed<5, 2>("-123.45"), std::endian::big) == octets(0x12, 0x34, 0x5d));
  CHECK(encode(Fixed<4, 1>("1.2"), std::endian::little) == octets(0x00, 0x01, 0x2c));
  CHECK(encode(Fixed<1, 0>(), std::endian::big) == octets(0x0c));
}

TEST_CASE("fixed values survive the round trip") {
  check_round_trip(Money::Amount("-12345678.90"));
  check_round_trip(Money::Fraction("0.1234567890123456789012345678901"));
  check_round_trip(Money::Amounts{Money::Amount(1), Money::Amount()});
  check_round_trip(Money::Item("tea", Money::Amount("2.50"), Fixed<4, 1>("-7.5")));
}

TEST_CASE("invalid digits and signs in half octets are an error") {
  using perigee::cdr::ErrorKind;
  CHECK(decoding_error<3>(octets(0x12, 0x3c)) == ErrorKind::none);
  CHECK(decoding_error<3>(octets(0x1a, 0x3c)) == ErrorKind::bad_value);
  CHECK(decoding_error<3>(octets(0x12, 0xac)) == ErrorKind::bad_value);
  CHECK(decoding_error<3>(octets(0x12, 0x3f)) == ErrorKind::bad_value);
  CHECK(decoding_error<2>(octets(0x12, 0x3c)) == ErrorKind::bad_value);  // one digit too many
  CHECK(decoding_error<3>(octets(0x12, 0x34)) == ErrorKind::bad_value);
  CHECK(decoding_error<3>(octets(0x12)) == ErrorKind::truncated);
}

// JacORB writes -1 as one octet, whatever the number of digits is.
TEST_CASE("a fixed value may have fewer digits on the wire than its type") {
  for (const auto& [wire, text] :
       {std::pair(octets(0x1d), "-0.01"), std::pair(octets(0x12, 0x3c), "1.23"),
        std::pair(octets(0x01, 0x23, 0x4d), "-12.34")}) {
    perigee::cdr::Decoder decoder(wire, std::endian::big);
    Fixed<5, 2> value;
    decoder >> value;
    CHECK(decoder.ok());
    CHECK(decoder.remaining() == 0);
    CHECK(value == Fixed<5, 2>(text));
  }
}
