// The bindings that an MProfile keeps, and the ones that it removes.
#include "orb/references/mprofile.h"

#include "orb/fixture.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace perigee::test {

using orb::Binding;
using orb::BindingRef;
using orb::MProfile;
using orb::Permanence;

namespace {

// More bindings than an MProfile remembers as forwards, or keeps as long as it lives.
constexpr int many = 100;

/// The MProfile of an object that servers move often.
class Moves {
 public:
  [[nodiscard]] std::shared_ptr<Binding> place(int number) {
    const std::string address = "place " + std::to_string(number);
    return orb::make_binding(fixture_.core().context(), fixture_.ior({address.c_str()}),
                             Binding::Kind::forward, nullptr);
  }
  [[nodiscard]] std::vector<std::weak_ptr<const Binding>> move(Permanence permanence) {
    std::vector<std::weak_ptr<const Binding>> all;
    for (int number = 0; number < many; ++number) {
      const BindingRef adopted = profiles.adopt(place(number), permanence);
      CHECK(profiles.current() == adopted);
      all.push_back(adopted);
    }
    return all;
  }

 private:
  Fixture fixture_;

 public:
  MProfile profiles{fixture_.core().context(), fixture_.ior({"home"}), nullptr};
};

std::size_t count_living(const std::vector<std::weak_ptr<const Binding>>& bindings) {
  std::size_t count = 0;
  for (const auto& binding : bindings) count += binding.expired() ? 0 : 1;
  return count;
}

}  // namespace

TEST_CASE("calls go to the newest of many forwards, and old forwards are forgotten") {
  Moves moves;
  const BindingRef home = moves.profiles.current();
  const auto all = moves.move(Permanence::temporary);
  CHECK(moves.profiles.base() == home);
  CHECK(count_living(all) >= orb::Settings{}.forwards_remembered_max);
  CHECK(count_living(all) <= orb::Settings{}.forwards_remembered_max + 8);
  CHECK_FALSE(all.back().expired());
}

TEST_CASE("the newest of many permanent forwards replaces the reference") {
  Moves moves;
  (void)moves.profiles.current();
  const auto all = moves.move(Permanence::permanent);
  CHECK(moves.profiles.base() == all.back().lock());
  CHECK(count_living(all) <= orb::Settings{}.forwards_remembered_max + 8);
}

TEST_CASE("the IOR is the same before and after its profiles are prepared for calls") {
  Moves moves;
  const auto ior = [&moves] {
    return moves.profiles.use_ior([](const iop::Ior& used) { return used; });
  };
  const iop::Ior given = ior();
  CHECK(given.profiles.size() == 1);
  CHECK(moves.profiles.base()->ior == given);
  CHECK(ior() == given);
  (void)moves.profiles.adopt(moves.place(1), Permanence::temporary);
  CHECK(ior() == given);
  const BindingRef moved = moves.profiles.adopt(moves.place(2), Permanence::permanent);
  CHECK(ior() == moved->ior);
  (void)moves.move(Permanence::permanent);  // to a place that is not kept
  CHECK(ior() == moves.profiles.base()->ior);
}

TEST_CASE("several threads use the IOR at the same time, before and after the first call") {
  Moves moves;
  const auto use_twice = [&moves] {
    moves.profiles.use_ior([&moves](const iop::Ior& outer) {
      std::jthread([&moves, &outer] {
        moves.profiles.use_ior([&outer](const iop::Ior& inner) { CHECK(inner == outer); });
      }).join();
    });
  };
  use_twice();
  (void)moves.profiles.base();
  use_twice();
}

TEST_CASE("the IOR that a thread uses remains while another thread prepares it for calls") {
  Moves moves;
  moves.profiles.use_ior([&moves](const iop::Ior& used) {
    const iop::Ior before = used;
    std::jthread([&moves] { (void)moves.profiles.base(); }).join();
    CHECK(used == before);
  });
}

TEST_CASE("a binding lives as long as a call uses it, remembered or not") {
  Moves moves;
  (void)moves.move(Permanence::temporary);
  const BindingRef used = moves.profiles.adopt(moves.place(many), Permanence::temporary);
  CHECK(moves.profiles.current() == used);
  for (int number = many + 1; number < 2 * many; ++number)
    (void)moves.profiles.adopt(moves.place(number), Permanence::temporary);
  CHECK(used.use_count() == 1);  // the reference of this test
  CHECK(used->targets.size() == 1);
}

TEST_CASE("an equal forward is the same binding, and is then forgotten last") {
  Moves moves;
  (void)moves.move(Permanence::temporary);
  const BindingRef first = moves.profiles.adopt(moves.place(many), Permanence::temporary);
  const auto others = static_cast<int>(orb::Settings{}.forwards_remembered_max) - 1;
  for (int number = 1; number <= others; ++number)
    (void)moves.profiles.adopt(moves.place(many + number), Permanence::temporary);
  CHECK(moves.profiles.adopt(moves.place(many), Permanence::temporary) == first);
  (void)moves.profiles.adopt(moves.place(2 * many), Permanence::temporary);
  CHECK(moves.profiles.adopt(moves.place(many), Permanence::temporary) == first);
}

TEST_CASE("a forward that has failed leads back to the base, unless there is a newer forward") {
  Moves moves;
  const BindingRef home = moves.profiles.current();
  const BindingRef first = moves.profiles.adopt(moves.place(1), Permanence::temporary);
  const BindingRef second = moves.profiles.adopt(moves.place(2), Permanence::temporary);
  moves.profiles.forget(*first);
  CHECK(moves.profiles.current() == second);
  moves.profiles.forget(*second);
  CHECK(moves.profiles.current() == home);
}

}  // namespace perigee::test
