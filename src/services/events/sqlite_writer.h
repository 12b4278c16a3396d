// Writes events and subscriptions to a SQLite file. Has no threads: the store groups requests, and
// begins and ends the transactions.
#pragma once

#include "services/sqlite/database.h"
#include <perigee/services/events/sqlite_store.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace perigee::events {

/// Keeps a copy of the rows of channels and subscriptions, so that most requests need no query.
/// Invariant between transactions: the copy of a loaded channel equals its rows.
class SqliteWriter {
 public:
  template <typename Value>
  using Result = std::expected<Value, sqlite::Error>;

  /// `database` must live longer.
  [[nodiscard]] static Result<SqliteWriter> make(sqlite::Database& database,
                                                 const SqliteEventStoreOptions& options);

  /// @name Transactions. `now` is in milliseconds since 1970-01-01 UTC.
  /// @{
  [[nodiscard]] Result<void> begin(std::int64_t now);
  /// Also removes events that are done or too old: a part, if there are many. On an error, the
  /// transaction has been rolled back.
  [[nodiscard]] Result<void> commit();
  void roll_back() noexcept;
  /// Whether `commit` has left events that can be removed.
  [[nodiscard]] bool has_more_to_remove() const noexcept { return !to_sweep_.empty(); }
  /// The next `commit` looks for events that are too old in all channels.
  void sweep_all();
  /// @}

  /// @name Requests in the present transaction. Each `channel` was opened before.
  /// @{
  [[nodiscard]] Result<void> open(const std::string& channel);
  /// Why requests of the channel must be refused: its rows are damaged, or it is not open. Changes
  /// nothing, so the other requests of the transaction can go on.
  [[nodiscard]] Result<std::optional<sqlite::Error>> check(const std::string& channel);
  /// Whether no channel keeps events of this size.
  [[nodiscard]] bool is_too_large(std::size_t octets) const noexcept;
  /// The number of the event, which is not too large. None: the channel is full.
  [[nodiscard]] Result<std::optional<SequenceNumber>> append(const std::string& channel,
                                                             const std::string& octets);
  /// None: the channel has as many subscriptions as it may.
  [[nodiscard]] Result<std::optional<Subscription>> subscribe(const std::string& channel,
                                                              const std::string& name, Begin begin);
  /// False: there is no such subscription.
  [[nodiscard]] Result<bool> unsubscribe(const std::string& channel, const std::string& name);
  /// False: there is no such subscription.
  [[nodiscard]] Result<bool> acknowledge(const std::string& channel, const std::string& name,
                                         SequenceNumber number);
  [[nodiscard]] Result<std::vector<Subscription>> subscriptions(const std::string& channel);
  /// @}

 private:
  struct Progress {
    SequenceNumber acknowledged = 0;
    std::uint64_t missed = 0;
    bool is_changed = false;  // in the present transaction
  };
  struct Channel {
    std::string name;
    std::int64_t row = 0;
    SequenceNumber last = 0;
    std::uint64_t events = 0;
    std::uint64_t octets = 0;
    std::map<std::string, Progress> subscriptions;
    bool is_loaded = false;
    bool is_missing = false;  // the file has no row: the transaction that made it was rolled back
    bool is_changed = false;  // in the present transaction
    std::uint64_t missed_unlogged = 0;
    std::optional<std::int64_t> logged;  // when `missed_unlogged` was last written to the log
  };
  struct Oldest {
    SequenceNumber number = 0;
    std::uint64_t octets = 0;
    std::int64_t time = 0;
  };
  using MayRemove = std::function<bool(const Channel&, const Oldest&)>;

  SqliteWriter(sqlite::Database& database, const SqliteEventStoreOptions& options)
      : database_(&database), options_(options) {}

  /// The channel with its rows.
  [[nodiscard]] Result<Channel*> find(const std::string& channel);
  [[nodiscard]] Result<void> load(Channel& channel);
  [[nodiscard]] Result<void> load_subscriptions(Channel& channel);
  void change(Channel& channel);
  [[nodiscard]] bool is_full_with(const Channel& channel, std::size_t octets) const noexcept;
  [[nodiscard]] Result<void> make_room(Channel& channel, std::size_t octets);
  /// Removes events that all subscriptions have acknowledged, until there is room for one more.
  [[nodiscard]] Result<void> remove_done(Channel& channel, std::size_t octets);
  /// Removes the oldest events as long as `may_remove` says so: a part, if there are many. Returns
  /// whether more may be left.
  [[nodiscard]] Result<bool> remove_oldest(Channel& channel, const MayRemove& may_remove);
  void note_removed(Channel& channel, const Oldest& event);
  [[nodiscard]] Result<void> sweep(const std::string& channel);
  void log_missed(Channel& channel);
  [[nodiscard]] Result<void> save(Channel& channel);

  sqlite::Database* database_;
  SqliteEventStoreOptions options_;
  std::int64_t now_ = 0;
  std::map<std::string, Channel> channels_;
  std::set<std::string> changed_;   // channels, in the present transaction
  std::set<std::string> to_sweep_;  // channels that may have events to remove
  sqlite::Statement begin_;
  sqlite::Statement commit_;
  sqlite::Statement make_channel_;
  sqlite::Statement find_channel_;
  sqlite::Statement save_channel_;
  sqlite::Statement last_event_;
  sqlite::Statement append_;
  sqlite::Statement oldest_;
  sqlite::Statement remove_to_;
  sqlite::Statement find_subscriptions_;
  sqlite::Statement save_subscription_;
  sqlite::Statement remove_subscription_;
};

}  // namespace perigee::events
