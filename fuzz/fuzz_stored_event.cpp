// Rows of a file of durable events. The first octet selects what the other octets are: an event for
// the codec of the service, or the numbers in the rows of a store. A damaged file must give errors
// or events. An event that was decoded must be the same after it was stored again.
#include "require.h"
#include "services/events/event_codec.h"
#include "services/events/sqlite_reader.h"
#include "services/events/sqlite_schema.h"
#include "services/events/sqlite_writer.h"
#include "services/sqlite/schema.h"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace perigee;
using namespace perigee::events;
using fuzz::require;

const EventCodec& codec() {
  static std::vector<std::string> options = {"fuzz_stored_event", "-ORBTraceLevel", "off"};
  static const auto orb = CORBA::ORB_init(options, "fuzz");
  static const EventCodec made(orb);
  return made;
}

void try_event(std::string_view octets) {
  const auto data = codec().decode(octets);
  if (!data) return;
  try {
    const std::string stored = codec().encode(*data);
    const auto again = codec().decode(stored);
    require(again.has_value());
    require(codec().encode(*again) == stored);
  } catch (const CORBA::BAD_PARAM&) {  // a valuetype
    return;
  }
}

/// Opens a store with damaged rows. The octets are four numbers of 8 octets for these rows.
void try_rows(std::string_view octets) {
  std::int64_t numbers[4] = {};
  std::memcpy(numbers, octets.data(), std::min(octets.size(), sizeof(numbers)));
  auto database = sqlite::Database::open(":memory:", sqlite::Database::Create::yes).value();
  require(sqlite::update_schema(database, ":memory:", schema_of_events()).has_value());
  const std::string rows =
      "INSERT INTO channels VALUES (1, x'61', " + std::to_string(numbers[0]) + ", " +
      std::to_string(numbers[1]) + ", 1);INSERT INTO subscriptions VALUES (1, x'73', " +
      std::to_string(numbers[2]) + ", 0);INSERT INTO events VALUES (1, " +
      std::to_string(numbers[3]) + ", 0, x'7a');INSERT INTO events VALUES (1, 7, 'text', 8.5)";
  (void)database.run(rows.c_str());
  auto writer = SqliteWriter::make(database, {.events_max = 2}).value();
  require(writer.begin(0).has_value());
  if (!writer.open("a")) return writer.roll_back();
  const auto number = writer.append("a", "b");
  if (number && *number) {
    require(**number > 0);
    (void)writer.acknowledge("a", "s", **number - 1);
  }
  (void)writer.commit();
  auto reader = SqliteReader::make(database).value();
  (void)reader.read({"a", "s", 0, 9, 100});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view octets(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0)
    try_event(octets);
  else
    try_rows(octets);
  return 0;
}
