// The hash of texts that peers choose.
#include "base/keyed_hash.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>

namespace {

using perigee::keyed_hash;
using perigee::SipHash;

// The key and the messages of the paper: octets 0, 1, 2, …
constexpr std::uint64_t key_low = 0x0706050403020100;
constexpr std::uint64_t key_high = 0x0f0e0d0c0b0a0908;

std::string counting_up(int size) {
  std::string result;
  for (int octet = 0; octet < size; ++octet) result.push_back(static_cast<char>(octet));
  return result;
}

TEST_CASE("SipHash gives the published results") {
  using Published = SipHash<2, 4>;
  CHECK(Published(key_low, key_high)(counting_up(0)) == 0x726fdb47dd0e0e31);
  CHECK(Published(key_low, key_high)(counting_up(1)) == 0x74f839c593dc67fd);
  CHECK(Published(key_low, key_high)(counting_up(15)) == 0xa129ca6149be45e5);
  CHECK(SipHash<1, 3>(key_low, key_high)(counting_up(0)) == 0xabac0158050fc4dc);
}

TEST_CASE("the hash of a text depends on each octet and on the length") {
  std::set<std::uint64_t> hashes;
  for (int size = 0; size < 40; ++size)
    hashes.insert(keyed_hash(std::string(std::size_t(size), 'a')));
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'a');
    text[at] = 'b';
    hashes.insert(keyed_hash(text));
  }
  CHECK(hashes.size() == 80);
  CHECK(keyed_hash("a text") == keyed_hash(std::string("a text")));
}

}  // namespace
