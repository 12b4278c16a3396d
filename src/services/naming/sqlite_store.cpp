// The store in a SQLite file. One thread makes the changes that wait, as one transaction; each
// change is durable when its `Done` is called. A second connection reads.
#include "event/thread.h"
#include "services/naming/sqlite_schema.h"
#include "services/naming/sqlite_writer.h"
#include "services/sqlite/file.h"
#include "services/sqlite/group_queue.h"
#include "services/sqlite/store_error.h"
#include <perigee/services/naming/store.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <system_error>
#include <utility>

namespace perigee::naming {

namespace {

struct Job {
  Change change;
  Done done;
};
using Result = std::expected<ChangeResult, StoreError>;

/// Reads with a connection of its own. Any thread.
class Reader {
 public:
  explicit Reader(sqlite::Database& database) : database_(database) {}

  [[nodiscard]] std::expected<void, sqlite::Error> prepare() {
    const std::pair<sqlite::Statement*, const char*> texts[] = {
        {&find_,
         "SELECT sort, target, reference, expires FROM bindings"
         " WHERE context = ?1 AND id = ?2 AND kind = ?3"},
        {&exists_, "SELECT 1 FROM contexts WHERE number = ?1"},
        {&first_page_,
         "SELECT id, kind, sort, target, expires FROM bindings"
         " WHERE context = ?1 AND (expires = 0 OR expires > ?5) ORDER BY id, kind LIMIT ?4"},
        {&next_page_,
         "SELECT id, kind, sort, target, expires FROM bindings"
         " WHERE context = ?1 AND (id, kind) > (?2, ?3) AND (expires = 0 OR expires > ?5)"
         " ORDER BY id, kind LIMIT ?4"},
        {&has_expired_,
         "SELECT 1 FROM bindings INDEXED BY leases WHERE expires != 0 AND expires <= ?1 LIMIT 1"},
    };
    for (const auto& [statement, text] : texts) {
      auto prepared = database_.prepare(text);
      if (!prepared) return std::unexpected(prepared.error());
      *statement = std::move(*prepared);
    }
    return {};
  }

  [[nodiscard]] std::expected<std::optional<Binding>, sqlite::Error> find(ContextNumber context,
                                                                          const Component& name) {
    const std::lock_guard lock(mutex_);
    const sqlite::ResetAtEnd reset(find_);
    const auto row = find_.bind(1, context).bind(2, name.id).bind(3, name.kind).step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return std::nullopt;
    return Binding{name,
                   {static_cast<TargetKind>(find_.number(0)),
                    static_cast<ContextNumber>(find_.number(1)), find_.octets(2)},
                   find_.number(3)};
  }

  [[nodiscard]] std::expected<bool, sqlite::Error> exists(ContextNumber context) {
    const std::lock_guard lock(mutex_);
    const sqlite::ResetAtEnd reset(exists_);
    return exists_.bind(1, context).step();
  }

  [[nodiscard]] std::expected<bool, sqlite::Error> has_expired(WallTime now) {
    const std::lock_guard lock(mutex_);
    const sqlite::ResetAtEnd reset(has_expired_);
    return has_expired_.bind(1, now).step();
  }

  [[nodiscard]] std::expected<std::vector<Binding>, sqlite::Error> list(ContextNumber context,
                                                                        const Component* after,
                                                                        std::size_t count,
                                                                        WallTime now) {
    const std::lock_guard lock(mutex_);
    sqlite::Statement& statement = after == nullptr ? first_page_ : next_page_;
    const sqlite::ResetAtEnd reset(statement);
    statement.bind(1, context).bind(4, static_cast<std::uint64_t>(count)).bind(5, now);
    if (after != nullptr) statement.bind(2, after->id).bind(3, after->kind);
    std::vector<Binding> page;
    for (;;) {
      const auto row = statement.step();
      if (!row) return std::unexpected(row.error());
      if (!*row) return page;
      page.push_back({{statement.octets(0), statement.octets(1)},
                      {static_cast<TargetKind>(statement.number(2)),
                       static_cast<ContextNumber>(statement.number(3)),
                       {}},
                      statement.number(4)});
    }
  }

