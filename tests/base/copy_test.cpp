// Copies of octets at all distances of source and destination.
#include <perigee/base/copy.h>
#include <perigee/base/octets.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <memory>

namespace perigee {
namespace {

constexpr std::size_t page = 4096;
constexpr std::byte untouched{0xEE};

/// Memory of three pages that begins at a page.
class Pages {
 public:
  Pages() : memory_(static_cast<std::byte*>(std::aligned_alloc(page, 3 * page)), &std::free) {
    REQUIRE(memory_ != nullptr);
    std::fill_n(memory_.get(), 3 * page, untouched);
  }
  [[nodiscard]] MutableOctetSpan at(std::size_t offset, std::size_t size) {
    return MutableOctetSpan(memory_.get(), 3 * page).subspan(offset, size);
  }

 private:
  std::unique_ptr<std::byte, decltype(&std::free)> memory_;
};

void number(MutableOctetSpan octets) {
  for (std::size_t index = 0; index < octets.size(); ++index)
    octets[index] = static_cast<std::byte>(index % 251);
}

/// Copies by `copy`, and looks at the copied octets and at their neighbours.
template <typename Copy>
bool copies_exactly(Copy copy, std::size_t to_offset, std::size_t from_offset, std::size_t size) {
  Pages source;
  Pages destination;
  const MutableOctetSpan from = source.at(from_offset, size);
  number(from);
  const MutableOctetSpan to = destination.at(to_offset, size);
  copy(to.data(), from.data(), size);
  const MutableOctetSpan after = destination.at(to_offset + size, 1);
  const MutableOctetSpan before = destination.at(to_offset - 1, 1);
  return std::ranges::equal(to, from) && after[0] == untouched && before[0] == untouched;
}

TEST_CASE("copies of all sizes have the same octets, and change no octets around them") {
  using Sizes = std::initializer_list<std::size_t>;
  for (const std::size_t size : Sizes{0, 1, 255, 256, 257, 2047, 2048, 2049, 4096, 5000})
    for (const std::size_t distance : Sizes{0, 1, 16, 31, 32, 100}) {
      CAPTURE(size);
      CAPTURE(distance);
      CHECK(copies_exactly(copy_octets, 64 + distance, 64, size));
      CHECK(copies_exactly(copy_backward, 64 + distance, 64, size));
    }
}

TEST_CASE("a copy is slow if its offset in the page grows by 1 to 31 octets at the destination") {
  Pages pages;
  const auto is_slow = [&](std::size_t to, std::size_t from, std::size_t size) {
    return is_slow_copy(pages.at(to, 1).data(), pages.at(from, 1).data(), size);
  };
  CHECK(is_slow(page + 1, 0, 2048));
  CHECK(is_slow(page + 131, 100, 2048));
  CHECK(is_slow(10, page + 4, 2048));
  CHECK_FALSE(is_slow(page, 0, 2048));
  CHECK_FALSE(is_slow(page + 32, 0, 2048));
  CHECK_FALSE(is_slow(page, 1, 2048));
  CHECK_FALSE(is_slow(page + 1, 0, 2047));
}

}  // namespace
}  // namespace perigee
