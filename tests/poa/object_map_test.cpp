// The active objects of an adapter, by id and by servant, against a plain list.
#include "poa/object_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace perigee::poa;

namespace {

using Places = std::array<int, 3>;

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
  std::vector<Entry> entries;
};

void check_equal(const ObjectMap& map, Model& model, const Places& places) {
  REQUIRE(map.check_invariants());
  REQUIRE(map.size() == model.entries.size());
  for (const Model::Entry& entry : model.entries) REQUIRE(map.find(entry.id) == entry.object.slot);
  for (const int& place : places) {
    const auto* const servant = servant_at(place);
    REQUIRE(map.serves(servant) == model.serves(servant));
    REQUIRE(map.find_by_servant(servant).has_value() == model.serves(servant));
  }
}

}  // namespace

TEST_CASE("objects are found by id and by servant after any sequence of changes") {
  const Places places{};
  std::minstd_rand random(7);
  const auto below = [&random](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  ObjectMap map;
  Model model;
  std::uint32_t next_slot = 0;
  for (int step = 0; step < 2000; ++step) {
    const std::string id(1, static_cast<char>('a' + below(10)));
    const auto listed = model.find(id);
    if (listed == model.entries.end() && below(3) != 0) {
      const ObjectMap::Object object{{next_slot++, 1}, servant_at(places[below(places.size())])};
      map.add(id, object);
      model.entries.push_back({id, object});
    } else {
      const auto removed = map.remove(id);
      REQUIRE(removed.has_value() == (listed != model.entries.end()));
      if (removed) {
        CHECK(removed->slot == listed->object.slot);
        CHECK(removed->servant == listed->object.servant);
        model.entries.erase(listed);
      }
    }
    check_equal(map, model, places);
  }
  CHECK(map.slots().size() == model.entries.size());
  CHECK(map.remove_all().size() == model.entries.size());
  CHECK(map.size() == 0);
  CHECK_FALSE(map.serves(servant_at(places[0])));
  CHECK(map.check_invariants());
}
