// Bounded strings and sequences never exceed the bound, whichever function sets them.
#include "boundedC.h"
#include "round_trip.h"
#include "support/octets.h"

#include <doctest/doctest.h>

#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

using perigee::test::check_round_trip;
using perigee::test::encode;

namespace {

template <typename T>
perigee::cdr::ErrorKind decoding_error(const perigee::Octets& wire) {
  perigee::cdr::Decoder decoder(wire, std::endian::little);
  T value;
  decoder >> value;
  return decoder.error().kind;
}

}  // namespace

TEST_CASE("bounded types are types of their own") {
  static_assert(std::is_same_v<Bounds::Code, IDL::bounded_string<5>>);
  static_assert(std::is_same_v<Bounds::Few, IDL::bounded_vector<int32_t, 4>>);
  static_assert(!std::is_same_v<IDL::bounded_string<5>, IDL::bounded_string<6>>);
  CHECK(Bounds::standard == "abc");
}

TEST_CASE("a bounded string is used as a string") {
  Bounds::Code code = "abc";
  code += "de";
  CHECK(code == "abcde");
  CHECK(code.size() == 5);
  CHECK(code.substr(1, 2) == "bc");
  const std::string& plain = code;
  CHECK(plain == "abcde");
  code = std::string("x");
  CHECK(code.c_str() == std::string("x"));
  CHECK((Bounds::Code("a") < Bounds::Code("b")));
}

TEST_CASE("a bounded string is added to strings, views, literals and characters") {
  using namespace std::string_literals;
  using namespace std::string_view_literals;
  const Bounds::Code code = "abc";
  const IDL::bounded_string<9> other = "other";
  static_assert(std::is_same_v<decltype(code + code), std::string>);
  CHECK(code + code == "abcabc");  // longer than the bound
  CHECK(code + other == "abcother");
  CHECK(other + code == "otherabc");
  CHECK(code + "s"s + code == "abcsabc");
  CHECK("s"s + code == "sabc");
  CHECK(code + "v"sv == "abcv");
  CHECK("v"sv + code == "vabc");
  CHECK(code + "-" == "abc-");
  CHECK("-" + code == "-abc");
  CHECK(code + '!' == "abc!");
  CHECK('!' + code == "!abc");
  CHECK(Bounds::Sign(L"ab") + L'c' + Bounds::Sign(L"d") == L"abcd");
}

TEST_CASE("a sum is assigned to a bounded string if it fits, else it raises BAD_PARAM") {
  Bounds::Code code = "abc";
  code = code + "de";
  CHECK(code == "abcde");
  CHECK_THROWS_AS(code = code + "f", CORBA::BAD_PARAM);
  CHECK(code == "abcde");
}

TEST_CASE("a bounded string is written to streams like a string") {
  std::ostringstream out;
  out << Bounds::Code("abc") << '|' << std::setw(5) << Bounds::Code("d") << '|' << std::left
      << std::setw(3) << Bounds::Code("e") << '|';
  CHECK(out.str() == "abc|    d|e  |");
  std::wostringstream wide;
  wide << Bounds::Sign(L"xy");
  CHECK(wide.str() == L"xy");
}

TEST_CASE(
    "a bounded string reads words of a stream, and a word beyond the bound raises BAD_PARAM") {
  std::istringstream in("  one two toolong three");
  Bounds::Code code;
  const auto read = [&] { return static_cast<bool>(in >> code); };
  CHECK(read());
  CHECK(code == "one");
  CHECK(read());
  CHECK_THROWS_AS(read(), CORBA::BAD_PARAM);
  CHECK(code == "two");
  CHECK(read());
  CHECK(code == "three");
  CHECK_FALSE(read());
  CHECK(code == "three");
}

TEST_CASE("exceeding a string's bound raises BAD_PARAM and changes nothing") {
  Bounds::Code code = "abcde";
  CHECK_THROWS_AS(code += 'f', CORBA::BAD_PARAM);
  CHECK_THROWS_AS(code.append("f"), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(code = "abcdef", CORBA::BAD_PARAM);
  CHECK_THROWS_AS(code.insert(code.begin(), 'f'), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(code.resize(6), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(Bounds::Code("abcdef"), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(Bounds::Sign(L"abcd"), CORBA::BAD_PARAM);
  CHECK(code == "abcde");
}

TEST_CASE("a bounded sequence is used as a vector") {
  Bounds::Few few = {1, 2};
  few.push_back(3);
  few.emplace_back(4);
  CHECK(few == std::vector<int32_t>{1, 2, 3, 4});
  few.erase(few.begin());
  few[0] = 7;
  int32_t sum = 0;
  for (const int32_t number : few) sum += number;
  CHECK(sum == 14);
  const std::vector<int32_t>& plain = few;
  CHECK(plain.size() == 3);
}

TEST_CASE("exceeding a sequence's bound raises BAD_PARAM and changes nothing") {
  Bounds::Few few = {1, 2, 3, 4};
  CHECK_THROWS_AS(few.push_back(5), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(few.emplace_back(5), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(few.resize(5), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(few.insert(few.end(), 2, 5), CORBA::BAD_PARAM);
  CHECK_THROWS_AS(few = (std::vector<int32_t>{1, 2, 3, 4, 5}), CORBA::BAD_PARAM);
  const std::vector<int32_t> five(5);
  CHECK_THROWS_AS(few.assign(five.begin(), five.end()), CORBA::BAD_PARAM);
  CHECK(few == Bounds::Few{1, 2, 3, 4});
}

TEST_CASE("bounded types survive the round trip") {
  check_round_trip(Bounds::Code("abcde"));
  check_round_trip(Bounds::Sign(L"a\u20acc"));
  check_round_trip(Bounds::Few{1, 2, 3, 4});
  check_round_trip(Bounds::Codes{"one", ""});
  check_round_trip(Bounds::Label("text", {1, 2, 3}, {"a"}));
  Bounds::Key key;
  key.numbers({1});
  check_round_trip(key);
}

TEST_CASE("traits tell whether a type is bounded") {
  static_assert(IDL::traits<Bounds::Code>::is_bounded::value);
  static_assert(IDL::traits<Bounds::Code>::bound::value == 5);
  static_assert(IDL::traits<Bounds::Few>::bound::value == 4);
  static_assert(!IDL::traits<std::string>::is_bounded::value);
  static_assert(!IDL::traits<std::vector<int32_t>>::is_bounded::value);
}

TEST_CASE("a bounded type is encoded like the unbounded type") {
  CHECK(encode(Bounds::Code("ab"), std::endian::big) ==
        encode(std::string("ab"), std::endian::big));
  CHECK(encode(Bounds::Few{1, 2}, std::endian::big) ==
        encode(std::vector<int32_t>{1, 2}, std::endian::big));
}

TEST_CASE("a received value beyond the bound is an error") {
  using perigee::cdr::ErrorKind;
  const std::endian order = std::endian::little;
  CHECK(decoding_error<Bounds::Code>(encode(std::string("abcdef"), order)) == ErrorKind::bad_value);
  CHECK(decoding_error<Bounds::Sign>(encode(std::wstring(L"abcd"), order)) == ErrorKind::bad_value);
  CHECK(decoding_error<Bounds::Few>(encode(std::vector<int32_t>(5), order)) ==
        ErrorKind::bad_value);
}
