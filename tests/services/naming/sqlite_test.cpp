// The store in a file: what stays, which files are refused, and conversions.
#include "services/naming/sqlite_schema.h"
#include "services/naming/sqlite_writer.h"
#include "services/naming/store_changes.h"
#include "services/sqlite/database.h"
#include "support/temporary_folder.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

namespace perigee::naming::test {

namespace {

using perigee::test::TemporaryFolder;
using sqlite::Database;

StoreError refusal(const std::string& path) {
  const auto store = open_sqlite_store(path);
  return store ? StoreError{StoreError::Kind::failed, "was opened"} : store.error();
}

void run(const std::string& path, const char* statements) {
  auto database = Database::open(path, Database::Create::yes).value();
  REQUIRE(database.run(statements));
}

std::int64_t number(const std::string& path, const char* query) {
  return Database::open(path, Database::Create::no).value().number(query).value();
}

}  // namespace

TEST_CASE("names, contexts and the identity of the store survive a restart") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a folder/names.db");
  std::uint64_t identity = 0;
  ContextNumber context = 0;
  {
    const auto store = open_sqlite_store(path).value();
    identity = store->identity();
    CHECK(add(*store, "a") == Outcome::done);
    context = make(*store, change_of(Change::Kind::bind_new_context, "c")).value().made;
    CHECK(add(*store, "inner", context) == Outcome::done);
  }
  const auto store = open_sqlite_store(path).value();
  CHECK(store->identity() == identity);
  CHECK(reference_of(*store, "a") == "ref a");
  CHECK(reference_of(*store, "inner", context) == "ref inner");
}

TEST_CASE("a sweep reads the index of leases, and no whole context") {
  const TemporaryFolder folder;
  const std::string path = folder.file("names.db");
  (void)open_sqlite_store(path).value();
  auto database = Database::open(path, Database::Create::no).value();
  const std::string query = std::string("EXPLAIN QUERY PLAN ") + SqliteWriter::statement_of_sweep();
  auto plan = database.prepare(query.c_str()).value();
  std::size_t searches = 0;
  while (plan.step().value()) {
    const std::string detail = plan.octets(3);
    CAPTURE(detail);
    CHECK_FALSE(detail.contains("SCAN"));
    CHECK_FALSE(detail.contains("PRIMARY KEY"));
    if (detail.contains("INDEX leases (expires<?)")) ++searches;
  }
  CHECK(searches == 2);
}

TEST_CASE("a store with a group size of zero makes one change at a time") {
  const TemporaryFolder folder;
  const auto store = open_sqlite_store(folder.file("names.db"), {.group_max = 0}).value();
  CHECK(add(*store, "a") == Outcome::done);
}

TEST_CASE("a second store refuses the file of the first store") {
  const TemporaryFolder folder;
  const std::string path = folder.file("names.db");
  auto first = open_sqlite_store(path).value();
  CHECK(refusal(path).kind == StoreError::Kind::busy);
  CHECK(refusal(path).text.contains("another naming service uses the file"));
  first.reset();
  CHECK(open_sqlite_store(path));
}

TEST_CASE("a file of version 1 is converted and keeps its bindings") {
  const TemporaryFolder folder;
  const std::string path = folder.file("names.db");
  run(path,
      "PRAGMA application_id = 1348955757; PRAGMA user_version = 1;"
      "CREATE TABLE store (identity INTEGER NOT NULL); INSERT INTO store VALUES (42);"
      "CREATE TABLE contexts (number INTEGER PRIMARY KEY AUTOINCREMENT);"
      "INSERT INTO contexts VALUES (1);"
      "CREATE TABLE bindings (context INTEGER NOT NULL, id BLOB NOT NULL, kind BLOB NOT NULL,"
      " sort INTEGER NOT NULL, target INTEGER NOT NULL, reference BLOB NOT NULL,"
      " PRIMARY KEY (context, id, kind)) WITHOUT ROWID;"
      "INSERT INTO bindings VALUES (1, x'61', x'6b', 0, 0, x'6f6c64');");
  {
    const auto store = open_sqlite_store(path).value();
    CHECK(store->identity() == 42);
    CHECK(reference_of(*store, "a") == "old");
    CHECK(add(*store, "b") == Outcome::done);
  }
  CHECK(number(path, "PRAGMA user_version") == schema_of_names().version());
}

