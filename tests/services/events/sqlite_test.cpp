// The store in a file: what stays, limits, and which files are refused.
#include "services/events/sqlite_schema.h"
#include "services/events/store_calls.h"
#include "services/sqlite/database.h"
#include "support/temporary_folder.h"
#include <perigee/services/events/sqlite_store.h>

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace perigee::events::test {

namespace {

using perigee::test::TemporaryFolder;
using sqlite::Database;
using StoreRef = std::unique_ptr<EventStore>;

StoreRef open(const std::string& path, const SqliteEventStoreOptions& options = {},
              EventListener listener = {}) {
  auto store = open_sqlite_event_store(path, options).value();
  store->open_channel("news", std::move(listener)).value();
  return store;
}

StoreError refusal(const std::string& path) {
  const auto store = open_sqlite_event_store(path);
  return store ? StoreError{StoreError::Kind::failed, "was opened"} : store.error();
}

void run(const std::string& path, const char* statements) {
  auto database = Database::open(path, Database::Create::yes).value();
  REQUIRE(database.run(statements));
}

std::int64_t number(const std::string& path, const char* query) {
  return Database::open(path, Database::Create::no).value().number(query).value();
}

/// A request of the store that does nothing: what was removed in the background is gone then.
void wait_for_removal(EventStore& store, const std::string& path, std::int64_t events) {
  while (number(path, "SELECT count(*) FROM events") > events) (void)subscriptions(store);
}

}  // namespace

TEST_CASE("events, subscriptions and acknowledgements survive a restart, and numbers go on") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a folder/events.db");
  {
    const auto store = open(path);
    CHECK(append(*store, "a") == 1);
    CHECK(subscribe(*store, "late").value().acknowledged == 1);
    CHECK(subscribe(*store, "all", Begin::first_event).value().acknowledged == 0);
    CHECK(append(*store, "b") == 2);
    CHECK(append(*store, std::string("\0c", 2)) == 3);
    CHECK(acknowledge(*store, "late", 2));
  }
  const auto store = open(path);
  CHECK(left(*store, "late") == std::string("\0c", 2));
  CHECK(left(*store, "all") == std::string("ab\0c", 4));
  CHECK(append(*store, "d") == 4);
}

TEST_CASE("a number is never used again, also if all events were removed") {
  const TemporaryFolder folder;
  const std::string path = folder.file("events.db");
  {
    const auto store = open(path);
    CHECK(subscribe(*store, "s"));
    for (const SequenceNumber number : {1U, 2U, 3U}) CHECK(append(*store, "x") == number);
    CHECK(acknowledge(*store, "s", 3));
    wait_for_removal(*store, path, 0);
  }
  CHECK(append(*open(path), "y") == 4);
}

