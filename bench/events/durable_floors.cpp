// Writes rows by SQLite, and messages by the client library of NATS.
#include "durable_floors.h"

#include <nats/nats.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace perigee::bench {

namespace {

using Clock = std::chrono::steady_clock;

void check(int code, sqlite3* database) {
  if (code != SQLITE_OK && code != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(database));
}

void check(natsStatus status) {
  if (status != NATS_OK) throw std::runtime_error(natsStatus_GetText(status));
}

}  // namespace

DurablePass insert_events(const std::string& file, const DurableLoad& load) {
  sqlite3* database = nullptr;
  check(sqlite3_open(file.c_str(), &database), database);
  const auto run = [&](const char* text) {
    check(sqlite3_exec(database, text, nullptr, nullptr, nullptr), database);
  };
  run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  sqlite3_stmt* insert = nullptr;
  sqlite3_stmt* count = nullptr;
  check(sqlite3_prepare_v2(database, "INSERT INTO events VALUES (1, ?1, ?2, ?3)", -1, &insert,
                           nullptr),
        database);
  check(sqlite3_prepare_v2(database, "UPDATE channels SET last = ?1, events = ?1, octets = ?2", -1,
                           &count, nullptr),
        database);
  const std::string event(load.octets, 'x');
  std::vector<double> times_ms;
  const DurablePassTimer timer;
  for (std::size_t written = 0; written < load.events;) {
    const auto group_begin = Clock::now();
    const std::size_t end = std::min(written + load.at_once, load.events);
    run("BEGIN IMMEDIATE");
    while (written < end) {
      sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(++written));
      sqlite3_bind_int64(insert, 2, 1'700'000'000'000);  // a time in milliseconds
      sqlite3_bind_blob(insert, 3, event.data(), static_cast<int>(event.size()), SQLITE_STATIC);
      check(sqlite3_step(insert), database);
      check(sqlite3_reset(insert), database);
    }
    sqlite3_bind_int64(count, 1, static_cast<sqlite3_int64>(written));
    sqlite3_bind_int64(count, 2, static_cast<sqlite3_int64>(written * event.size()));
    check(sqlite3_step(count), database);
    check(sqlite3_reset(count), database);
    run("COMMIT");
    times_ms.push_back(ms_since(group_begin));
  }
  const DurablePass pass = timer.pass(load.events, std::move(times_ms));
  sqlite3_finalize(insert);
  sqlite3_finalize(count);
  sqlite3_close(database);
  return pass;
}

namespace {

constexpr const char* subject = "floor.events";
constexpr const char* answers = "floor.answers.";
constexpr std::chrono::minutes time_max(10);

/// The acknowledgements of NATS. Its library calls `on_answer` on a thread of its own.
class Acknowledgements {
 public:
  explicit Acknowledgements(std::size_t events) : sent_(events) { times_ms_.reserve(events); }

  static void on_answer(natsConnection* /*connection*/, natsSubscription* /*subscription*/,
                        natsMsg* message, void* self) {
    const std::string_view text(natsMsg_GetSubject(message));
    const std::string_view data(natsMsg_GetData(message),
                                static_cast<std::size_t>(natsMsg_GetDataLength(message)));
    static_cast<Acknowledgements*>(self)->add(
        std::strtoul(text.substr(text.rfind('.') + 1).data(), nullptr, 10),
        data.find("\"error\"") != std::string_view::npos);
    natsMsg_Destroy(message);
  }
  /// Waits until fewer than `at_once` events lack an acknowledgement, and begins the next one.
  void begin_next(std::size_t at_once) {
    const auto lock = wait_until([this, at_once] { return begun_ - times_ms_.size() < at_once; });
    sent_[begun_++] = Clock::now();
  }
  void wait_for_all() {
    (void)wait_until([this] { return times_ms_.size() == begun_; });
  }
  [[nodiscard]] std::vector<double> times_ms() const { return times_ms_; }

 private:
  void add(std::size_t event, bool is_error) {
    const std::lock_guard lock(mutex_);
    has_failed_ |= is_error || event >= begun_;
    times_ms_.push_back(has_failed_ ? 0 : ms_since(sent_[event]));
    changed_.notify_one();
  }
  template <typename Condition>
  [[nodiscard]] std::unique_lock<std::mutex> wait_until(const Condition& condition) {
    std::unique_lock lock(mutex_);
    const bool is_met =
        changed_.wait_for(lock, time_max, [&] { return has_failed_ || condition(); });
    if (has_failed_ || !is_met) throw std::runtime_error("NATS has not stored all events");
    return lock;
  }

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<Clock::time_point> sent_;
  std::vector<double> times_ms_;
  std::size_t begun_ = 0;
  bool has_failed_ = false;
};

natsConnection* connect_to(const std::string& server) {
  natsOptions* options = nullptr;
  check(natsOptions_Create(&options));
  check(natsOptions_SetURL(options, server.c_str()));
  check(natsOptions_SetSendAsap(options, true));  // as the store of a channel
  natsConnection* connection = nullptr;
  const natsStatus status = natsConnection_Connect(&connection, options);
  natsOptions_Destroy(options);
  check(status);
  return connection;
}

/// In files, as the stream of a channel. A stream that exists stays.
void make_stream(natsConnection* connection) {
  jsCtx* jetstream = nullptr;
  check(natsConnection_JetStream(&jetstream, connection, nullptr));
  jsStreamConfig config;
  check(jsStreamConfig_Init(&config));
  const char* subjects[] = {subject};
  config.Name = "floor";
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Storage = js_FileStorage;
  const natsStatus status = js_AddStream(nullptr, jetstream, &config, nullptr, nullptr);
  jsCtx_Destroy(jetstream);
  check(status);
}

}  // namespace

DurablePass publish_events(const std::string& server, const DurableLoad& load) {
  natsConnection* const connection = connect_to(server);
  make_stream(connection);
  Acknowledgements acknowledgements(load.events);
  natsSubscription* subscription = nullptr;
  check(natsConnection_Subscribe(&subscription, connection, (std::string(answers) + "*").c_str(),
                                 &Acknowledgements::on_answer, &acknowledgements));
  const std::string event(load.octets, 'x');
  const DurablePassTimer timer;
  for (std::size_t count = 0; count < load.events; ++count) {
    acknowledgements.begin_next(load.at_once);
    check(natsConnection_PublishRequest(connection, subject,
                                        (answers + std::to_string(count)).c_str(), event.data(),
                                        static_cast<int>(event.size())));
  }
  acknowledgements.wait_for_all();
  const DurablePass pass = timer.pass(load.events, acknowledgements.times_ms());
  natsSubscription_Destroy(subscription);
  natsConnection_Destroy(connection);
  nats_Close();
  return pass;
}

}  // namespace perigee::bench
