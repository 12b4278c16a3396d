// The growing buffer.
#include "support/octets.h"
#include <perigee/cdr/buffer.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

using namespace perigee;
using perigee::cdr::Buffer;
using perigee::test::octets;

namespace {

void append(Buffer& buffer, const Octets& more) {
  std::memcpy(buffer.extend(more.size()), more.data(), more.size());
}

}  // namespace

TEST_CASE("an empty buffer has no octets and no segments") {
  const Buffer buffer;
  CHECK(buffer.size() == 0);
  CHECK(buffer.flatten().empty());
  std::vector<OctetSpan> segments;
  buffer.gather(segments);
  CHECK(segments.empty());
}

TEST_CASE("octets stay the same when the buffer grows") {
  Buffer buffer;
  for (int value = 0; value < 100000; ++value) *buffer.extend(1) = static_cast<std::byte>(value);
  REQUIRE(buffer.size() == 100000);
  bool same = true;
  for (std::size_t index = 0; index < 100000; ++index)
    same = same && buffer.own_octets()[index] == static_cast<std::byte>(index);
  CHECK(same);
}

TEST_CASE("growth is geometric: a hundred thousand octets move only a few times") {
  Buffer buffer;
  int moves = 0;
  std::uintptr_t place = 0;
  for (int count = 0; count < 100000; ++count) {
    buffer.extend(1);
    const auto now = reinterpret_cast<std::uintptr_t>(buffer.data());
    moves += now != place;
    place = now;
  }
  CHECK(moves <= 9);  // 512 doubled eight times is 131072
}

TEST_CASE("one extension may be larger than twice the buffer") {
  Buffer buffer;
  append(buffer, octets(1, 2, 3));
  std::memset(buffer.extend(1'000'000), 9, 1'000'000);
  CHECK(buffer.size() == 1'000'003);
  CHECK(buffer.own_octets()[2] == std::byte{3});
  CHECK(buffer.own_octets().back() == std::byte{9});
}

TEST_CASE("reserved room does not count as octets until the end advances") {
  Buffer buffer;
  std::byte* place = buffer.reserve(8);
  place[0] = std::byte{7};
  CHECK(buffer.size() == 0);
  buffer.advance(1);
  CHECK(buffer.flatten() == octets(7));
}

TEST_CASE("an extension beyond the address space throws bad_alloc and changes nothing") {
  Buffer buffer;
  append(buffer, octets(1));
  CHECK_THROWS_AS(buffer.extend(SIZE_MAX), std::bad_alloc);
  CHECK_THROWS_AS(buffer.extend(PTRDIFF_MAX), std::bad_alloc);
  append(buffer, octets(2));
  CHECK(buffer.flatten() == octets(1, 2));
}

TEST_CASE("clear keeps the memory, and truncate keeps the octets before the new end") {
  Buffer buffer;
  append(buffer, octets(1, 2, 3));
  const auto* place = buffer.data();
  buffer.truncate(1);
  append(buffer, octets(4));
  CHECK(buffer.flatten() == octets(1, 4));
  const Octets large(5, std::byte{9});
  buffer.borrow(large);
  buffer.clear();
  CHECK(buffer.size() == 0);
  append(buffer, octets(5));
  CHECK(buffer.data() == place);
  CHECK(buffer.flatten() == octets(5));
}

TEST_CASE("borrowed octets keep their place between the octets that are appended") {
  const Octets first = octets(10, 11);
  const Octets second = octets(20);
  Buffer buffer;
  append(buffer, octets(1));
  buffer.borrow(first);
  buffer.borrow(second);
  append(buffer, octets(2, 3));
  CHECK(buffer.own_size() == 3);
  CHECK(buffer.size() == 6);
  CHECK(buffer.flatten() == octets(1, 10, 11, 20, 2, 3));
  std::vector<OctetSpan> segments;
  buffer.gather(segments);
  REQUIRE(segments.size() == 4);
  CHECK(segments[1].data() == first.data());
  CHECK(segments[2].data() == second.data());
  CHECK(segments[3].data() == buffer.data() + 1);
}

TEST_CASE("no segment is empty, even if borrowed octets are empty or stand at an end") {
  const Octets large = octets(10);
  Buffer buffer;
  buffer.borrow(large);
  buffer.borrow({});
  std::vector<OctetSpan> segments;
  buffer.gather(segments);
  CHECK(segments.size() == 1);
}

TEST_CASE("a moved buffer takes its octets along and leaves an empty, usable buffer") {
  const Octets large = octets(10);
  Buffer source;
  append(source, octets(1));
  source.borrow(large);
  Buffer target(std::move(source));
  CHECK(target.flatten() == octets(1, 10));
  CHECK(source.size() == 0);  // NOLINT(bugprone-use-after-move): the promise of the class
  append(source, octets(2));
  target = std::move(source);
  CHECK(target.flatten() == octets(2));
  Buffer& alias = target;
  target = std::move(alias);
  CHECK(target.flatten() == octets(2));
}

namespace {

struct CountingOwner final : cdr::PlaceOwner {
  int left = 0;
  void place_left() noexcept override { ++left; }
};

}  // namespace

TEST_CASE("a buffer in a place writes there, and can still borrow") {
  CountingOwner owner;
  Octets place(64);
  const Octets borrowed = octets(7, 8, 9);
  Buffer buffer;
  append(buffer, octets(1, 2));
  buffer.enter_place(place, owner);
  CHECK(buffer.in_place());
  CHECK(buffer.size() == 0);
  append(buffer, octets(3, 4, 5));
  buffer.borrow(borrowed);
  append(buffer, octets(6));
  CHECK(buffer.data() == place.data());
  CHECK((Octets(place.begin(), place.begin() + 4) == octets(3, 4, 5, 6)));
  CHECK((buffer.flatten() == octets(3, 4, 5, 7, 8, 9, 6)));
  buffer.leave_place();
}

TEST_CASE("octets that are too many for a place move to the buffer's own memory") {
  Octets place(10);
  for (const std::size_t own :
       {std::size_t{0}, std::size_t{5000}}) {  // the octets of its own memory
    CAPTURE(own);
    CountingOwner owner;
    Buffer buffer;
    (void)buffer.extend(own);
    buffer.enter_place(place, owner);
    append(buffer, octets(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    CHECK(buffer.in_place());
    CHECK(owner.left == 0);
    append(buffer, octets(11));
    CHECK_FALSE(buffer.in_place());
    CHECK(owner.left == 1);
    CHECK((buffer.flatten() == octets(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)));
    buffer.leave_place();  // it has left already: the octets stay
    CHECK(buffer.size() == 11);
  }
}

TEST_CASE("a buffer that leaves its place is empty, or takes its octets along") {
  CountingOwner owner;
  Octets place(100);
  const Octets borrowed = octets(9);
  Buffer buffer;
  append(buffer, octets(1, 2));
  const std::byte* const own = buffer.data();
  SUBCASE("empty") {
    buffer.enter_place(place, owner);
    append(buffer, octets(3));
    buffer.borrow(borrowed);
    buffer.leave_place();
    CHECK(buffer.size() == 0);
    CHECK(buffer.borrowed().empty());
    CHECK(buffer.data() == own);
    CHECK(owner.left == 0);
  }
  SUBCASE("with its octets") {
    buffer.enter_place(place, owner);
    append(buffer, octets(3, 4));
    buffer.borrow(borrowed);
    buffer.move_out_of_place();
    CHECK((buffer.flatten() == octets(3, 4, 9)));
    CHECK(owner.left == 1);
    CHECK(buffer.data() == own);
  }
  CHECK_FALSE(buffer.in_place());
}
