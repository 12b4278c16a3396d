// Samples of text in the code sets of the tests, and the options of the clients. Plain C++: it is
// also compiled beside other ORBs' headers.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace interop {

constexpr std::uint32_t e_acute = 0xe9;
constexpr std::uint32_t euro = 0x20ac;
constexpr std::uint32_t clef = 0x1d11e;

/// The character's octets in a code set; empty if the code set does not have the character.
inline std::string in_code_set(const std::string& set, std::uint32_t character) {
  if (character < 0x80) return {static_cast<char>(character)};
  if (set == "UTF-8" && character == e_acute) return "\xc3\xa9";
  if (set == "UTF-8" && character == euro) return "\xe2\x82\xac";
  if (set == "ISO-8859-15" && character == euro) return "\xa4";
  return character < 0x100 ? std::string{static_cast<char>(character)} : std::string();
}

struct TextOptions {
  std::string ior;
  std::string own = "UTF-8";   ///< the native code set of this program
  std::string peer = "UTF-8";  ///< the native code set of the server
  bool euro_passes = true;     ///< the euro can be sent if both native code sets have it
  bool wide = true;            ///< wide characters can be sent
  bool surrogates = false;     ///< the server keeps units of UTF-16 in its wchar_t
  bool quit = false;
  bool corbaloc = false;  ///< call through a reference without components
};

inline TextOptions text_options(int argc, char* argv[]) {
  TextOptions options;
  std::ifstream(argv[1]) >> options.ior;
  for (int index = 2; index < argc; ++index) {
    const std::string argument = argv[index];
    if (argument == "--own" && index + 1 < argc) options.own = argv[++index];
    if (argument == "--peer" && index + 1 < argc) options.peer = argv[++index];
    if (argument == "--no-euro") options.euro_passes = false;
    if (argument == "--no-wide") options.wide = false;
    if (argument == "--surrogates") options.surrogates = true;
    if (argument == "--quit") options.quit = true;
    if (argument == "--corbaloc") options.corbaloc = true;
  }
  return options;
}

/// Code points as the server sees them in its wchar_t.
inline std::vector<std::uint32_t> as_seen(const std::vector<std::uint32_t>& points,
                                          bool surrogates) {
  std::vector<std::uint32_t> seen;
  for (const std::uint32_t point : points) {
    if (point < 0x10000 || !surrogates) {
      seen.push_back(point);
    } else {
      seen.push_back(0xd800 + ((point - 0x10000) >> 10));
      seen.push_back(0xdc00 + ((point - 0x10000) & 0x3ff));
    }
  }
  return seen;
}

}  // namespace interop
