// The store in a SQLite file. One thread writes the requests that wait, as one transaction; each
// request is durable when it is reported. A second thread reads with a second connection.
#include "event/thread.h"
#include "services/events/sqlite_reader.h"
#include "services/events/sqlite_schema.h"
#include "services/events/sqlite_writer.h"
#include "services/sqlite/file.h"
#include "services/sqlite/group_queue.h"
#include "services/sqlite/store_error.h"
#include <perigee/base/log.h>
#include <perigee/services/events/sqlite_store.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace perigee::events {

namespace {

using sqlite::store_error;

constexpr std::size_t group_octets_max = 64 << 20;
// Roughly the memory of a request without an event, such as an acknowledgement or a read.
constexpr std::size_t request_octets = 256;

std::int64_t system_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

StoreError no_subscription(const std::string& channel, const std::string& name) {
  return {StoreError::Kind::no_subscription,
          "the channel " + channel + " has no subscription " + name};
}

/// The listeners of channels. Used by the writing thread only.
using Listeners = std::map<std::string, EventListener>;

/// One request of the writing thread.
class Request {
 public:
  explicit Request(std::string channel) : channel_(std::move(channel)) {}
  virtual ~Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// Writes in the current transaction, and keeps the result. An error ends the transaction of the
  /// whole group.
  [[nodiscard]] virtual std::expected<void, sqlite::Error> write(SqliteWriter& writer) = 0;
  /// Called when the transaction is durable. Reports the result.
  virtual void report(Listeners& listeners) = 0;
  virtual void fail(StoreError error) = 0;
  /// Whether the channel must exist before this request.
  [[nodiscard]] virtual bool needs_channel() const { return true; }

  [[nodiscard]] const std::string& channel() const noexcept { return channel_; }
  /// Lets this request fail, but not the other requests of its group.
  void refuse(StoreError error) { refusal_ = std::move(error); }
  void end(Listeners& listeners) {
    if (refusal_)
      fail(std::move(*refusal_));
    else
      report(listeners);
  }

 protected:
  const std::string channel_;

 private:
  std::optional<StoreError> refusal_;
};
using RequestRef = std::unique_ptr<Request>;

/// A request whose result is reported once.
template <typename Result>
class Reporting : public Request {
 public:
  Reporting(std::string channel, Receive<Result> done)
      : Request(std::move(channel)), done_(std::move(done)) {}
  void report(Listeners& /*listeners*/) override { done_(std::move(result_)); }
  void fail(StoreError error) final { done_(std::unexpected(std::move(error))); }

 protected:
  void set(std::expected<Result, StoreError> result) { result_ = std::move(result); }

  std::expected<Result, StoreError> result_;
  Receive<Result> done_;
};

class Open final : public Reporting<void> {
 public:
  Open(std::string channel, EventListener listener, Receive<void> done)
      : Reporting(std::move(channel), std::move(done)), listener_(std::move(listener)) {}
  [[nodiscard]] bool needs_channel() const override { return false; }
  std::expected<void, sqlite::Error> write(SqliteWriter& writer) override {
    auto opened = writer.open(channel_);
    if (opened || opened.error().kind != sqlite::Error::Kind::corrupt) return opened;
    refuse(store_error<StoreError>(std::move(opened.error())));
    return {};
  }
  void report(Listeners& listeners) override {
    listeners[channel_] = std::move(listener_);
    Reporting::report(listeners);
  }

 private:
  EventListener listener_;
};

class Append final : public Reporting<SequenceNumber> {
 public:
  Append(std::string channel, std::string octets, Receive<SequenceNumber> done)
      : Reporting(std::move(channel), std::move(done)) {
    event_.octets = std::move(octets);
  }
  std::expected<void, sqlite::Error> write(SqliteWriter& writer) override {
    if (writer.is_too_large(event_.octets.size())) {
      set(std::unexpected(StoreError{
          StoreError::Kind::too_large,
          "an event of " + std::to_string(event_.octets.size()) +
              " octets is too large for the file; raise the limit of octets of a channel"}));
      return {};
    }
    const auto number = writer.append(channel_, event_.octets);
    if (!number) return std::unexpected(number.error());
    event_.number = number->value_or(0);
    if (event_.number == 0)
      set(std::unexpected(
          StoreError{StoreError::Kind::full,
                     "the channel " + channel_ +
                         " is full; acknowledge events, end subscriptions that are not used, or "
                         "raise the limits of the store"}));
    else
      set(event_.number);
    return {};
  }
  void report(Listeners& listeners) override {
    const auto listener = listeners.find(channel_);
    if (event_.number != 0 && listener != listeners.end() && listener->second)
      listener->second(event_);
    Reporting::report(listeners);
  }

