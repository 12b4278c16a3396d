// Events in a file after a loss of power at any moment: of the writes that SQLite has not
// synchronised, none or only some are on the disk.
#include "store_calls.h"
#include "support/power_loss_disk.h"
#include "support/temporary_folder.h"
#include <perigee/services/events/sqlite_store.h>

#include <doctest/doctest.h>

#include <random>
#include <semaphore>
#include <string>
#include <vector>

namespace perigee::events::test {

namespace {

using perigee::test::PowerLossDisk;
using perigee::test::TemporaryFolder;
using Unsynced = PowerLossDisk::Unsynced;

constexpr SequenceNumber events = 1'500;  // large: SQLite copies its log into the file
constexpr int losses = 60;                // of each kind
constexpr std::ptrdiff_t at_once = 8;

std::string octets_of(SequenceNumber number) {
  std::string octets = "event " + std::to_string(number);
  octets.resize(2'000, '.');
  return octets;
}

/// Appends the events for one subscription, several at a time.
void append_events(const std::string& path, PowerLossDisk& disk) {
  std::counting_semaphore<at_once> free(at_once);
  const auto store = open_sqlite_event_store(path).value();
  REQUIRE(store->open_channel("news", {}));
  REQUIRE(subscribe(*store, "s"));
  for (SequenceNumber number = 1; number <= events; ++number) {
    free.acquire();
    store->append("news", octets_of(number), [&disk, &free](const auto& result) {
      if (result) disk.note_acknowledgement();
      free.release();
    });
  }
  for (std::ptrdiff_t each = 0; each < at_once; ++each) free.acquire();
}

/// At least the first `acknowledged` events are there, without a gap, and all as a whole.
void check_events(const std::string& path, std::size_t acknowledged) {
  if (acknowledged == 0) return;  // the channel may not exist yet
  const auto store = open_sqlite_event_store(path);
  REQUIRE_MESSAGE(store, (store ? "" : store.error().text));
  REQUIRE((*store)->open_channel("news", {}));
  const auto found = read(**store, "s", 0, events + 1, std::size_t{1} << 30);
  REQUIRE(found);
  REQUIRE(found->size() >= acknowledged);
  for (std::size_t at = 0; at < found->size(); ++at) {
    REQUIRE((*found)[at].number == at + 1);
    REQUIRE((*found)[at].octets == octets_of(at + 1));
  }
}

}  // namespace

TEST_CASE("acknowledged events survive a loss of power at any write, and no event is half there") {
  const unsigned seed = std::random_device()();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  const TemporaryFolder folder;
  PowerLossDisk disk;
  append_events(folder.file("events.db"), disk);
  disk.end();
  for (const Unsynced unsynced : {Unsynced::dropped, Unsynced::mixed})
    for (int loss = 0; loss < losses; ++loss) {
      const TemporaryFolder after;
      const std::size_t steps = random() % (disk.steps() + 1);
      INFO("steps ", steps);
      const std::size_t acknowledged = disk.restore(steps, unsynced, random, after.file(""));
      check_events(after.file("events.db"), acknowledged);
    }
}

}  // namespace perigee::events::test
