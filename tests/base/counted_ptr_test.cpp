// Counted pointers: owners, weak pointers, conversions, objects that point to themselves.
#include <perigee/base/counted_ptr.h>

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using perigee::counted_ptr;
using perigee::dynamic_counted_cast;
using perigee::make_counted;
using perigee::weak_counted_ptr;

struct Base {
  explicit Base(int& alive) : alive_(alive) { ++alive_; }
  virtual ~Base() { --alive_; }
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  int& alive_;
};
struct Left : virtual Base {
  explicit Left(int& alive) : Base(alive) {}
};
struct Right : virtual Base {
  explicit Right(int& alive) : Base(alive) {}
};
struct Both final : Left, Right {
  explicit Both(int& alive) : Base(alive), Left(alive), Right(alive) {}
  int value = 7;
};

TEST_CASE("the last owner destroys the object") {
  int alive = 0;
  counted_ptr<Base> first = make_counted<Both>(alive);
  CHECK(alive == 1);
  {
    const counted_ptr<Base> second = first;
    CHECK(second == first);
    first.reset();
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
  CHECK(first == nullptr);
  CHECK(!first);
}

TEST_CASE("moves leave null behind and change no count") {
  int alive = 0;
  counted_ptr<Both> first = make_counted<Both>(alive);
  counted_ptr<Right> second = std::move(first);
  CHECK(first == nullptr);  // NOLINT(bugprone-use-after-move)
  second = counted_ptr<Right>();
  CHECK(alive == 0);
}

TEST_CASE("assignment to itself keeps the object") {
  int alive = 0;
  counted_ptr<Both> pointer = make_counted<Both>(alive);
  const counted_ptr<Both>& same = pointer;
  pointer = same;
  CHECK(alive == 1);
  CHECK(pointer->value == 7);
}

TEST_CASE("casts across a virtual base share the counts") {
  int alive = 0;
  counted_ptr<Left> left = make_counted<Both>(alive);
  counted_ptr<Right> right = dynamic_counted_cast<Right>(left);
  REQUIRE(right);
  CHECK(dynamic_counted_cast<Both>(right)->value == 7);
  left.reset();
  CHECK(alive == 1);
  CHECK(dynamic_counted_cast<Both>(counted_ptr<Base>()) == nullptr);
  const counted_ptr<Base> base = make_counted<Left>(alive);
  CHECK(dynamic_counted_cast<Right>(base) == nullptr);
}

TEST_CASE("weak pointers do not keep the object, and see that it is gone") {
  int alive = 0;
  counted_ptr<Both> strong = make_counted<Both>(alive);
  weak_counted_ptr<Left> weak = strong;
  weak_counted_ptr<Base> wider = weak;
  CHECK(weak.lock() == strong);
  CHECK(!wider.expired());
  strong.reset();
  CHECK(alive == 0);
  CHECK(weak.expired());
  CHECK(weak.lock() == nullptr);
  CHECK(weak_counted_ptr<Base>(weak).lock() == nullptr);
  CHECK(weak_counted_ptr<Base>().lock() == nullptr);
  wider = weak_counted_ptr<Base>();
  CHECK(wider.expired());
}

TEST_CASE("a constructor that throws leaves no memory behind") {
  struct Thrower {
    explicit Thrower(int value) { throw std::runtime_error(value == 1 ? "one" : "other"); }
  };
  CHECK_THROWS_AS((void)make_counted<Thrower>(1), std::runtime_error);
}

struct alignas(64) Wide {
  char octets[64] = {};
};

TEST_CASE("objects have the alignment of their type") {
  const counted_ptr<Wide> wide = make_counted<Wide>();
  CHECK(reinterpret_cast<std::uintptr_t>(wide.get()) % 64 == 0);
}

struct Self final : perigee::counted_from_this {
  [[nodiscard]] counted_ptr<Self> self() { return counted(*this); }
};

TEST_CASE("the counts are found in front of the object, if the object has counts") {
  const counted_ptr<Self> made = make_counted<Self>();
  CHECK(made->self() == made);
  Self alone;
  CHECK(alone.self() == nullptr);
  Self copy(*made);
  CHECK(copy.self() == nullptr);
}

TEST_CASE("several threads share and drop one object") {
  int alive = 0;
  counted_ptr<Both> object = make_counted<Both>(alive);
  const weak_counted_ptr<Both> weak = object;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([object, weak] {
      for (int round = 0; round < 10'000; ++round) {
        const counted_ptr<Both> copy = object;
        const counted_ptr<Both> locked = weak.lock();
        if (copy != locked) throw std::logic_error("one object became two");
      }
    });
  object.reset();
  for (std::thread& thread : threads) thread.join();
  CHECK(alive == 0);
  CHECK(weak.expired());
}

}  // namespace
