// Code sets: the meaning of the octets of characters, inside the program and on the wire. The ORB
// negotiates which code sets two ORBs use; this header does not deal with messages.
#pragma once

#include <compare>
#include <cstdint>

namespace perigee::cdr {

/// Code sets of char and string. All extend US-ASCII. The value is the part number of ISO 8859, or
/// the low octet of the number in the OSF registry. UTF-8 has neither.
enum class CharSet : std::uint8_t {
  iso_8859_1 = 1,
  iso_8859_2,
  iso_8859_3,
  iso_8859_4,
  iso_8859_5,
  iso_8859_6,
  iso_8859_7,
  iso_8859_8,
  iso_8859_9,
  iso_8859_10,
  iso_8859_11,
  iso_8859_13 = 13,  // there is no part 12
  iso_8859_14,
  iso_8859_15,
  iso_8859_16,
  us_ascii = 32,
  utf_8 = 255,
};

/// Code sets of wchar and wstring on the wire. In the program a wchar_t is a Unicode code point.
enum class WideSet : std::uint8_t {
  none,  ///< wide characters cannot be sent
  utf_16,
  ucs_2,   ///< UTF-16 without surrogates
  ucs_4,   ///< UTF-32
  native,  ///< wchar_t as it is: never leaves the process
};

/// How an encoder or decoder carries characters. The default carries `char` and strings unchanged,
/// and wide characters and wide strings in UTF-16, in the form of GIOP 1.2.
///
/// If `native` and `chars` are equal, characters are not converted, and the sender does not check
/// them. A receiver checks UTF-8 if its `Environment` says so. Otherwise a std::string may hold any
/// octets but NUL, and they arrive unchanged.
struct CodeSets {
  CharSet native = CharSet::utf_8;  ///< of std::string and char in this program
  CharSet chars = CharSet::utf_8;   ///< of std::string and char on the wire
  WideSet wide = WideSet::utf_16;
  std::uint8_t giop_minor = 2;  ///< GIOP 1.x: decides the form of wide characters

  [[nodiscard]] constexpr bool converts() const noexcept { return native != chars; }
  friend constexpr auto operator<=>(const CodeSets&, const CodeSets&) = default;
};

}  // namespace perigee::cdr
