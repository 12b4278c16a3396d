// The service context ExceptionDetailMessage.
#include "support/octets.h"
#include <perigee/iop/exception_detail.h>

#include <doctest/doctest.h>

#include <bit>
#include <string>

using namespace perigee;
using perigee::test::octets;

namespace {

std::string round_trip(std::string_view text) {
  return iop::decode_exception_detail(iop::encode_exception_detail(text));
}

constexpr bool is_little = std::endian::native == std::endian::little;

}  // namespace

// CORBA 3.0, 13.7.1 and 15.3.2.7.
TEST_CASE("the ExceptionDetailMessage is an encapsulation of a wstring in UTF-16") {
  const auto little = octets(1,                    // little-endian
                             0, 0, 0,              // padding
                             4, 0, 0, 0,           // four octets of text
                             0, 'n', 0x20, 0xac);  // big-endian: no byte order mark
  const auto big = octets(0, 0, 0, 0,              // big-endian, padding
                          0, 0, 0, 4,              // four octets of text
                          0, 'n', 0x20, 0xac);     // the same
  CHECK(iop::encode_exception_detail("n\u20ac") == (is_little ? little : big));
  CHECK(iop::decode_exception_detail(little) == "n\u20ac");
  CHECK(iop::decode_exception_detail(big) == "n\u20ac");
}

TEST_CASE("a byte order mark decides the byte order of the text") {
  CHECK(iop::decode_exception_detail(octets(1, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xfe, 'n', 0)) == "n");
  CHECK(iop::decode_exception_detail(octets(1, 0, 0, 0, 4, 0, 0, 0, 0xfe, 0xff, 0, 'n')) == "n");
}

TEST_CASE("texts in UTF-8 arrive unchanged, and other octets arrive as U+FFFD") {
  for (const char* text : {"", "no such symbol: 'ACME'", "gr\u00fc\u00df", "\u20ac", "\U0001f6f0"})
    CHECK(round_trip(text) == text);
  CHECK(round_trip("a\xff") == "a\ufffd");
  CHECK(round_trip("a\xc3") == "a\ufffd");                      // cut
  CHECK(round_trip("\xc0\xaf") == "\ufffd\ufffd");              // an overlong slash
  CHECK(round_trip("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");    // a surrogate
  CHECK(round_trip("\xf4\x90\x80\x80").starts_with("\ufffd"));  // beyond Unicode
}

TEST_CASE("control characters of a text cannot act on a terminal") {
  CHECK(round_trip("a\nb\x1b[2J\x7f") == "a\\nb\\x1b[2J\\x7f");
  CHECK(round_trip("\u009b2J") == "\ufffd2J");
  CHECK(round_trip("\u202egnp.exe") == "\ufffdgnp.exe");
  CHECK(round_trip(std::string_view("a\0b", 3)) == "ab");
}

TEST_CASE("a text that is too long is cut, by the sender and by the receiver") {
  const std::string longest(iop::exception_detail_size_max, 'x');
  CHECK(round_trip(longest) == longest);
  CHECK(round_trip(longest + "y") == longest);
  Octets huge = octets(1, 0, 0, 0, 0, 0, 0x10, 0);  // a mebibyte of text
  huge.resize(8 + (1U << 20));
  for (std::size_t index = 9; index < huge.size(); index += 2) huge[index] = std::byte{'x'};
  CHECK(iop::decode_exception_detail(huge) == longest);
}

TEST_CASE("an ExceptionDetailMessage that does not decode is empty") {
  CHECK(iop::decode_exception_detail({}).empty());
  CHECK(iop::decode_exception_detail(octets(2, 0, 0, 0, 2, 0, 0, 0, 0, 'n')).empty());  // order
  CHECK(iop::decode_exception_detail(octets(1, 0, 0, 0, 2, 0)).empty());                // cut
  CHECK(iop::decode_exception_detail(octets(1, 0, 0, 0, 4, 0, 0, 0, 0, 'n')).empty());  // too short
  CHECK(iop::decode_exception_detail(octets(1, 0, 0, 0, 1, 0, 0, 0, 'n')).empty());     // half
  CHECK(iop::decode_exception_detail(octets(1, 0, 0, 0, 2, 0, 0, 0, 0xd8, 0))
            .empty());  // half a pair of surrogates
  CHECK(iop::decode_exception_detail(octets(1, 0, 0, 0, 4, 0, 0, 0, 0xd8, 0, 0, 'n')).empty());
}
