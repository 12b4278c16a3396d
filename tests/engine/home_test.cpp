// Home: visiting its connections while connections begin and end.
#include "engine/both_ways.h"

#include <map>
#include <vector>

using namespace perigee;
using namespace perigee::test;

TEST_CASE("each connection of a home is visited once, although connections begin and end") {
  constexpr std::size_t count = 150;  // several chunks
  Side side;
  std::vector<MemoryPair> pairs;
  std::vector<Connection*> connections;
  const auto connect = [&] {
    pairs.push_back(make_memory_pair());
    connections.push_back(&side.connect(std::move(pairs.back().first), Role::opener));
  };
  while (connections.size() != count) connect();
  std::map<Connection*, int> visits;
  side.home.for_each([&](Connection& each) {
    if (visits.empty()) connect();
    ++visits[&each];
    if (visits.size() % 10 == 0) each.shut_down();
    if (visits.size() == 70) connections.front()->shut_down();  // would be visited last
  });
  CHECK(visits.size() >= count);
  for (const auto& [connection, number] : visits) CHECK(number == 1);
  side.home.for_each([&](Connection& each) { ++visits[&each]; });
  for (Connection* const each : connections)
    if (!each->ending()) CHECK(visits[each] == 2);
  for (Connection* const each : connections) each->drop_reference();
}
