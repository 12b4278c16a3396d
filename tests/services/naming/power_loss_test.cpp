// Names in a file after a loss of power at any moment: of the writes that SQLite has not
// synchronised, none or only some are on the disk.
#include "services/naming/store_changes.h"
#include "support/power_loss_disk.h"
#include "support/temporary_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <random>
#include <semaphore>
#include <string>
#include <vector>

namespace perigee::naming::test {

namespace {

using perigee::test::PowerLossDisk;
using perigee::test::TemporaryFolder;
using Unsynced = PowerLossDisk::Unsynced;

constexpr int names = 1'500;  // with large references: SQLite copies its log into the file twice
constexpr int losses = 100;   // of each kind
constexpr std::ptrdiff_t at_once = 8;

std::string id_of(int number) { return "name" + std::to_string(number); }
std::string reference_of(int number) {
  std::string reference = "reference of " + id_of(number);
  reference.resize(2'000, '.');
  return reference;
}

/// Binds all names, several at a time. Returns them in the order of their acknowledgements.
std::vector<int> bind_names(const std::string& path, PowerLossDisk& disk) {
  std::vector<int> acknowledged;  // by the thread of the store
  std::counting_semaphore<at_once> free(at_once);
  const auto store = open_sqlite_store(path).value();
  for (int number = 0; number < names; ++number) {
    free.acquire();
    Change change = change_of(Change::Kind::bind, id_of(number));
    change.target.reference = reference_of(number);
    store->change(std::move(change), [&, number](const Result& result) {
      if (result && result->outcome == Outcome::done) {
        acknowledged.push_back(number);
        disk.note_acknowledgement();
      }
      free.release();
    });
  }
  for (std::ptrdiff_t each = 0; each < at_once; ++each) free.acquire();
  return acknowledged;
}

/// All names are bound as a whole or not at all, and the first `acknowledged` ones are bound.
void check_names(const std::filesystem::path& file, const std::vector<int>& order,
                 std::size_t acknowledged) {
  const auto store = open_sqlite_store(file.string());
  REQUIRE_MESSAGE(store, (store ? "" : store.error().text));
  std::vector<bool> is_bound(names);
  for (int number = 0; number < names; ++number) {
    const auto found = (*store)->find(root_context, {id_of(number), "k"});
    REQUIRE(found);
    if (!*found) continue;
    is_bound[static_cast<std::size_t>(number)] = true;
    REQUIRE((*found)->target.reference == reference_of(number));
  }
  for (std::size_t at = 0; at < acknowledged; ++at)
    REQUIRE(is_bound[static_cast<std::size_t>(order[at])]);
}

}  // namespace

TEST_CASE("acknowledged names survive a loss of power at any write, and no name is half bound") {
  const unsigned seed = std::random_device()();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  const TemporaryFolder folder;
  PowerLossDisk disk;
  const std::vector<int> order = bind_names(folder.file("names.db"), disk);
  disk.end();
  REQUIRE(order.size() == names);
  for (const Unsynced unsynced : {Unsynced::dropped, Unsynced::mixed})
    for (int loss = 0; loss < losses; ++loss) {
      const TemporaryFolder after;
      const std::size_t steps = random() % (disk.steps() + 1);
      INFO("steps ", steps);
      const std::size_t acknowledged = disk.restore(steps, unsynced, random, after.file(""));
      check_names(after.file("names.db"), order, acknowledged);
    }
}

}  // namespace perigee::naming::test
