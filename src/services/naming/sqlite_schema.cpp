// The steps between the versions of the tables.
#include "services/naming/sqlite_schema.h"

namespace perigee::naming {

namespace {

// `identity` is random: references to contexts contain it. Ids and kinds are compared as octets.
// A binding's `sort` is a TargetKind.
constexpr const char* steps[] = {
    "PRAGMA application_id = 1348955757;"  // "Pgnm"
    "CREATE TABLE store (identity INTEGER NOT NULL);"
    "INSERT INTO store VALUES (random());"
    "CREATE TABLE contexts (number INTEGER PRIMARY KEY AUTOINCREMENT);"
    "INSERT INTO contexts VALUES (1);"
    "CREATE TABLE bindings (context INTEGER NOT NULL, id BLOB NOT NULL, kind BLOB NOT NULL,"
    " sort INTEGER NOT NULL, target INTEGER NOT NULL, reference BLOB NOT NULL,"
    " PRIMARY KEY (context, id, kind)) WITHOUT ROWID;",
    // Leases.
    "ALTER TABLE bindings ADD COLUMN expires INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX leases ON bindings (expires) WHERE expires != 0;",
};
constexpr sqlite::Schema schema{.application_id = 1348955757, .steps = steps};

}  // namespace

const sqlite::Schema& schema_of_names() noexcept { return schema; }

}  // namespace perigee::naming
