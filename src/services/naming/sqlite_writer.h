// Makes changes in a SQLite file. Has no threads: the store groups changes, and begins and ends the
// transactions.
#pragma once

#include "services/sqlite/database.h"
#include <perigee/services/naming/store.h>

#include <optional>

namespace perigee::naming {

class SqliteWriter {
 public:
  /// `database` must live longer.
  [[nodiscard]] static std::expected<SqliteWriter, sqlite::Error> make(sqlite::Database& database,
                                                                       std::size_t contexts_max);

  /// Removes a part of the bindings whose leases have ended. Public so that tests can check its
  /// query plan.
  [[nodiscard]] static const char* statement_of_sweep() noexcept;

  [[nodiscard]] std::expected<void, sqlite::Error> begin();
  /// On an error, the transaction has been rolled back.
  [[nodiscard]] std::expected<void, sqlite::Error> commit();
  void roll_back() noexcept;
  /// Makes one change in the present transaction.
  [[nodiscard]] std::expected<ChangeResult, sqlite::Error> apply(const Change& change);

 private:
  SqliteWriter(sqlite::Database& database, std::size_t contexts_max) noexcept
      : database_(&database), contexts_max_(contexts_max) {}

  [[nodiscard]] std::expected<bool, sqlite::Error> context_exists(ContextNumber context);
  /// Runs a statement that changes one row. If it changes no row, the result is `otherwise`.
  [[nodiscard]] std::expected<ChangeResult, sqlite::Error> run(sqlite::Statement& statement,
                                                               ChangeResult::Outcome otherwise);
  [[nodiscard]] std::expected<ChangeResult, sqlite::Error> insert(sqlite::Statement& statement,
                                                                  const Change& change,
                                                                  ChangeResult::Outcome otherwise);
  [[nodiscard]] std::expected<ChangeResult, sqlite::Error> remove_expired(const Change& change);
  [[nodiscard]] std::expected<ChangeResult, sqlite::Error> make_context();
  [[nodiscard]] std::expected<ChangeResult, sqlite::Error> bind_new_context(Change change);
  [[nodiscard]] std::expected<ChangeResult, sqlite::Error> destroy(const Change& change);

  sqlite::Database* database_;
  std::size_t contexts_max_;
  std::size_t contexts_ = 0;           // in the present transaction
  std::size_t contexts_at_begin_ = 0;  // of the present transaction
  sqlite::Statement begin_;
  sqlite::Statement commit_;
  sqlite::Statement has_context_;
  sqlite::Statement bind_;
  sqlite::Statement rebind_;
  sqlite::Statement unbind_;
  sqlite::Statement renew_;
  sqlite::Statement make_context_;
  sqlite::Statement drop_made_;
  sqlite::Statement has_binding_;
  sqlite::Statement remove_bindings_;
  sqlite::Statement remove_context_;
  sqlite::Statement remove_expired_;
  std::optional<ContextNumber> known_context_;  // exists in the present transaction; saves a query
};

}  // namespace perigee::naming
