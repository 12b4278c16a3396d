// The lock, the tables and the settings of a file.
#include "services/sqlite/file.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace perigee::sqlite {

namespace {

std::expected<void, Error> make_folders(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return std::unexpected(Error{Error::Kind::read_only,
                               folder.string() + ": cannot make the folder: " + error.message()});
}

/// The system ends the lock with the process. Symbolic links to a file have the same lock.
std::expected<Database, Error> lock_file(const std::string& path, const char* service) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  const std::string name = error ? path : target.string();
  auto lock = Database::open(name + ".lock", Database::Create::yes);
  if (!lock) return lock;
  if (const auto set = lock->run("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE"); !set) {
    if (set.error().kind == Error::Kind::busy)
      return std::unexpected(
          Error{Error::Kind::busy, path + ": another " + service + " uses the file; end it first"});
    return std::unexpected(set.error());
  }
  return lock;
}

/// SQLite keeps its former journal, without an error, where a write-ahead log is impossible. Then
/// reads and commits would wait for each other.
std::expected<void, Error> use_log(Database& database, const std::string& path) {
  auto query = database.prepare("PRAGMA journal_mode = WAL");
  if (!query) return std::unexpected(query.error());
  const auto row = query->step();
  if (!row) return std::unexpected(row.error());
  if (*row && query->octets(0) == "wal") return {};
  return std::unexpected(
      Error{Error::Kind::failed,
            path + ": a write-ahead log is impossible here; name a file on a local disk"});
}

std::expected<Database, Error> open_for_writing(const std::string& path, const Schema& schema) {
  auto database = Database::open(path, Database::Create::yes);
  if (!database) return database;
  // First, so that a file of another program stays as it is.
  if (const auto updated = update_schema(*database, path, schema); !updated)
    return std::unexpected(updated.error());
  if (const auto used = use_log(*database, path); !used) return std::unexpected(used.error());
  if (const auto set = database->run("PRAGMA synchronous = FULL"); !set)
    return std::unexpected(set.error());
  return database;
}

}  // namespace

std::expected<File, Error> open_file(const std::string& path, const Schema& schema,
                                     const char* service) {
  if (auto made = make_folders(path); !made) return std::unexpected(made.error());
  auto lock = lock_file(path, service);
  if (!lock) return std::unexpected(lock.error());
  auto writing = open_for_writing(path, schema);
  if (!writing) return std::unexpected(writing.error());
  auto reading = Database::open(path, Database::Create::no);
  if (!reading) return std::unexpected(reading.error());
  return File{std::move(*lock), std::move(*writing), std::move(*reading)};
}

}  // namespace perigee::sqlite
