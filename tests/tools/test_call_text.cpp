// Octets in base64 and wide characters, as `perigee call` reads and writes them.
#include "call/json_text.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace perigee::tool {

TEST_CASE("octets survive base64, whatever their number") {
  std::vector<std::uint8_t> octets;
  for (unsigned size = 0; size < 300; ++size) {
    const std::string text = to_base64(std::as_bytes(std::span(octets)));
    CHECK(text.size() % 4 == 0);
    CHECK(from_base64(text) == octets);
    octets.push_back(static_cast<std::uint8_t>(size * 7));
  }
  CHECK(to_base64(std::as_bytes(std::span("Perigee", 7))) == "UGVyaWdlZQ==");
}

TEST_CASE("text that is not base64 is refused") {
  for (const char* const text :
       {"A", "AB", "ABC", "A===", "====", "AB=C", "AB C", " AAA", "AAA\n", "AA-_", "AAAAA", "=AAA"})
    CHECK_FALSE(from_base64(text));
}

TEST_CASE("characters of each length survive UTF-8") {
  const std::wstring wide = L"a\u00e9\u20ac\U0001f600";
  CHECK(from_wide(wide) == "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(to_wide(from_wide(wide)) == wide);
  CHECK(to_wide("").empty());
}

TEST_CASE("a code point that is not a character becomes U+FFFD") {
  for (const char32_t value : {0xd800U, 0xdfffU, 0x110000U})
    CHECK(from_wide(std::wstring(1, static_cast<wchar_t>(value))) == "\xef\xbf\xbd");
}

}  // namespace perigee::tool
