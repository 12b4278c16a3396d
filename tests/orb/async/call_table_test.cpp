// The table of calls by request id, against a map.
#include "orb/async/call_list.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace perigee::test {

namespace {

struct Call {
  std::uint32_t request_id;
};

}  // namespace

TEST_CASE("calls are found by their ids whatever ended before them") {
  std::mt19937 random(20261122);
  orb::CallTable<Call> table;
  std::map<std::uint32_t, std::unique_ptr<Call>> known;
  std::uint32_t next = 0xfffff000;  // the ids go round
  for (int step = 0; step < 20'000; ++step) {
    if (known.empty() || random() % 100 < 52) {
      table.reserve_one();
      do next += 2;
      while (!table.has_place(next));
      auto call = std::make_unique<Call>(Call{next});
      table.insert(*call);
      known.emplace(next, std::move(call));
    } else {
      const auto steps = random() % std::min<std::size_t>(known.size(), 50);
      const auto victim = std::next(known.begin(), static_cast<std::ptrdiff_t>(steps));
      table.erase(*victim->second);
      CHECK(table.find(victim->first) == nullptr);
      known.erase(victim);
    }
  }
  CHECK(table.size() == known.size());
  for (const auto& [id, call] : known) CHECK(table.find(id) == call.get());
  CHECK(table.find(2) == (known.contains(2) ? known[2].get() : nullptr));
}

TEST_CASE("an id has a place as soon as the call that stood there has ended") {
  orb::CallTable<Call> table;
  std::vector<Call> calls;
  for (std::uint32_t id = 0; id != 20; id += 2) calls.push_back({id});
  for (Call& call : calls) {
    table.reserve_one();
    table.insert(call);
  }
  std::uint32_t beside = 2;  // an id whose place is that of calls[0]
  while (table.has_place(beside) || beside < 20) beside += 2;
  CHECK(table.find(beside) == nullptr);
  table.erase(calls[0]);
  CHECK(table.has_place(0));
  CHECK(table.has_place(beside));
  CHECK_FALSE(table.has_place(2));
  CHECK(table.find(2) == &calls[1]);
}

}  // namespace perigee::test
