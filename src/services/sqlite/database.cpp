// Calls of SQLite's C interface.
#include "services/sqlite/database.h"

#include <perigee/base/log.h>

#include <utility>

namespace perigee::sqlite {

namespace {

constexpr int busy_time_ms = 5'000;

Error::Kind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return Error::Kind::full;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return Error::Kind::read_only;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Error::Kind::corrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error::Kind::busy;
    default:
      return Error::Kind::failed;
  }
}

const char* remedy_of(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::full:
      return "; make space on the file system";
    case Error::Kind::read_only:
      return "; the user of this process must be able to write the file and its folder";
    case Error::Kind::corrupt:
      return "; restore the file from a backup, or name another file";
    case Error::Kind::busy:
      return "; another program uses the file";
    default:
      return "";
  }
}

Error describe(const std::string& path, int code, const char* message) {
  const Error::Kind kind = kind_of(code);
  return {kind, path + ": " + message + remedy_of(kind)};
}

}  // namespace

std::expected<Database, Error> Database::open(const std::string& path, Create create) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (create == Create::yes ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  Database database(path, handle);
  if (code != SQLITE_OK)
    return std::unexpected(
        describe(path, code, handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle)));
  sqlite3_busy_timeout(handle, busy_time_ms);
  return database;
}

Error Database::error(int code) const {
  return describe(path_, code, sqlite3_errmsg(handle_.get()));
}

std::expected<void, Error> Database::run(const char* statements) {
  const int code = sqlite3_exec(handle_.get(), statements, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(error(code));
  return {};
}

void Database::roll_back() noexcept {
  if (sqlite3_get_autocommit(handle_.get()) != 0) return;  // there is no transaction
  if (const int code = sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
      code != SQLITE_OK)
    log::write(log::Level::error, "sqlite", sqlite3_errstr(code));
}

std::expected<Statement, Error> Database::prepare(const char* text) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_.get(), text, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return std::unexpected(error(code));
  return Statement(*this, statement);
}

std::expected<std::int64_t, Error> Database::number(const char* query) {
  auto statement = prepare(query);
  if (!statement) return std::unexpected(statement.error());
  const auto row = statement->step();
  if (!row) return std::unexpected(row.error());
  return *row ? statement->number(0) : 0;
}

Statement& Statement::bind(int parameter, std::string_view octets) {
  // A null pointer would bind NULL, and not an empty blob.
  sqlite3_bind_blob64(handle_.get(), parameter, octets.empty() ? "" : octets.data(), octets.size(),
                      SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind(int parameter, std::uint64_t number) {
  return bind(parameter, static_cast<std::int64_t>(number));
}

Statement& Statement::bind(int parameter, std::int64_t number) {
  sqlite3_bind_int64(handle_.get(), parameter, number);
  return *this;
}

std::expected<bool, Error> Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(database_->error(code));
}

std::expected<void, Error> Statement::run() {
  const auto row = step();
  reset();
  if (!row) return std::unexpected(row.error());
  return {};
}

std::string Statement::octets(int column) const {
  const void* const data = sqlite3_column_blob(handle_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
}

}  // namespace perigee::sqlite
