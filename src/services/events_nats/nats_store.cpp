// The thread of a store, and the requests of other threads.
#include "services/events_nats/nats_store.h"

#include "event/thread.h"
#include "services/events_nats/channel.h"
#include "services/events_nats/connector.h"
#include "services/events_nats/message_ids.h"
#include "services/events_nats/streams.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace perigee::events {

namespace {

using nats::Channel;
using nats::Message;
using nats::Session;
using std::chrono::milliseconds;

constexpr std::size_t message_octets_max = std::size_t{256} << 20;  // that the thread has not read
constexpr std::size_t read_octets_max = std::size_t{64} << 20;      // of the answers to all reads
constexpr std::size_t replicas_max = 5;
// A server of NATS that was suspended may pass on events when it goes on. Their later copies must
// be recognised until then, so the window does not depend on the time of a request. NATS allows no
// window that is longer than the age of events.
constexpr std::chrono::seconds duplicate_window{120};
constexpr std::chrono::seconds age_min{20};

StoreError closed_channel(const std::string& channel) {
  return {StoreError::Kind::failed,
          "the channel '" + channel + "' is not open; call open_channel before other functions"};
}

/// Counts the requests that have no result, and the octets of their events.
class Admission {
 public:
  explicit Admission(const NatsStoreOptions& options) : options_(options) {}

  /// False: too many requests wait. An event of any size may wait alone.
  [[nodiscard]] bool enter(std::size_t octets) {
    const std::size_t requests = requests_++;
    const std::size_t waiting = octets_.fetch_add(octets);
    const bool has_room = waiting == 0 || (waiting <= options_.waiting_octets_max &&
                                           octets <= options_.waiting_octets_max - waiting);
    if (requests < options_.waiting_max && has_room) return true;
    leave(octets);
    return false;
  }
  void leave(std::size_t octets) {
    octets_ -= octets;
    --requests_;
  }
  [[nodiscard]] std::size_t requests() const { return requests_; }

 private:
  const NatsStoreOptions& options_;
  std::atomic<std::size_t> requests_ = 0;
  std::atomic<std::size_t> octets_ = 0;
};

/// The two numbers after the inbox in the subject of a message to a channel.
struct ChannelSubject {
  std::uint64_t channel = 0;
  std::uint64_t number = 0;
};

std::optional<ChannelSubject> parse_channel_subject(std::string_view numbers) {
  const std::size_t dot = numbers.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto channel = nats::parse_number(numbers.substr(0, dot));
  const auto number = nats::parse_number(numbers.substr(dot + 1));
  if (!channel || !number) return std::nullopt;
  return ChannelSubject{*channel, *number};
}

class NatsThreadStore final : public NatsStore {
 public:
  explicit NatsThreadStore(NatsStoreOptions options)
      : options_(std::move(options)),
        name_(nats::random_name()),
        secret_(nats::random_name()),
        inbox_("_INBOX." + nats::random_name()),
        keys_(options_.prefix),
        admission_(options_),
        mailbox_(message_octets_max),
        session_(options_, inbox_) {}
  ~NatsThreadStore() override {
    if (thread_.joinable()) {
      is_ending_ = true;
      mailbox_.post(nats::Task([] {}));
      thread_.join();
    }
    connector_.reset();
    // A late message about the connection may still be there, with the connection itself.
    static_cast<void>(mailbox_.take(TimePoint::min()));
  }
  NatsThreadStore(const NatsThreadStore&) = delete;
  NatsThreadStore& operator=(const NatsThreadStore&) = delete;

  /// Starts the threads, and waits for the stream of subscriptions.
  [[nodiscard]] std::expected<void, StoreError> start();

  [[nodiscard]] std::expected<void, StoreError> open_channel(const std::string& channel,
                                                             EventListener listener) override;
  void append(const std::string& channel, std::string octets,
              Receive<SequenceNumber> done) override;
  void subscribe(const std::string& channel, const std::string& name, Begin begin,
                 Receive<Subscription> done) override;
  void position(const std::string& channel, const std::string& name,
                Receive<Subscription> done) override;
  void unsubscribe(const std::string& channel, const std::string& name,
                   Receive<void> done) override;
  void subscriptions(const std::string& channel, Receive<std::vector<Subscription>> done) override;
  void read(const std::string& channel, const std::string& name, SequenceNumber after,
            std::size_t events_max, std::size_t octets_max,
            Receive<std::vector<StoredEvent>> done) override;
  void acknowledge(const std::string& channel, const std::string& name, SequenceNumber number,
                   Receive<void> done) override;

