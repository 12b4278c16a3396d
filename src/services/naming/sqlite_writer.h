// Makes changes in a SQLite file. Has no threads: the store groups changes, and begins and ends the
// transactions.
#pragma once

#include "services/naming/sqlite_database.h"

#include <optional>

namespace perigee::naming {

class SqliteWriter {
 public:
  /// `database` must live longer.
  [[nodiscard]] static std::expected<SqliteWriter, StoreError> make(Database& database,
                                                                    std::size_t contexts_max);

  /// Removes a part of the bindings whose leases have ended. Public so that tests can check its
  /// query plan.
  [[nodiscard]] static const char* statement_of_sweep() noexcept;

  [[nodiscard]] std::expected<void, StoreError> begin();
  /// On an error, the transaction has been rolled back.
  [[nodiscard]] std::expected<void, StoreError> commit();
  void roll_back() noexcept;
  /// Makes one change in the present transaction.
  [[nodiscard]] std::expected<ChangeResult, StoreError> apply(const Change& change);

 private:
  SqliteWriter(Database& database, std::size_t contexts_max) noexcept
      : database_(&database), contexts_max_(contexts_max) {}

  [[nodiscard]] std::expected<bool, StoreError> context_exists(ContextNumber context);
  /// Runs a statement that changes one row. If it changes no row, the result is `otherwise`.
  [[nodiscard]] std::expected<ChangeResult, StoreError> run(Statement& statement,
                                                            ChangeResult::Outcome otherwise);
  [[nodiscard]] std::expected<ChangeResult, StoreError> insert(Statement& statement,
                                                               const Change& change,
                                                               ChangeResult::Outcome otherwise);
  [[nodiscard]] std::expected<ChangeResult, StoreError> remove_expired(const Change& change);
  [[nodiscard]] std::expected<ChangeResult, StoreError> make_context();
  [[nodiscard]] std::expected<ChangeResult, StoreError> bind_new_context(Change change);
  [[nodiscard]] std::expected<ChangeResult, StoreError> destroy(const Change& change);

  Database* database_;
  std::size_t contexts_max_;
  std::size_t contexts_ = 0;           // in the present transaction
  std::size_t contexts_at_begin_ = 0;  // of the present transaction
  Statement begin_;
  Statement commit_;
  Statement has_context_;
  Statement bind_;
  Statement rebind_;
  Statement unbind_;
  Statement renew_;
  Statement make_context_;
  Statement drop_made_;
  Statement has_binding_;
  Statement remove_bindings_;
  Statement remove_context_;
  Statement remove_expired_;
  std::optional<ContextNumber> known_context_;  // exists in the present transaction; saves a query
};

}  // namespace perigee::naming
