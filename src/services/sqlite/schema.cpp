// A file of another program, or of a later version, stays as it is.
#include "services/sqlite/schema.h"

#include <string>

namespace perigee::sqlite {

namespace {

std::unexpected<Error> refuse(Error::Kind kind, std::string text) {
  return std::unexpected(Error{kind, std::move(text)});
}

std::expected<void, Error> check_owner(Database& database, const std::string& path,
                                       const Schema& schema) {
  const auto id = database.number("PRAGMA application_id");
  if (!id) return std::unexpected(id.error());
  if (*id == schema.application_id) return {};
  const auto tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return std::unexpected(tables.error());
  if (*id != 0 || *tables != 0)
    return refuse(Error::Kind::corrupt,
                  path + ": this is a database of another program; name another file");
  return {};
}

std::expected<void, Error> make_steps(Database& database, const Schema& schema,
                                      std::int64_t version) {
  for (; version < schema.version(); ++version) {
    const std::string step = schema.steps[static_cast<std::size_t>(version)] +
                             ("PRAGMA user_version = " + std::to_string(version + 1) + ";");
    if (auto made = database.run(step.c_str()); !made) return made;
  }
  return database.run("COMMIT");
}

}  // namespace

std::expected<void, Error> update_schema(Database& database, const std::string& path,
                                         const Schema& schema) {
  if (auto checked = check_owner(database, path, schema); !checked) return checked;
  const auto version = database.number("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  if (*version == schema.version()) return {};
  if (*version < 0)
    return refuse(Error::Kind::newer,
                  path + ": the file has the version " + std::to_string(*version) +
                      ", which no Perigee has written; restore the file from a backup");
  if (*version > schema.version())
    return refuse(Error::Kind::newer,
                  path + ": version " + std::to_string(*version) +
                      " of the file is not known; this program reads versions up to " +
                      std::to_string(schema.version()) + "; use a later version of Perigee");
  if (auto begun = database.run("BEGIN IMMEDIATE"); !begun) return begun;
  auto made = make_steps(database, schema, *version);
  if (!made) database.roll_back();
  return made;
}

}  // namespace perigee::sqlite
