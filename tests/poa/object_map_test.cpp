// The active objects of an adapter, by id and by servant, against a plain list.
#include "poa/object_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace perigee::poa;

namespace {

using Places = std::array<int, 10>;

const PortableServer::Servant* servant_at(const int& place) {
  return reinterpret_cast<const PortableServer::Servant*>(&place);  // only compared
}

/// Lists each object once, and looks through all of them.
class Model {
 public:
  struct Entry {
    std::string id;
    ObjectMap::Object object;
  };
  [[nodiscard]] std::vector<Entry>::iterator find(const std::string& id) {
    return std::ranges::find(entries, id, &Entry::id);
  }
  [[nodiscard]] bool serves(const PortableServer::Servant* servant) const {
    return std::ranges::any_of(
        entries, [servant](const Entry& entry) { return entry.object.servant == servant; });
  }
  /// Nothing unless the servant has exactly one object.
  [[nodiscard]] std::optional<SlotRef> only_slot(const PortableServer::Servant* servant) const {
    std::optional<SlotRef> slot;
    for (const Entry& entry : entries) {
      if (entry.object.servant != servant) continue;
      if (slot) return std::nullopt;
      slot = entry.object.slot;
    }
    return slot;
  }
  std::vector<Entry> entries;
};

/// `unique`: no servant has had two objects at one time.
void check_equal(const ObjectMap& map, Model& model, const Places& places, bool unique) {
  REQUIRE(map.check_invariants());
  REQUIRE(map.size() == model.entries.size());
  for (const Model::Entry& entry : model.entries) REQUIRE(map.find(entry.id) == entry.object.slot);
  for (const int& place : places) {
    const auto* const servant = servant_at(place);
    REQUIRE(map.serves(servant) == model.serves(servant));
    const auto found = map.find_by_servant(servant);
    if (found) REQUIRE(model.only_slot(servant) == found);
    if (unique) REQUIRE(found.has_value() == model.serves(servant));
  }
}

}  // namespace

TEST_CASE("objects are found by id and by servant after any sequence of changes") {
  const Places places{};
  std::minstd_rand random(7);
  const auto below = [&random](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  bool unique = false;
  SUBCASE("of servants with several objects") {}
  SUBCASE("of servants with one object each") { unique = true; }
  const std::size_t places_used = unique ? places.size() : 3;
  ObjectMap map;
  Model model;
  std::uint32_t next_slot = 0;
  for (int step = 0; step < 2000; ++step) {
    const std::string id(1, static_cast<char>('a' + below(10)));
    const auto listed = model.find(id);
    if (listed == model.entries.end() && below(3) != 0) {
      const auto* const servant = servant_at(places[below(places_used)]);
      if (unique && model.serves(servant)) continue;
      const SlotRef slot{next_slot++, 1};
      map.add(id, {slot, servant});
      model.entries.push_back({id, {slot, servant}});
    } else {
      const auto removed = map.remove(id);
      REQUIRE(removed.has_value() == (listed != model.entries.end()));
      if (removed) {
        CHECK(removed->slot == listed->object.slot);
        CHECK(removed->servant == listed->object.servant);
        model.entries.erase(listed);
      }
    }
    check_equal(map, model, places, unique);
  }
  CHECK(map.slots().size() == model.entries.size());
  CHECK(map.remove_all().size() == model.entries.size());
  CHECK(map.size() == 0);
  CHECK_FALSE(map.serves(servant_at(places[0])));
  CHECK(map.check_invariants());
}

TEST_CASE("the time for removing an object does not depend on how many objects its servant has") {
  // This test takes minutes if each removal looks through the objects of the servant.
  constexpr std::uint32_t count = 300'000;
  const int place = 0;
  ObjectMap map;
  for (std::uint32_t index = 0; index < count; ++index)
    map.add(std::to_string(index), {{index, 1}, servant_at(place)});
  std::uint32_t removed_count = 0;
  for (std::uint32_t index = 0; index < count; ++index)
    if (map.remove(std::to_string(index))) ++removed_count;
  CHECK(removed_count == count);
  CHECK_FALSE(map.serves(servant_at(place)));
}
