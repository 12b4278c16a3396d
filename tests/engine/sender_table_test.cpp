// The state that a server keeps for each sender of datagrams.
#include "engine/server/sender_table.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

using namespace perigee;
using namespace perigee::engine;

namespace {

constexpr TimePoint start{};

std::string name(std::size_t number) { return "diop://h:" + std::to_string(number); }

/// Opens a connection, adds one request and closes it.
void come_and_go(SenderTable& table, const std::string& peer) {
  (void)table.find_or_add(peer)->add(0, start);
}

}  // namespace

TEST_CASE("two connections of a sender at the same time share its request ids") {
  SenderTable table;
  const auto former = table.find_or_add("a");
  CHECK(former->add(2, start));
  const auto present = table.find_or_add("a");
  CHECK_FALSE(present->add(2, start));
  CHECK(present->add(4, start));
  CHECK_FALSE(former->add(4, start));
  CHECK(table.find_or_add("b")->add(2, start));
}

TEST_CASE("a sender is known after its connection has ended and other senders have come") {
  SenderTable table;
  come_and_go(table, "a");
  for (std::size_t number = 0; number < 100; ++number) come_and_go(table, name(number));
  CHECK_FALSE(table.find_or_add("a")->add(0, start));
}

TEST_CASE("senders without a connection are bounded, and the oldest are forgotten") {
  SenderTable table;
  for (std::size_t number = 0; number < 3 * SenderTable::kept_max; ++number) {
    come_and_go(table, name(number));
    CHECK(table.size() <= SenderTable::kept_max + 2);
  }
  CHECK(table.find_or_add(name(0))->add(0, start));
  CHECK_FALSE(table.find_or_add(name(3 * SenderTable::kept_max - 1))->add(0, start));
}

TEST_CASE("senders that send no request are not kept, and push no other sender out") {
  SenderTable table;
  come_and_go(table, "a");
  for (std::size_t number = 0; number < 3 * SenderTable::kept_max; ++number)
    (void)table.find_or_add(name(number));
  CHECK(table.size() < 10);
  CHECK_FALSE(table.find_or_add("a")->add(0, start));
}

TEST_CASE("the table keeps the senders of open connections, and stays bounded") {
  SenderTable table;
  constexpr std::size_t connections = 2 * SenderTable::kept_max;
  std::vector<std::shared_ptr<RecentRequests>> held;
  for (std::size_t number = 0; number < connections; ++number) {
    held.push_back(table.find_or_add(name(number)));
    CHECK(held.back()->add(0, start));
  }
  for (std::size_t number = 0; number < 4 * connections; ++number)
    come_and_go(table, name(connections + number));
  CHECK(table.size() <= connections + connections / 2 + SenderTable::kept_max);
  for (std::size_t number = 0; number < connections; ++number)
    CHECK_FALSE(table.find_or_add(name(number))->add(0, start));
}

TEST_CASE("after a minute without requests, the ids of a sender count as new") {
  RecentRequests requests;
  CHECK(requests.add(0, start));
  CHECK_FALSE(requests.add(0, start + RecentRequests::silence_max));
  CHECK(requests.add(0, start + 2 * RecentRequests::silence_max + std::chrono::seconds(1)));
}
