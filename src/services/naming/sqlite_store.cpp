// The store in a SQLite file. One thread makes the changes that wait, as one transaction; each
// change is durable when its `Done` is called. A second connection reads.
#include "event/thread.h"
#include "services/naming/sqlite_database.h"
#include "services/naming/sqlite_schema.h"
#include "services/naming/sqlite_writer.h"
#include <perigee/services/naming/store.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <iterator>
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

/// The connections of a store. It does not move: statements refer to their connection.
struct Connections {
  Database lock;  // holds a lock on <file>.lock, so that no second store opens the file
  Database writing;
  Database reading;
};

/// Reads with a connection of its own. Any thread.
class Reader {
 public:
  explicit Reader(Database& database) : database_(database) {}

  [[nodiscard]] std::expected<void, StoreError> prepare() {
    const std::pair<Statement*, const char*> texts[] = {
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

  [[nodiscard]] std::expected<std::optional<Binding>, StoreError> find(ContextNumber context,
                                                                       const Component& name) {
    const std::lock_guard lock(mutex_);
    const ResetAtEnd reset(find_);
    const auto row = find_.bind(1, context).bind(2, name.id).bind(3, name.kind).step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return std::nullopt;
    return Binding{name,
                   {static_cast<TargetKind>(find_.number(0)),
                    static_cast<ContextNumber>(find_.number(1)), find_.octets(2)},
                   find_.number(3)};
  }

  [[nodiscard]] std::expected<bool, StoreError> exists(ContextNumber context) {
    const std::lock_guard lock(mutex_);
    const ResetAtEnd reset(exists_);
    return exists_.bind(1, context).step();
  }

  [[nodiscard]] std::expected<bool, StoreError> has_expired(WallTime now) {
    const std::lock_guard lock(mutex_);
    const ResetAtEnd reset(has_expired_);
    return has_expired_.bind(1, now).step();
  }

  [[nodiscard]] std::expected<std::vector<Binding>, StoreError> list(ContextNumber context,
                                                                     const Component* after,
                                                                     std::size_t count,
                                                                     WallTime now) {
    const std::lock_guard lock(mutex_);
    Statement& statement = after == nullptr ? first_page_ : next_page_;
    const ResetAtEnd reset(statement);
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
  Database& database_;
  std::mutex mutex_;  // guards the statements
  Statement find_;
  Statement exists_;
  Statement first_page_;
  Statement next_page_;
  Statement has_expired_;
};

class SqliteStore final : public Store {
 public:
  SqliteStore(Connections connections, const SqliteStoreOptions& options)
      : options_{options.waiting_max, std::max<std::size_t>(options.group_max, 1),
                 options.contexts_max},
        connections_(std::move(connections)),
        reader_(connections_.reading) {}
  ~SqliteStore() override {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  [[nodiscard]] std::expected<void, StoreError> start() {
    const auto identity = connections_.writing.number("SELECT identity FROM store");
    if (!identity) return std::unexpected(identity.error());
    identity_ = static_cast<std::uint64_t>(*identity);
    auto writer = SqliteWriter::make(connections_.writing, options_.contexts_max);
    if (!writer) return std::unexpected(writer.error());
    if (auto prepared = reader_.prepare(); !prepared) return prepared;
    try {
      thread_ = event::Thread([this, writer = std::move(*writer)]() mutable { write(writer); });
    } catch (const std::system_error& error) {
      return std::unexpected(StoreError{StoreError::Kind::failed, error.what()});
    }
    return {};
  }

  [[nodiscard]] std::uint64_t identity() const noexcept override { return identity_; }
  [[nodiscard]] std::expected<std::optional<Binding>, StoreError> find(
      ContextNumber context, const Component& name) override {
    return reader_.find(context, name);
  }
  [[nodiscard]] std::expected<std::vector<Binding>, StoreError> list(ContextNumber context,
                                                                     const Component* after,
                                                                     std::size_t count,
                                                                     WallTime now) override {
    return reader_.list(context, after, count, now);
  }
  [[nodiscard]] std::expected<bool, StoreError> exists(ContextNumber context) override {
    return reader_.exists(context);
  }
  [[nodiscard]] std::expected<bool, StoreError> has_expired(WallTime now) override {
    return reader_.has_expired(now);
  }

  void change(Change change, Done done) override {
    std::unique_lock lock(mutex_);
    if (jobs_.size() >= options_.waiting_max) {
      lock.unlock();
      return done(std::unexpected(too_many()));
    }
    jobs_.push_back({std::move(change), std::move(done)});
    const bool wakes = jobs_.size() == 1 || jobs_.size() == wanted_;
    lock.unlock();
    if (wakes) changed_.notify_one();
  }

 private:
  [[nodiscard]] StoreError too_many() const {
    return {StoreError::Kind::busy,
            std::to_string(options_.waiting_max) + " changes wait for the file; try again later"};
  }

  void write(SqliteWriter& writer) noexcept {
    for (;;) {
      std::vector<Job> group = next_group();
      if (group.empty()) return;
      const auto begin = std::chrono::steady_clock::now();
      std::vector<Result> results = make_durable(writer, group);
      last_time_ = std::chrono::steady_clock::now() - begin;
      {
        const std::lock_guard lock(mutex_);
        wanted_ = std::min(group.size() + jobs_.size(), options_.group_max);
      }
      for (std::size_t index = 0; index < group.size(); ++index)
        group[index].done(std::move(results[index]));
    }
  }

  /// Waits for changes. Empty: the store ends.
  std::vector<Job> next_group() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_ending_ || !jobs_.empty(); });
    gather(lock);
    const auto end =
        jobs_.begin() + static_cast<std::ptrdiff_t>(std::min(jobs_.size(), options_.group_max));
    std::vector<Job> group(std::make_move_iterator(jobs_.begin()), std::make_move_iterator(end));
    jobs_.erase(jobs_.begin(), end);
    return group;
  }

  /// The clients of a group get their replies, and send their next changes, one after the other.
  /// Waits until as many changes have come as were in progress at the end of the last group, so
  /// that the clients do not become several small groups in turn. Takes at most a quarter of the
  /// time of the last group, and at most 5 ms.
  void gather(std::unique_lock<std::mutex>& lock) {
    constexpr std::chrono::steady_clock::duration longest = std::chrono::milliseconds(5);
    changed_.wait_for(lock, std::min(last_time_ / 4, longest),
                      [this] { return is_ending_ || jobs_.size() >= wanted_; });
  }

  /// All changes of the group are made, or none of them.
  static std::vector<Result> make_durable(SqliteWriter& writer, const std::vector<Job>& group) {
    std::vector<Result> results;
    results.reserve(group.size());
    const auto failed = [&](const StoreError& error) {
      writer.roll_back();
      return std::vector<Result>(group.size(), std::unexpected(error));
    };
    if (const auto begun = writer.begin(); !begun) return failed(begun.error());
    for (const Job& job : group) {
      results.push_back(writer.apply(job.change));
      if (!results.back()) return failed(StoreError(results.back().error()));
    }
    if (const auto committed = writer.commit(); !committed) return failed(committed.error());
    return results;
  }

  const SqliteStoreOptions options_;
  Connections connections_;
  Reader reader_;
  std::uint64_t identity_ = 0;
  std::mutex mutex_;  // guards jobs_, wanted_ and is_ending_
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool is_ending_ = false;
  std::size_t wanted_ = 1;                            // changes for the next group: see gather()
  std::chrono::steady_clock::duration last_time_{0};  // of the last group; used by the thread only
  event::Thread thread_;
};

std::expected<void, StoreError> make_folders(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return std::unexpected(
      StoreError{StoreError::Kind::read_only,
                 folder.string() + ": cannot make the folder: " + error.message()});
}

/// The system ends the lock with the process.
std::expected<Database, StoreError> lock_file(const std::string& path) {
  auto lock = Database::open(path + ".lock", Database::Create::yes);
  if (!lock) return lock;
  if (const auto set = lock->run("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE"); !set) {
    if (set.error().kind == StoreError::Kind::busy)
      return std::unexpected(StoreError{
          StoreError::Kind::busy, path + ": another naming service uses the file; end it first"});
    return std::unexpected(set.error());
  }
  return lock;
}

std::expected<Database, StoreError> open_for_writing(const std::string& path) {
  auto database = Database::open(path, Database::Create::yes);
  if (!database) return database;
  // First, so that a file of another program stays as it is.
  if (const auto updated = update_schema(*database, path); !updated)
    return std::unexpected(updated.error());
  if (const auto set = database->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); !set)
    return std::unexpected(set.error());
  return database;
}

}  // namespace

std::expected<std::unique_ptr<Store>, StoreError> open_sqlite_store(
    const std::string& path, const SqliteStoreOptions& options) {
  if (auto made = make_folders(path); !made) return std::unexpected(made.error());
  auto lock = lock_file(path);
  if (!lock) return std::unexpected(lock.error());
  auto writing = open_for_writing(path);
  if (!writing) return std::unexpected(writing.error());
  auto reading = Database::open(path, Database::Create::no);
  if (!reading) return std::unexpected(reading.error());
  auto store = std::make_unique<SqliteStore>(
      Connections{std::move(*lock), std::move(*writing), std::move(*reading)}, options);
  if (auto started = store->start(); !started) return std::unexpected(started.error());
  return store;
}

}  // namespace perigee::naming