 private:
  StoredEvent event_;
};

class Subscribe final : public Reporting<Subscription> {
 public:
  Subscribe(std::string channel, std::string name, Begin begin, Receive<Subscription> done)
      : Reporting(std::move(channel), std::move(done)), name_(std::move(name)), begin_(begin) {}
  std::expected<void, sqlite::Error> write(SqliteWriter& writer) override {
    auto made = writer.subscribe(channel_, name_, begin_);
    if (!made) return std::unexpected(made.error());
    if (*made)
      set(std::move(**made));
    else
      set(std::unexpected(StoreError{StoreError::Kind::full,
                                     "the channel " + channel_ +
                                         " has as many subscriptions as it may; end one, or raise "
                                         "the limit of the store"}));
    return {};
  }

 private:
  const std::string name_;
  const Begin begin_;
};

class Unsubscribe final : public Reporting<void> {
 public:
  Unsubscribe(std::string channel, std::string name, Receive<void> done)
      : Reporting(std::move(channel), std::move(done)), name_(std::move(name)) {}
  std::expected<void, sqlite::Error> write(SqliteWriter& writer) override {
    const auto ended = writer.unsubscribe(channel_, name_);
    if (!ended) return std::unexpected(ended.error());
    if (!*ended) set(std::unexpected(no_subscription(channel_, name_)));
    return {};
  }

 private:
  const std::string name_;
};

class Acknowledge final : public Reporting<void> {
 public:
  Acknowledge(std::string channel, std::string name, SequenceNumber number, Receive<void> done)
      : Reporting(std::move(channel), std::move(done)), name_(std::move(name)), number_(number) {}
  std::expected<void, sqlite::Error> write(SqliteWriter& writer) override {
    const auto made = writer.acknowledge(channel_, name_, number_);
    if (!made) return std::unexpected(made.error());
    if (!*made) set(std::unexpected(no_subscription(channel_, name_)));
    return {};
  }

 private:
  const std::string name_;
  const SequenceNumber number_;
};

class List final : public Reporting<std::vector<Subscription>> {
 public:
  List(std::string channel, Receive<std::vector<Subscription>> done)
      : Reporting(std::move(channel), std::move(done)) {}
  std::expected<void, sqlite::Error> write(SqliteWriter& writer) override {
    auto all = writer.subscriptions(channel_);
    if (!all) return std::unexpected(all.error());
    set(std::move(*all));
    return {};
  }
};

struct Read {
  ReadRequest request;
  Receive<std::vector<StoredEvent>> done;
};

class SqliteEventStore final : public EventStore {
 public:
  SqliteEventStore(sqlite::File file, const SqliteEventStoreOptions& options)
      : options_(options),
        file_(std::move(file)),
        requests_({.waiting_max = options.waiting_max,
                   .waiting_octets_max = options.waiting_octets_max,
                   .group_max = std::max<std::size_t>(options.group_max, 1),
                   .group_octets_max = group_octets_max}),
        reads_({.waiting_max = options.waiting_max,
                .waiting_octets_max = options.waiting_octets_max,
                .group_max = 1}) {}
  ~SqliteEventStore() override {
    requests_.end();
    reads_.end();
    if (writing_.joinable()) writing_.join();
    if (reading_.joinable()) reading_.join();
  }
  SqliteEventStore(const SqliteEventStore&) = delete;
  SqliteEventStore& operator=(const SqliteEventStore&) = delete;

  [[nodiscard]] std::expected<void, sqlite::Error> start() {
    auto writer = SqliteWriter::make(file_.writing, options_);
    if (!writer) return std::unexpected(writer.error());
    auto reader = SqliteReader::make(file_.reading);
    if (!reader) return std::unexpected(reader.error());
    try {
      writing_ = event::Thread([this, writer = std::move(*writer)]() mutable { write(writer); });
      reading_ = event::Thread([this, reader = std::move(*reader)]() mutable { read(reader); });
    } catch (const std::system_error& error) {
      return std::unexpected(sqlite::Error{sqlite::Error::Kind::failed, error.what()});
    }
    return {};
  }

  [[nodiscard]] std::expected<void, StoreError> open_channel(const std::string& channel,
                                                             EventListener listener) override {
    std::promise<std::expected<void, StoreError>> opened;
    add(std::make_unique<Open>(channel, std::move(listener),
                               [&opened](auto result) { opened.set_value(std::move(result)); }));
    return opened.get_future().get();
  }
  void append(const std::string& channel, std::string octets,
              Receive<SequenceNumber> done) override {
    const std::size_t size = octets.size();
    add(std::make_unique<Append>(channel, std::move(octets), std::move(done)), size);
  }
  void subscribe(const std::string& channel, const std::string& name, Begin begin,
                 Receive<Subscription> done) override {
    add(std::make_unique<Subscribe>(channel, name, begin, std::move(done)));
  }
  void unsubscribe(const std::string& channel, const std::string& name,
                   Receive<void> done) override {
    add(std::make_unique<Unsubscribe>(channel, name, std::move(done)));
  }
  void subscriptions(const std::string& channel, Receive<std::vector<Subscription>> done) override {
    add(std::make_unique<List>(channel, std::move(done)));
  }
  void acknowledge(const std::string& channel, const std::string& name, SequenceNumber number,
                   Receive<void> done) override {
    add(std::make_unique<Acknowledge>(channel, name, number, std::move(done)));
  }
  void read(const std::string& channel, const std::string& name, SequenceNumber after,
            std::size_t events_max, std::size_t octets_max,
            Receive<std::vector<StoredEvent>> done) override {
    Read read{{channel, name, after, events_max, octets_max}, std::move(done)};
    if (!reads_.push(read, request_octets)) read.done(std::unexpected(too_many()));
  }

