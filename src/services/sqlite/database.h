// A connection to a SQLite file, and prepared statements.
#pragma once

#include "services/sqlite/error.h"

#include <sqlite3.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::sqlite {

class Statement;

/// One connection. Used by one thread at a time.
class Database {
 public:
  enum class Create : std::uint8_t { no, yes };

  [[nodiscard]] static std::expected<Database, Error> open(const std::string& path, Create create);

  /// Runs statements without results.
  [[nodiscard]] std::expected<void, Error> run(const char* statements);
  [[nodiscard]] std::expected<Statement, Error> prepare(const char* text);
  /// The first number of the first row.
  [[nodiscard]] std::expected<std::int64_t, Error> number(const char* query);

  /// Rows that the last statement changed.
  [[nodiscard]] std::int64_t changes() const noexcept { return sqlite3_changes64(handle_.get()); }
  [[nodiscard]] std::int64_t last_row() const noexcept {
    return sqlite3_last_insert_rowid(handle_.get());
  }
  /// Ends a transaction that has failed, if SQLite has not done so itself.
  void roll_back() noexcept;
  /// The error of the last call, which returned `code`.
  [[nodiscard]] Error error(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
  };
  Database(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement of a connection, which must live longer. Parameters and columns count from
/// one and zero, as in SQLite.
class Statement {
 public:
  Statement() = default;
  Statement(const Database& database, sqlite3_stmt* handle)
      : database_(&database), handle_(handle) {}

  /// `octets` must stay until the statement is reset.
  Statement& bind(int parameter, std::string_view octets);
  Statement& bind(int parameter, std::uint64_t number);
  Statement& bind(int parameter, std::int64_t number);

  /// True: a row can be read. False: the statement is over.
  [[nodiscard]] std::expected<bool, Error> step();
  /// Runs a statement without rows.
  [[nodiscard]] std::expected<void, Error> run();
  /// Ends the statement; it can be used again.
  void reset() noexcept { sqlite3_reset(handle_.get()); }

  [[nodiscard]] std::string octets(int column) const;
  [[nodiscard]] std::int64_t number(int column) const noexcept {
    return sqlite3_column_int64(handle_.get(), column);
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const noexcept { sqlite3_finalize(handle); }
  };
  const Database* database_ = nullptr;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// Resets a statement at the end of a block.
class ResetAtEnd {
 public:
  explicit ResetAtEnd(Statement& statement) noexcept : statement_(statement) {}
  ~ResetAtEnd() { statement_.reset(); }
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;

 private:
  Statement& statement_;
};

}  // namespace perigee::sqlite