 private:
  sqlite::Database& database_;
  std::mutex mutex_;  // guards the statements
  sqlite::Statement find_;
  sqlite::Statement exists_;
  sqlite::Statement first_page_;
  sqlite::Statement next_page_;
  sqlite::Statement has_expired_;
};

class SqliteStore final : public Store {
 public:
  SqliteStore(sqlite::File file, const SqliteStoreOptions& options)
      : options_(options),
        jobs_({.waiting_max = options.waiting_max,
               .group_max = std::max<std::size_t>(options.group_max, 1)}),
        file_(std::move(file)),
        reader_(file_.reading) {}
  ~SqliteStore() override {
    if (!thread_.joinable()) return;
    jobs_.end();
    thread_.join();
  }
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  [[nodiscard]] std::expected<void, sqlite::Error> start() {
    const auto identity = file_.writing.number("SELECT identity FROM store");
    if (!identity) return std::unexpected(identity.error());
    identity_ = static_cast<std::uint64_t>(*identity);
    auto writer = SqliteWriter::make(file_.writing, options_.contexts_max);
    if (!writer) return std::unexpected(writer.error());
    if (auto prepared = reader_.prepare(); !prepared) return prepared;
    try {
      thread_ = event::Thread([this, writer = std::move(*writer)]() mutable { write(writer); });
    } catch (const std::system_error& error) {
      return std::unexpected(sqlite::Error{sqlite::Error::Kind::failed, error.what()});
    }
    return {};
  }

  [[nodiscard]] std::uint64_t identity() const noexcept override { return identity_; }
  [[nodiscard]] std::expected<std::optional<Binding>, StoreError> find(
      ContextNumber context, const Component& name) override {
    return sqlite::as_stored<StoreError>(reader_.find(context, name));
  }
  [[nodiscard]] std::expected<std::vector<Binding>, StoreError> list(ContextNumber context,
                                                                     const Component* after,
                                                                     std::size_t count,
                                                                     WallTime now) override {
    return sqlite::as_stored<StoreError>(reader_.list(context, after, count, now));
  }
  [[nodiscard]] std::expected<bool, StoreError> exists(ContextNumber context) override {
    return sqlite::as_stored<StoreError>(reader_.exists(context));
  }
  [[nodiscard]] std::expected<bool, StoreError> has_expired(WallTime now) override {
    return sqlite::as_stored<StoreError>(reader_.has_expired(now));
  }

  void change(Change change, Done done) override {
    Job job{std::move(change), std::move(done)};
    if (!jobs_.push(job, 0)) job.done(std::unexpected(too_many()));
  }

 private:
  [[nodiscard]] StoreError too_many() const {
    return {StoreError::Kind::busy,
            std::to_string(options_.waiting_max) + " changes wait for the file; try again later"};
  }

  void write(SqliteWriter& writer) noexcept {
    for (;;) {
      std::vector<Job> group = jobs_.take(Jobs::Time::max());
      if (group.empty()) return;
      const auto begin = std::chrono::steady_clock::now();
      std::vector<Result> results = make_durable(writer, group);
      jobs_.group_done(group.size(), std::chrono::steady_clock::now() - begin);
      for (std::size_t index = 0; index < group.size(); ++index)
        group[index].done(std::move(results[index]));
    }
  }

  /// All changes of the group are made, or none of them.
  static std::vector<Result> make_durable(SqliteWriter& writer, const std::vector<Job>& group) {
    std::vector<Result> results;
    results.reserve(group.size());
    const auto failed = [&](const sqlite::Error& error) {
      writer.roll_back();
      return std::vector<Result>(group.size(),
                                 std::unexpected(sqlite::store_error<StoreError>(error)));
    };
    if (const auto begun = writer.begin(); !begun) return failed(begun.error());
    for (const Job& job : group) {
      const auto made = writer.apply(job.change);
      if (!made) return failed(made.error());
      results.emplace_back(*made);
    }
    if (const auto committed = writer.commit(); !committed) return failed(committed.error());
    return results;
  }

  using Jobs = sqlite::GroupQueue<Job>;

  const SqliteStoreOptions options_;
  Jobs jobs_;
  sqlite::File file_;
  Reader reader_;
  std::uint64_t identity_ = 0;
  event::Thread thread_;
};

}  // namespace

std::expected<std::unique_ptr<Store>, StoreError> open_sqlite_store(
    const std::string& path, const SqliteStoreOptions& options) {
  auto file = sqlite::open_file(path, schema_of_names(), "naming service");
  if (!file) return std::unexpected(sqlite::store_error<StoreError>(std::move(file.error())));
  auto store = std::make_unique<SqliteStore>(std::move(*file), options);
  if (auto started = store->start(); !started)
    return std::unexpected(sqlite::store_error<StoreError>(std::move(started.error())));
  return store;
}

}  // namespace perigee::naming