 private:
  using Requests = sqlite::GroupQueue<RequestRef>;
  using Reads = sqlite::GroupQueue<Read>;

  void add(RequestRef request, std::size_t octets = 0) {
    if (!requests_.push(request, octets + request_octets)) request->fail(too_many());
  }
  [[nodiscard]] static StoreError too_many() {
    return {StoreError::Kind::busy, "too many requests wait for the file; try again later"};
  }
  [[nodiscard]] std::int64_t now() const {
    return options_.wall_clock ? options_.wall_clock() : system_now();
  }
  /// The time until the thread looks for old events.
  [[nodiscard]] Requests::Time time_to_sweep(const SqliteWriter& writer, bool has_failed) const {
    constexpr std::chrono::seconds longest(60);
    constexpr Requests::Time after_failure = std::chrono::seconds(1);
    if (writer.has_more_to_remove() && has_failed) return after_failure;
    if (writer.has_more_to_remove()) return Requests::Time::zero();
    if (options_.age_max.count() <= 0) return Requests::Time::max();
    return std::min(options_.age_max, longest);
  }

  void write(SqliteWriter& writer) noexcept {
    Listeners listeners;
    bool has_failed = false;  // the last transaction
    while (true) {
      const std::vector<RequestRef> group = requests_.take(time_to_sweep(writer, has_failed));
      if (group.empty() && requests_.has_ended()) return;
      const bool is_continued = writer.has_more_to_remove();
      if (group.empty() && !is_continued) writer.sweep_all();
      const auto begin = std::chrono::steady_clock::now();
      const auto written = make_durable(writer, group);
      has_failed = !written;
      if (group.empty()) {
        if (!written) log::write(log::Level::error, "events", written.error().text);
        continue;
      }
      requests_.group_done(group.size(), std::chrono::steady_clock::now() - begin);
      for (const RequestRef& request : group) {
        if (written)
          request->end(listeners);
        else
          request->fail(store_error<StoreError>(written.error()));
      }
    }
  }

  /// All requests of the group are done, or none of them. Requests of damaged channels are refused.
  [[nodiscard]] std::expected<void, sqlite::Error> make_durable(
      SqliteWriter& writer, const std::vector<RequestRef>& group) const {
    if (auto begun = writer.begin(now()); !begun) return begun;
    for (const RequestRef& request : group) {
      auto made = write_one(writer, *request);
      if (made) continue;
      writer.roll_back();
      return made;
    }
    return writer.commit();
  }

  [[nodiscard]] static std::expected<void, sqlite::Error> write_one(SqliteWriter& writer,
                                                                    Request& request) {
    if (!request.needs_channel()) return request.write(writer);
    auto unusable = writer.check(request.channel());
    if (!unusable) return std::unexpected(std::move(unusable.error()));
    if (!*unusable) return request.write(writer);
    request.refuse(store_error<StoreError>(std::move(**unusable)));
    return {};
  }

  void read(SqliteReader& reader) noexcept {
    while (true) {
      std::vector<Read> group = reads_.take(Reads::Time::max());
      if (group.empty()) return;
      for (Read& each : group) {
        auto events = reader.read(each.request);
        if (!events)
          each.done(std::unexpected(store_error<StoreError>(std::move(events.error()))));
        else if (!*events)
          each.done(
              std::unexpected(no_subscription(each.request.channel, each.request.subscription)));
        else
          each.done(std::move(**events));
      }
    }
  }

  const SqliteEventStoreOptions options_;
  sqlite::File file_;
  Requests requests_;
  Reads reads_;
  event::Thread writing_;
  event::Thread reading_;
};

}  // namespace

std::expected<std::unique_ptr<EventStore>, StoreError> open_sqlite_event_store(
    const std::string& path, const SqliteEventStoreOptions& options) {
  auto file = sqlite::open_file(path, schema_of_events(), "event service");
  if (!file) return std::unexpected(store_error<StoreError>(std::move(file.error())));
  auto store = std::make_unique<SqliteEventStore>(std::move(*file), options);
  if (auto started = store->start(); !started)
    return std::unexpected(store_error<StoreError>(std::move(started.error())));
  return store;
}

}  // namespace perigee::events