TEST_CASE("a file of a later version is refused and stays as it is") {
  const TemporaryFolder folder;
  const std::string path = folder.file("names.db");
  run(path,
      "PRAGMA application_id = 1348955757; PRAGMA user_version = 99; CREATE TABLE later (a);");
  CHECK(refusal(path).kind == StoreError::Kind::newer);
  CHECK(refusal(path).text.contains("use a later version of Perigee"));
  CHECK(number(path, "PRAGMA user_version") == 99);
}

TEST_CASE("a file of a negative version is refused, and the error advises a backup") {
  const TemporaryFolder folder;
  const std::string path = folder.file("names.db");
  run(path,
      "PRAGMA application_id = 1348955757; PRAGMA user_version = -1; CREATE TABLE later (a);");
  CHECK(refusal(path).text.contains("the file has the version -1, which no Perigee has written"));
  CHECK(number(path, "PRAGMA user_version") == -1);
}

TEST_CASE("files of other programs are refused and stay as they are") {
  const TemporaryFolder folder;
  const std::string database = folder.file("other.db");
  run(database, "CREATE TABLE other (a);");
  CHECK(refusal(database).text.contains("a database of another program"));
  CHECK(number(database, "SELECT count(*) FROM sqlite_schema") == 1);

  const std::string text = folder.file("text");
  std::ofstream(text) << std::string(5'000, 'x');
  CHECK(refusal(text).kind == StoreError::Kind::corrupt);
  CHECK(std::filesystem::file_size(text) == 5'000);
}

TEST_CASE("a damaged page gives an error, and not wrong names") {
  const TemporaryFolder folder;
  const std::string path = folder.file("names.db");
  {
    const auto store = open_sqlite_store(path).value();
    for (int count = 0; count < 500; ++count)
      store->change(change_of(Change::Kind::bind, std::to_string(count)), [](const Result&) {});
  }
  const auto size = std::filesystem::file_size(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096 * 2);  // keeps the first pages, which have the schema
  file << std::string(size - 4096 * 2, '\x5a');
  file.close();
  const auto store = open_sqlite_store(path);
  const StoreError error =
      store ? store.value()->list(root_context, nullptr, 1000, 0).error() : store.error();
  CHECK(error.kind == StoreError::Kind::corrupt);
  CHECK(error.text.contains(path));
}

TEST_CASE("a folder in place of the file is refused") {
  const TemporaryFolder folder;
  CHECK(refusal(folder.path()).kind == StoreError::Kind::read_only);
  CHECK(refusal("/proc/none/names.db").kind == StoreError::Kind::read_only);
}

TEST_CASE("changes that wait together are made in their order, and all are reported") {
  const TemporaryFolder folder;
  const auto store = open_sqlite_store(folder.file("names.db"), {.group_max = 7}).value();
  std::atomic<int> done = 0;
  std::atomic<int> repeated = 0;
  const auto count = [&](const Result& result) {
    if (result.value().outcome == Outcome::already_bound) ++repeated;
    ++done;
  };
  for (int number = 0; number < 100; ++number)
    store->change(change_of(Change::Kind::bind, std::to_string(number % 50)), count);
  CHECK(add(*store, "last") == Outcome::done);
  CHECK(done == 100);
  CHECK(repeated == 50);
}

TEST_CASE("the store refuses further changes when too many wait") {
  const TemporaryFolder folder;
  const std::string path = folder.file("names.db");
  const auto store = open_sqlite_store(path, {.waiting_max = 2}).value();
  // Another connection keeps the thread of the store waiting.
  auto other = Database::open(path, Database::Create::no).value();
  REQUIRE(other.run("BEGIN IMMEDIATE"));
  std::atomic<int> busy = 0;
  std::atomic<int> made = 0;
  for (int number = 0; number < 10; ++number)
    store->change(change_of(Change::Kind::bind, std::to_string(number)),
                  [&](const Result& result) { ++(result ? made : busy); });
  CHECK(busy >= 6);
  REQUIRE(other.run("COMMIT"));
  while (made + busy < 10) (void)make(*store, change_of(Change::Kind::rebind, "again"));
  CHECK(made >= 2);
}

TEST_CASE("the store makes the changes that wait before it ends") {
  const TemporaryFolder folder;
  const std::string path = folder.file("names.db");
  std::atomic<int> done = 0;
  {
    const auto store = open_sqlite_store(path).value();
    for (int number = 0; number < 100; ++number)
      store->change(change_of(Change::Kind::bind, std::to_string(number)),
                    [&](const Result& result) { done += result ? 1 : 0; });
  }
  CHECK(done == 100);
  CHECK(number(path, "SELECT count(*) FROM bindings") == 100);
}

}  // namespace perigee::naming::test