TEST_CASE("events stay until all subscriptions have acknowledged them") {
  const TemporaryFolder folder;
  const std::string path = folder.file("events.db");
  const auto store = open(path);
  CHECK(subscribe(*store, "slow"));
  CHECK(subscribe(*store, "fast"));
  for (int count = 0; count < 2'500; ++count) CHECK(append(*store, "x"));
  CHECK(acknowledge(*store, "fast", 2'500));
  CHECK(number(path, "SELECT count(*) FROM events") == 2'500);
  CHECK(acknowledge(*store, "slow", 10));
  wait_for_removal(*store, path, 2'490);
  CHECK(unsubscribe(*store, "slow"));
  wait_for_removal(*store, path, 0);
  CHECK(number(path, "SELECT octets FROM channels") == 0);
  CHECK(number(path, "SELECT events FROM channels") == 0);
}

TEST_CASE("the channel knows its subscriptions, and refuses those beyond the limit") {
  const TemporaryFolder folder;
  const auto store = open(folder.file("events.db"), {.subscriptions_max = 2});
  CHECK(append(*store, "a"));
  CHECK(subscribe(*store, "one"));
  CHECK(subscribe(*store, std::string("<b>\0", 4)));
  CHECK(subscribe(*store, "three").error().kind == StoreError::Kind::full);
  CHECK(subscribe(*store, "one", Begin::first_event).value().acknowledged == 1);
  CHECK(subscriptions(*store).size() == 2);
  CHECK(unsubscribe(*store, "none").error().kind == StoreError::Kind::no_subscription);
  CHECK(acknowledge(*store, "none", 1).error().kind == StoreError::Kind::no_subscription);
  CHECK(read(*store, "none").error().kind == StoreError::Kind::no_subscription);
}

TEST_CASE("an acknowledgement beyond the last event does not cover later events") {
  const TemporaryFolder folder;
  const auto store = open(folder.file("events.db"));
  CHECK(subscribe(*store, "s"));
  CHECK(append(*store, "a"));
  CHECK(acknowledge(*store, "s", ~SequenceNumber{0}));
  CHECK(acknowledge(*store, "s", 0));
  CHECK(append(*store, "b"));
  CHECK(left(*store, "s") == "b");
}

TEST_CASE("a read has limits of events and octets, and one event always fits") {
  const TemporaryFolder folder;
  const auto store = open(folder.file("events.db"));
  CHECK(subscribe(*store, "s"));
  for (int count = 0; count < 5; ++count) CHECK(append(*store, std::string(100, 'x')));
  CHECK(read(*store, "s", 0, 3).value().size() == 3);
  CHECK(read(*store, "s", 3, 3).value().size() == 2);
  CHECK(read(*store, "s", 0, 9, 250).value().size() == 2);
  CHECK(read(*store, "s", 0, 9, 1).value().size() == 1);
  CHECK(read(*store, "s", 5).value().empty());
  CHECK(read(*store, "s", ~SequenceNumber{0}).value().empty());
}

TEST_CASE("the limits of a channel remove its oldest events, and count what subscriptions miss") {
  const TemporaryFolder folder;
  const auto store = open(folder.file("events.db"), {.events_max = 3, .octets_max = 10});
  CHECK(subscribe(*store, "s"));
  for (const char* octets : {"a", "b", "c", "d"}) CHECK(append(*store, octets));
  CHECK(left(*store, "s") == "bcd");
  CHECK(append(*store, "123456789"));
  CHECK(left(*store, "s") == "d123456789");
  CHECK(append(*store, "1234567890"));
  CHECK(left(*store, "s") == "1234567890");
  CHECK(subscriptions(*store).at(0).missed == 5);
  CHECK(append(*store, "12345678901").error().kind == StoreError::Kind::too_large);
}

TEST_CASE("a full channel can refuse events until they are acknowledged") {
  const TemporaryFolder folder;
  const auto store = open(folder.file("events.db"), {.events_max = 2, .at_limit = AtLimit::refuse});
  CHECK(append(*store, "a"));
  CHECK(append(*store, "b"));
  CHECK(append(*store, "c"));  // there is no subscription yet
  CHECK(subscribe(*store, "s", Begin::first_event));
  CHECK(append(*store, "d").error().kind == StoreError::Kind::full);
  CHECK(acknowledge(*store, "s", 2));
  CHECK(append(*store, "d"));
  CHECK(left(*store, "s") == "cd");
  CHECK(subscriptions(*store).at(0).missed == 0);
}

TEST_CASE("events that are too old are removed") {
  const TemporaryFolder folder;
  std::atomic<std::int64_t> time = 1'000'000;
  const auto store = open(folder.file("events.db"), {.age_max = std::chrono::seconds(10),
                                                     .wall_clock = [&] { return time.load(); }});
  CHECK(subscribe(*store, "s"));
  CHECK(append(*store, "a"));
  time += 9'000;
  CHECK(append(*store, "b"));
  time += 1'000;
  CHECK(append(*store, "c"));
  CHECK(left(*store, "s") == "bc");
  CHECK(subscriptions(*store).at(0).missed == 1);
}

TEST_CASE("the listener gets each event in order, before its append is reported") {
  const TemporaryFolder folder;
  std::vector<StoredEvent> heard;
  const auto store = open(folder.file("events.db"), {.group_max = 7},
                          [&](const StoredEvent& event) { heard.push_back(event); });
  std::atomic<int> done = 0;
  for (int count = 0; count < 100; ++count)
    store->append("news", std::to_string(count), [&](const auto& result) {
      CHECK(result.value() == heard.back().number);
      ++done;
    });
  (void)subscriptions(*store);
  CHECK(done == 100);
  for (std::size_t index = 0; index < 100; ++index) {
    CHECK(heard.at(index).number == index + 1);
    CHECK(heard.at(index).octets == std::to_string(index));
  }
}

TEST_CASE("channels of one file have events and numbers of their own") {
  const TemporaryFolder folder;
  const auto store = open(folder.file("events.db"));
  store->open_channel("prices", {}).value();
  CHECK(subscribe(*store, "s"));
  CHECK(append(*store, "a", "prices") == 1);
  CHECK(append(*store, "b") == 1);
  CHECK(left(*store, "s") == "b");
}

TEST_CASE(
    "the store refuses requests beyond its limits, and does the waiting ones before it ends") {
  const TemporaryFolder folder;
  const std::string path = folder.file("events.db");
  std::atomic<int> made = 0;
  std::atomic<int> busy = 0;
  {
    const auto store = open(path, {.waiting_max = 2});
    // Another connection keeps the thread of the store waiting.
    auto other = Database::open(path, Database::Create::no).value();
    REQUIRE(other.run("BEGIN IMMEDIATE"));
    for (int count = 0; count < 10; ++count)
      store->append("news", "x", [&](const auto& result) { ++(result ? made : busy); });
    CHECK(busy >= 6);
    REQUIRE(other.run("COMMIT"));
  }
  CHECK(made + busy == 10);
  CHECK(number(path, "SELECT count(*) FROM events") == made);
}

TEST_CASE("files that hold no events of this version are refused and stay as they are") {
  const TemporaryFolder folder;
  const std::string other = folder.file("other.db");
  run(other, "CREATE TABLE other (a);");
  CHECK(refusal(other).text.contains("a database of another program"));

  const std::string later = folder.file("later.db");
  run(later, "PRAGMA application_id = 1348953462; PRAGMA user_version = 99; CREATE TABLE t (a);");
  CHECK(refusal(later).kind == StoreError::Kind::newer);
  CHECK(refusal(later).text.contains("use a later version of Perigee"));
  CHECK(number(later, "PRAGMA user_version") == 99);

  const std::string text = folder.file("text");
  std::ofstream(text) << std::string(5'000, 'x');
  CHECK(refusal(text).kind == StoreError::Kind::corrupt);
  CHECK(std::filesystem::file_size(text) == 5'000);
  CHECK(refusal(folder.path()).kind == StoreError::Kind::read_only);
  CHECK(refusal("/proc/none/events.db").kind == StoreError::Kind::read_only);

  const std::string used = folder.file("used.db");
  const auto store = open(used);
  CHECK(refusal(used).text.contains("another event service uses the file"));
}

TEST_CASE("rows that no store has written give an error, and not lost events") {
  const TemporaryFolder folder;
  const std::string path = folder.file("events.db");
  {
    const auto store = open(path);
    CHECK(subscribe(*store, "s"));
    CHECK(append(*store, "a"));
  }
  run(path, "UPDATE subscriptions SET acknowledged = 77; UPDATE channels SET last = 0;");
  {
    const auto store = open(path);
    CHECK(append(*store, "b") == 2);
    CHECK(left(*store, "s") == "b");
  }
  run(path, "UPDATE channels SET octets = -1;");
  const auto store = open_sqlite_event_store(path).value();
  CHECK(store->open_channel("news", {}).error().kind == StoreError::Kind::corrupt);
}

TEST_CASE("the requests of a damaged channel fail, and those of other channels do not") {
  const TemporaryFolder folder;
  const std::string path = folder.file("events.db");
  {
    const auto store = open(path);
    store->open_channel("damaged", {}).value();
  }
  run(path, "UPDATE channels SET last = 9223372036854775806 WHERE name = CAST('damaged' AS BLOB)");
  const auto store = open(path);
  CHECK(store->open_channel("damaged", {}).error().kind == StoreError::Kind::corrupt);
  auto other = Database::open(path, Database::Create::no).value();
  REQUIRE(other.run("BEGIN IMMEDIATE"));  // so that the next requests become one group
  std::atomic<int> good = 0;
  std::atomic<int> bad = 0;
  for (int count = 0; count < 20; ++count) {
    store->append("damaged", "x", [&](const auto& result) {
      bad += static_cast<int>(!result && result.error().kind == StoreError::Kind::corrupt);
    });
    store->append("never opened", "x",
                  [&](const auto& result) { bad += static_cast<int>(!result); });
    store->append("news", "x", [&](const auto& result) { good += result ? 1 : 0; });
  }
  REQUIRE(other.run("COMMIT"));
  (void)subscriptions(*store);
  CHECK(good == 20);
  CHECK(bad == 40);
}

TEST_CASE("a failed transaction does not keep a full channel from removing what is done") {
  const TemporaryFolder folder;
  const std::string path = folder.file("events.db");
  {
    const auto store = open(path);
    CHECK(subscribe(*store, "s"));
    for (int count = 0; count < 2'500; ++count) CHECK(append(*store, "x"));
  }
  run(path,
      "CREATE TRIGGER refuse BEFORE INSERT ON events WHEN NEW.octets = CAST('bad' AS BLOB)"
      " BEGIN SELECT RAISE(ABORT, 'the test lets it fail'); END");
  const auto store = open(path, {.events_max = 1'500, .at_limit = AtLimit::refuse, .group_max = 1});
  auto other = Database::open(path, Database::Create::no).value();
  REQUIRE(other.run("BEGIN IMMEDIATE"));  // so that no removal comes between the requests
  std::atomic<int> failures = 0;
  store->acknowledge("news", "s", 2'500, [](const auto& result) { CHECK(result); });
  store->append("news", "bad", [&](const auto& result) { failures += result ? 0 : 1; });
  REQUIRE(other.run("COMMIT"));
  CHECK(append(*store, "y").value_or(0) == 2'501);
  CHECK(failures == 1);
  wait_for_removal(*store, path, 1);
}

TEST_CASE("a symbolic link to a file in use is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.file("events.db");
  const auto store = open(path);
  const std::string link = folder.file("link.db");
  std::filesystem::create_symlink(path, link);
  CHECK(refusal(link).kind == StoreError::Kind::busy);
}

TEST_CASE("a database that cannot have a write-ahead log is refused") {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const StoreError error = refusal(":memory:");
  std::filesystem::current_path(before);
  CHECK(error.text.contains("name a file on a local disk"));
}

// PERIGEE_SEED repeats a run.
TEST_CASE("a file with damaged octets gives errors or events, and never ends the process") {
  const TemporaryFolder folder;
  const std::string path = folder.file("events.db");
  {
    const auto store = open(path);
    CHECK(subscribe(*store, "s"));
    for (int count = 0; count < 300; ++count) CHECK(append(*store, std::string(300, 'x')));
  }
  std::ifstream whole(path, std::ios::binary);
  const std::string octets((std::istreambuf_iterator<char>(whole)), {});
  const char* const given = std::getenv("PERIGEE_SEED");
  const auto seed = given == nullptr ? std::random_device()() : std::stoul(given);
  CAPTURE(seed);
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  for (int round = 0; round < 100; ++round) {
    std::string damaged = octets;
    for (int count = 0; count < 20; ++count)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    std::filesystem::remove(path + "-wal");
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    const auto store = open_sqlite_event_store(path);
    if (!store || !store.value()->open_channel("news", {})) continue;
    (void)append(**store, "y");
    (void)read(**store, "s");
    (void)acknowledge(**store, "s", 150);
  }
}

}  // namespace perigee::events::test