  [[nodiscard]] NatsStatus status() const override {
    NatsStatus status;
    status.is_connected = is_connected_;
    status.connections_made = connections_made_;
    status.requests_waiting = admission_.requests();
    status.events_sent_again = events_sent_again_;
    status.consumers_made = consumers_made_;
    status.messages_dropped = mailbox_.dropped();
    return status;
  }

 private:
  using Result = std::expected<void, StoreError>;

  /// Runs `serve(channel, end, done)` on the store's thread, or gives `done` an error.
  template <typename Value, typename Serve>
  void request(const std::string& channel, std::size_t octets, Receive<Value> done, Serve serve);
  /// Waits for a task that the store's thread runs.
  [[nodiscard]] Result run_and_wait(std::function<task<Result>()> make);

  // On the store's thread.
  void run() noexcept;
  void dispatch(Message message);
  void step();
  [[nodiscard]] TimePoint next_step() const;
  void publish_status();
  /// Writes to the log that there is no connection.
  void report_failure(const std::string& text);
  [[nodiscard]] task<Result> open_subscriptions();
  [[nodiscard]] task<Result> open(std::string name, EventListener listener);
  [[nodiscard]] nats::StreamRequest channel_stream(const std::string& name) const;
  [[nodiscard]] task<void> tell(task<Result> work, std::shared_ptr<std::promise<Result>> result);

  const NatsStoreOptions options_;
  const std::string name_;    // begins message ids, which other programs may read
  const std::string secret_;  // the key of message ids
  const std::string inbox_;   // not `name_`: other programs must not guess it
  const nats::Keys keys_;
  Admission admission_;
  nats::Mailbox mailbox_;
  std::atomic<bool> is_ending_ = false;
  std::atomic<bool> is_connected_ = false;
  std::atomic<std::uint64_t> connections_made_ = 0;
  std::atomic<std::uint64_t> events_sent_again_ = 0;
  std::atomic<std::uint64_t> consumers_made_ = 0;

  // Used only by the thread of the store.
  Session session_;
  nats::ReadBudget read_budget_{read_octets_max};
  std::map<std::string, std::unique_ptr<Channel>, std::less<>> channels_;
  std::vector<Channel*> channels_by_number_;
  nats::LogLimit failures_;

