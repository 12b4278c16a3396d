// The steps between the versions of the tables.
#include "services/events/sqlite_schema.h"

namespace perigee::events {

namespace {

// `last` is the largest number that the channel has used; `events` and `octets` count its rows in
// the table of events. Names are compared as octets. Times are in milliseconds since 1970.
constexpr const char* steps[] = {
    "PRAGMA application_id = 1348953462;"  // "Pgev"
    "CREATE TABLE channels (channel INTEGER PRIMARY KEY AUTOINCREMENT, name BLOB NOT NULL UNIQUE,"
    " last INTEGER NOT NULL DEFAULT 0, events INTEGER NOT NULL DEFAULT 0,"
    " octets INTEGER NOT NULL DEFAULT 0);"
    "CREATE TABLE events (channel INTEGER NOT NULL, number INTEGER NOT NULL,"
    " time INTEGER NOT NULL, octets BLOB NOT NULL, PRIMARY KEY (channel, number)) WITHOUT ROWID;"
    "CREATE TABLE subscriptions (channel INTEGER NOT NULL, name BLOB NOT NULL,"
    " acknowledged INTEGER NOT NULL, missed INTEGER NOT NULL, PRIMARY KEY (channel, name))"
    " WITHOUT ROWID;",
};
constexpr sqlite::Schema schema{.application_id = 1348953462, .steps = steps};

}  // namespace

const sqlite::Schema& schema_of_events() noexcept { return schema; }

}  // namespace perigee::events
