// Each step leads from one version of the tables to the next. Steps never change; a new version
// appends one.
#include "services/naming/sqlite_schema.h"

#include <iterator>
#include <string>

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
constexpr std::int64_t application_id = 1348955757;

std::unexpected<StoreError> refuse(StoreError::Kind kind, std::string text) {
  return std::unexpected(StoreError{kind, std::move(text)});
}

/// A file of another program must not be changed.
std::expected<void, StoreError> check_owner(Database& database, const std::string& path) {
  const auto id = database.number("PRAGMA application_id");
  if (!id) return std::unexpected(id.error());
  if (*id == application_id) return {};
  const auto tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return std::unexpected(tables.error());
  if (*id != 0 || *tables != 0)
    return refuse(StoreError::Kind::corrupt,
                  path + ": this is a database of another program; name another file");
  return {};
}

std::expected<void, StoreError> make_steps(Database& database, std::int64_t version) {
  for (; version < schema_version(); ++version) {
    const std::string step =
        std::string(steps[version]) + "PRAGMA user_version = " + std::to_string(version + 1) + ";";
    if (auto made = database.run(step.c_str()); !made) return made;
  }
  return database.run("COMMIT");
}

}  // namespace

std::int64_t schema_version() noexcept { return std::ssize(steps); }

std::expected<void, StoreError> update_schema(Database& database, const std::string& path) {
  if (auto checked = check_owner(database, path); !checked) return checked;
  const auto version = database.number("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  if (*version == schema_version()) return {};
  if (*version < 0)
    return refuse(StoreError::Kind::newer,
                  path + ": the file has the version " + std::to_string(*version) +
                      ", which no Perigee has written; restore the file from a backup");
  if (*version > schema_version())
    return refuse(StoreError::Kind::newer,
                  path + ": version " + std::to_string(*version) +
                      " of the file is not known; this program reads versions up to " +
                      std::to_string(schema_version()) + "; use a later version of Perigee");
  if (auto begun = database.run("BEGIN IMMEDIATE"); !begun) return begun;
  auto made = make_steps(database, *version);
  if (!made) database.roll_back();
  return made;
}

}  // namespace perigee::naming