  std::optional<nats::Connector> connector_;
  event::Thread thread_;
};

std::expected<void, StoreError> NatsThreadStore::start() {
  try {
    thread_ = event::Thread([this] { run(); });
    nats::Connector::Events events;
    events.up = [this](const std::shared_ptr<nats::Link>& link) {
      session_.on_up(link);
      connections_made_ = session_.connections();
      is_connected_ = true;
      for (Channel* const channel : channels_by_number_) channel->on_connection_changed();
    };
    events.down = [this] {
      is_connected_ = false;
      session_.on_down();
      report_failure("the connection was lost");
      for (Channel* const channel : channels_by_number_) channel->on_connection_changed();
    };
    events.failed = [this](const StoreError& error) {
      session_.on_failed(error);
      if (session_.connections() > 0) report_failure(error.text);
    };
    // Consumers need subscriptions to exactly their subjects, so no subject here covers those.
    std::vector<std::string> subjects = {inbox_ + ".r.*", inbox_ + ".a.*.*"};
    connector_.emplace(options_, std::move(subjects), mailbox_, std::move(events));
  } catch (const std::system_error& error) {
    return std::unexpected(StoreError{StoreError::Kind::failed, error.what()});
  }
  return run_and_wait([this] { return open_subscriptions(); });
}

NatsThreadStore::Result NatsThreadStore::run_and_wait(std::function<task<Result>()> make) {
  const auto result = std::make_shared<std::promise<Result>>();
  auto future = result->get_future();
  mailbox_.post(
      nats::Task([this, make = std::move(make), result] { session_.start(tell(make(), result)); }));
  return future.get();  // the task ends in a limited time
}

task<void> NatsThreadStore::tell(task<Result> work, std::shared_ptr<std::promise<Result>> result) {
  auto value = co_await std::move(work);
  result->set_value(std::move(value));
}

task<NatsThreadStore::Result> NatsThreadStore::open_subscriptions() {
  const TimePoint end = session_.now() + options_.start_time_max;
  nats::StreamRequest request;
  request.name = keys_.subscriptions_stream();
  request.subject = keys_.all_subscriptions();
  request.replicas = options_.replicas;
  request.limits.octets_max = 0;
  request.limits.when_full = WhenFull::refuse_new;
  request.keeps_one_of_subject = true;
  request.duplicate_window = duplicate_window;
  const auto info = co_await nats::open_stream(session_, request, end);
  if (!info) co_return std::unexpected(info.error());
  co_return Result();
}

nats::StreamRequest NatsThreadStore::channel_stream(const std::string& name) const {
  nats::StreamRequest request;
  request.name = keys_.stream(name);
  request.subject = keys_.subject(name);
  request.replicas = options_.replicas;
  request.limits = options_.limits;
  const auto age_max = options_.limits.age_max;
  request.duplicate_window =
      age_max.count() == 0 ? duplicate_window : std::min(duplicate_window, age_max);
  return request;
}

std::expected<void, StoreError> NatsThreadStore::open_channel(const std::string& channel,
                                                              EventListener listener) {
  return run_and_wait(
      [this, channel, listener = std::move(listener)] { return open(channel, listener); });
}

task<NatsThreadStore::Result> NatsThreadStore::open(std::string name, EventListener listener) {
  const TimePoint end = session_.now() + options_.start_time_max;
  const auto info = co_await nats::open_stream(session_, channel_stream(name), end);
  if (!info) co_return std::unexpected(info.error());
  if (const auto found = channels_.find(name); found != channels_.end())
    co_return found->second->open_again(std::move(listener));
  Channel::Place place;
  place.name = name;
  place.number = channels_by_number_.size();
  place.store = name_;
  place.secret = secret_;
  auto channel =
      std::make_unique<Channel>(session_, keys_, read_budget_, place, *info, std::move(listener));
  channels_by_number_.push_back(channel.get());
  Channel& opened = *channels_.emplace(std::move(name), std::move(channel)).first->second;
  opened.start();
  co_return Result();
}

template <typename Value, typename Serve>
void NatsThreadStore::request(const std::string& channel, std::size_t octets, Receive<Value> done,
                              Serve serve) {
  if (!admission_.enter(octets))
    return done(std::unexpected(
        StoreError{StoreError::Kind::busy, "too many requests wait for NATS; try again later"}));
  Receive<Value> leave_and_done =
      [this, octets, done = std::move(done)](std::expected<Value, StoreError> result) mutable {
        admission_.leave(octets);
        done(std::move(result));
      };
  const TimePoint end = session_.now() + options_.request_time_max;
  mailbox_.post(nats::Task(
      [this, channel, end, done = std::move(leave_and_done), serve = std::move(serve)]() mutable {
        const auto found = channels_.find(channel);
        if (found == channels_.end()) return done(std::unexpected(closed_channel(channel)));
        serve(*found->second, end, std::move(done));
      }));
}

void NatsThreadStore::append(const std::string& channel, std::string octets,
                             Receive<SequenceNumber> done) {
  const std::size_t size = octets.size();
  request(channel, size, std::move(done),
          [octets = std::move(octets)](Channel& found, TimePoint end,
                                       Receive<SequenceNumber> result) mutable {
            found.append(std::move(octets), end, std::move(result));
          });
}

void NatsThreadStore::subscribe(const std::string& channel, const std::string& name, Begin begin,
                                Receive<Subscription> done) {
  request(channel, name.size(), std::move(done),
          [this, name, begin](Channel& found, TimePoint end, Receive<Subscription> result) {
            session_.start(found.subscribe(name, begin, end, std::move(result)));
          });
}

void NatsThreadStore::position(const std::string& channel, const std::string& name,
                               Receive<Subscription> done) {
  request(channel, name.size(), std::move(done),
          [this, name](Channel& found, TimePoint end, Receive<Subscription> result) {
            session_.start(found.position(name, end, std::move(result)));
          });
}

void NatsThreadStore::unsubscribe(const std::string& channel, const std::string& name,
                                  Receive<void> done) {
  request(channel, name.size(), std::move(done),
          [this, name](Channel& found, TimePoint end, Receive<void> result) {
            session_.start(found.unsubscribe(name, end, std::move(result)));
          });
}

void NatsThreadStore::subscriptions(const std::string& channel,
                                    Receive<std::vector<Subscription>> done) {
  request(channel, 0, std::move(done),
          [this](Channel& found, TimePoint end, Receive<std::vector<Subscription>> result) {
            session_.start(found.subscriptions(end, std::move(result)));
          });
}

void NatsThreadStore::read(const std::string& channel, const std::string& name,
                           SequenceNumber after, std::size_t events_max, std::size_t octets_max,
                           Receive<std::vector<StoredEvent>> done) {
  const nats::Reading::Limits limits{events_max, octets_max};
  request(channel, name.size(), std::move(done),
          [this, name, after, limits](Channel& found, TimePoint end,
                                      Receive<std::vector<StoredEvent>> result) {
            session_.start(found.read(name, after, limits, end, std::move(result)));
          });
}

void NatsThreadStore::acknowledge(const std::string& channel, const std::string& name,
                                  SequenceNumber number, Receive<void> done) {
  request(channel, name.size(), std::move(done),
          [name, number](Channel& found, TimePoint end, Receive<void> result) {
            found.acknowledge(name, number, end, std::move(result));
          });
}

void NatsThreadStore::run() noexcept {
  while (!is_ending_ || admission_.requests() > 0) {
    for (nats::Mail& mail : mailbox_.take(next_step())) {
      if (auto* const task = std::get_if<nats::Task>(&mail))
        (*task)();
      else
        dispatch(std::move(std::get<Message>(mail)));
    }
    step();
  }
  session_.end();
  while (session_.tasks() > 0) session_.step();
}

void NatsThreadStore::dispatch(Message message) {
  if (message.subject.size() < inbox_.size() + 3) return;
  const char part = message.subject[inbox_.size() + 1];
  if (part == 'r') return session_.on_reply(std::move(message));
  const auto subject =
      parse_channel_subject(std::string_view(message.subject).substr(inbox_.size() + 3));
  if (!subject || subject->channel >= channels_by_number_.size()) return;
  Channel& channel = *channels_by_number_[subject->channel];
  if (part == 'a') channel.on_acknowledgement(subject->number, message);
  if (part == 'f') channel.on_pushed(subject->number, std::move(message));
}

void NatsThreadStore::step() {
  session_.step();
  for (Channel* const channel : channels_by_number_) channel->step();
  publish_status();
}

void NatsThreadStore::report_failure(const std::string& text) {
  if (failures_.may_write(session_.now()))
    log::write(log::Level::warning, "events", "NATS: no connection: " + text);
}

void NatsThreadStore::publish_status() {
  std::uint64_t sent_again = 0;
  std::uint64_t consumers = 0;
  for (const Channel* const channel : channels_by_number_) {
    sent_again += channel->sent_again();
    consumers += channel->consumers_made();
  }
  events_sent_again_ = sent_again;
  consumers_made_ = consumers;
}

TimePoint NatsThreadStore::next_step() const {
  // The clock of the options may not be the clock of the mailbox, so no wait is long.
  TimePoint next = std::min(session_.next_step(), session_.now() + milliseconds(1'000));
  for (const Channel* const channel : channels_by_number_)
    next = std::min(next, channel->next_step());
  return steady_clock().now() + (next - session_.now());
}

std::string mistake_in(const NatsStoreOptions& options) {
  if (options.servers.empty())
    return "no server of NATS is named; name one as nats://<host>:<port>";
  for (const std::string& server : options.servers)
    if (std::string mistake = nats::mistake_in_server(server); !mistake.empty()) return mistake;
  if (std::string mistake = nats::mistake_in_prefix(options.prefix); !mistake.empty())
    return mistake;
  if (options.certificate.empty() != options.key.empty())
    return "a certificate for NATS needs its key, and a key its certificate";
  const bool has_tls = std::ranges::any_of(
      options.servers, [](const std::string& server) { return server.starts_with("tls://"); });
  if (!has_tls && !(options.certificate.empty() && options.authorities.empty()))
    return "certificates and authorities for NATS need TLS; write the servers as "
           "tls://<host>:<port>";
  if (options.replicas == 0 || options.replicas > replicas_max)
    return "a stream of NATS has 1 to 5 replicas";
  if (options.limits.age_max.count() != 0 && options.limits.age_max < age_min)
    return "a stream of NATS keeps events for at least 20 s (--store-age-max); 0 is no limit";
  return {};
}

}  // namespace

std::expected<std::unique_ptr<NatsStore>, StoreError> open_nats_store(NatsStoreOptions options) {
  if (std::string mistake = mistake_in(options); !mistake.empty())
    return std::unexpected(StoreError{StoreError::Kind::failed, std::move(mistake)});
  options.request_time_max = std::max(options.request_time_max, milliseconds(1));
  auto store = std::make_unique<NatsThreadStore>(std::move(options));
  if (auto started = store->start(); !started) return std::unexpected(started.error());
  return store;
}

}  // namespace perigee::events
