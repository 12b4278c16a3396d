// Checking connections out and in. The invariant is written at ConnectionSlot.
#include "orb/client/endpoint_table.h"

#include "engine/client/opening.h"
#include "orb/client/await_change.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>

namespace perigee::orb {

namespace {

// Octets that callers may leave for another thread to send. The limit is low: the sending thread
// may also be the reading thread, and larger requests can wait for their turn
// (ClientConnection::transact).
constexpr std::size_t shared_queue_size_max = 64 * 1024;

// Threads are numbered from 0. The number selects the slot where a thread looks for a connection
// first.
constinit std::atomic<std::uint32_t> threads{0};
constinit thread_local std::uint32_t thread_number_plus_1 = 0;  // zero: it has none yet

std::uint32_t thread_number() noexcept {
  if (thread_number_plus_1 == 0) [[unlikely]]
    thread_number_plus_1 = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return thread_number_plus_1 - 1;
}

// An upcall on the thread of a loop may make a call. While this call sends its request, all clients
// of the loop wait.
std::chrono::milliseconds nested_send_timeout(const Settings& settings) {
  return serves_while_waiting(settings.thread_strategy) ? settings.send_timeout
                                                        : std::chrono::milliseconds::zero();
}

// The lease owns the slot: `give_back` deletes it.
ConnectionSlot* make_temporary_slot() {
  auto slot = std::make_unique<ConnectionSlot>();
  slot->users.store(1);
  slot->temporary = true;
  return slot.release();
}

}  // namespace

std::chrono::milliseconds connect_timeout(const CheckoutLimits& limits, TimePoint now) {
  Deadline end = limits.deadline;
  if (limits.connecting != nullptr && limits.connecting->is_limited())
    end = std::min(end, Deadline::after(limits.connecting->left(), now));
  if (end.is_never()) return {};
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(end.left(now) / limits.addresses),
                  std::chrono::milliseconds(1));
}

Deadline connect_end(const CheckoutLimits& limits, TimePoint now) {
  const auto longest = connect_timeout(limits, now);
  return longest.count() != 0 ? Deadline::after(longest, now) : Deadline::never();
}

ClientEndpoint::ClientEndpoint(transport::Endpoint endpoint, const CodeSetChoice& choice,
                               std::shared_ptr<transport::Connector> connector,
                               const messaging::MessagingProtocol& protocol,
                               const messaging::Carrier& carrier, const Settings& settings,
                               engine::TrafficLedger& ledger, WakeTimer& idle_timer,
                               WakeTimer& flush_timer,
                               std::shared_ptr<engine::OutputFlusher> flusher)
    : endpoint_(std::move(endpoint)),
      code_sets_(choice.code_sets),
      announced_octets_(iop::encode_code_set_context(choice.announced)),
      connector_(std::move(connector)),
      protocol_(protocol),
      loses_messages_(!carrier.reliable),
      settings_(settings),
      ledger_(ledger),
      idle_timer_(idle_timer),
      flush_timer_(flush_timer),
      flusher_(std::move(flusher)),
      slots_(std::max<std::uint32_t>(settings.connections_per_endpoint_max, 1)),
      slots_count_(static_cast<std::uint32_t>(slots_.size())) {
  if (choice.announced.char_data != 0)
    announcement_.push_back({iop::context_code_sets, announced_octets_});
}

bool ClientEndpoint::claim(ConnectionSlot& slot) noexcept {
  std::uint32_t expected = 0;
  return slot.users.compare_exchange_strong(expected, 1, std::memory_order_acquire);
}

ConnectionSlot& ClientEndpoint::own_slot() noexcept {
  return slots_[thread_number() % slots_count_];
}

ConnectionSlot* ClientEndpoint::claim_usable_own() noexcept {
  ConnectionSlot& own = own_slot();
  if (!claim(own)) return nullptr;
  if (own.connection && own.connection->usable()) [[likely]]
    return &own;
  give_back(own);
  return nullptr;
}

std::expected<ConnectionLease, IoError> ClientEndpoint::checkout(Freshness freshness,
                                                                 Sharing sharing,
                                                                 const CheckoutLimits& limits) {
  if (freshness == Freshness::any && sharing != Sharing::forbidden)
    if (ConnectionSlot* const own = claim_usable_own()) return ConnectionLease(*this, *own, true);
  const Choice choice = choose(freshness, sharing, limits);
  if (choice.slot == nullptr) return std::unexpected(timed_out());
  if (choice.connected) return ConnectionLease(*this, *choice.slot, true);
  return connect(*choice.slot, limits);
}

// The thread counts as a waiter before it first looks for a slot. So either it sees a connection
// that another thread gives back, or that thread sees the waiter and takes the mutex to wake it.
// The result has no slot if the deadline passes first.
ClientEndpoint::Choice ClientEndpoint::choose(Freshness freshness, Sharing sharing,
                                              const CheckoutLimits& limits) {
  std::unique_lock lock(mutex_);
  struct Waiter {
    std::atomic<std::uint32_t>& count;
    explicit Waiter(std::atomic<std::uint32_t>& waiters) : count(waiters) { count.fetch_add(1); }
    ~Waiter() { count.fetch_sub(1); }
  } const waiter(waiters_);
  Choice choice = look(freshness, sharing);
  if (choice.slot != nullptr) return choice;
  // Every slot is being connected, or its connection has failed and still has users.
  const ConnectTime time(limits.connecting, idle_timer_.clock());
  const Deadline end = connect_end(limits, idle_timer_.now());
  while (choice.slot == nullptr && await_change(slot_changed_, lock, end, idle_timer_.clock()))
    choice = look(freshness, sharing);
  return choice;
}

IoError ClientEndpoint::timed_out() const {
  return {IoErrorKind::timed_out, IoOperation::connect, 0, to_string(endpoint_)};
}

ClientEndpoint::Choice ClientEndpoint::look(Freshness freshness, Sharing sharing) {
  Choice choice;
  const ConnectionSlot& own = own_slot();
  if (sharing == Sharing::in_order && !own.exclusive) return claim_own();
  // A call on another connection could overtake the thread's oneways on this one.
  const bool follows_oneways =
      own.shareable && !own.exclusive && own.connection->has_unconfirmed_oneways();
  if (follows_oneways && freshness == Freshness::any && sharing == Sharing::allowed)
    return claim_own();
  if (freshness == Freshness::any) choice = claim_connected();
  if (choice.slot == nullptr) choice = claim_for_connecting(freshness);
  if (choice.slot != nullptr) {
    choice.slot->exclusive = sharing == Sharing::forbidden;
    return choice;
  }
  if (sharing == Sharing::forbidden) return {make_temporary_slot(), false};
  return share();
}

// The result has no slot while a thread is making the connection, or while a failed connection
// still has users.
ClientEndpoint::Choice ClientEndpoint::claim_own() noexcept {
  ConnectionSlot& own = own_slot();
  if (own.shareable) {
    own.users.fetch_add(1);  // before looking, as in `share`
    if (own.connection->usable()) return {&own, true};
    own.users.fetch_sub(1);
  }
  if (!claim(own)) return {};
  own.shareable = false;
  return {&own, false};
}

ClientEndpoint::Choice ClientEndpoint::claim_connected() noexcept {
  for (ConnectionSlot& slot : slots_) {
    if (!slot.shareable || !claim(slot)) continue;
    if (slot.connection->usable()) return {&slot, true};
    slot.users.fetch_sub(1);
  }
  return {};
}

// Claims an empty slot, or a slot whose connection has failed. If there is no such slot, and the
// caller needs a fresh connection, claims an idle slot. The caller replaces the connection in the
// slot. The thread's own slot comes first: `claim_usable_own` finds the connection there.
ClientEndpoint::Choice ClientEndpoint::claim_for_connecting(Freshness freshness) noexcept {
  for (const bool replaces_usable : {false, true}) {
    if (replaces_usable && freshness == Freshness::any) break;
    for (std::uint32_t offset = 0; offset < slots_count_; ++offset) {
      ConnectionSlot& slot = slots_[(thread_number() + offset) % slots_count_];
      if (!claim(slot)) continue;
      const bool usable = slot.shareable && slot.connection->usable();
      const bool oneways_wait = usable && !slot.connection->oneways().empty();
      if (usable == replaces_usable && !oneways_wait) {
        slot.shareable = false;
        return {&slot, false};
      }
      slot.users.fetch_sub(1);
    }
  }
  return {};
}

ClientEndpoint::Choice ClientEndpoint::share() noexcept {
  ConnectionSlot* best = nullptr;
  for (ConnectionSlot& slot : slots_) {
    if (!slot.shareable || slot.exclusive) continue;
    // Counted before looking: the connection may be removed only while there is one user.
    slot.users.fetch_add(1);
    const bool usable = slot.connection->usable();
    slot.users.fetch_sub(1);
    if (usable && (best == nullptr || slot.users.load() < best->users.load())) best = &slot;
  }
  if (best == nullptr) return {};
  best->users.fetch_add(1);
  return {best, true};
}

std::expected<std::unique_ptr<transport::Transport>, IoError> ClientEndpoint::open(
    std::chrono::milliseconds timeout) {
  if (connector_ != nullptr)
    return engine::connect_and_open(*connector_, endpoint_, timeout, idle_timer_.clock());
  return std::unexpected(
      IoError{IoErrorKind::unsupported, IoOperation::connect, 0, to_string(endpoint_)});
}

std::expected<ConnectionLease, IoError> ClientEndpoint::connect(ConnectionSlot& slot,
                                                                const CheckoutLimits& limits) {
  ConnectionLease lease(*this, slot, false);  // gives the slot back if there is an error
  slot.connection.reset();
  const ConnectTime time(limits.connecting, idle_timer_.clock());
  if (limits.connecting != nullptr && limits.connecting->is_spent())
    return std::unexpected(timed_out());
  auto transport = open(connect_timeout(limits, idle_timer_.now()));
  if (!transport) return std::unexpected(std::move(transport.error()));
  log_connected();
  slot.connection = std::make_unique<ClientConnection>(
      std::move(*transport), protocol_,
      engine::ChannelLimits{settings_.read_buffer_size, shared_queue_size_max, settings_.busy_poll,
                            nested_send_timeout(settings_), flusher_.get(), &idle_timer_.clock()},
      settings_.first_reply_timeout, &ledger_, &flush_timer_);
  slot.idle = {};
  watch_idle();
  const std::lock_guard lock(mutex_);
  slot.shareable = true;
  notify_waiters();
  return lease;
}

void ClientEndpoint::log_connected() noexcept try {
  failure_logged_.store(false);
  if (!chosen_by_distance_.load() || !log::enabled(log::Level::info)) return;
  log::write(log::Level::info, "orb",
             "connected to " + to_string(endpoint_) +
                 ": it is on this host, so it is tried before addresses in the network");
} catch (const std::exception& exception) {  // no memory for the line
  log::write(log::Level::info, "orb", exception.what());
}

// The calls through this endpoint go on with the next address, so one line is enough.
void ClientEndpoint::log_failed_connect(const IoError& error) noexcept try {
  if (!log::enabled(log::Level::info) || failure_logged_.exchange(true)) return;
  log::write(log::Level::info, "orb", to_string(error) + "; the call tries the next address");
} catch (const std::exception& exception) {  // no memory for the line
  log::write(log::Level::info, "orb", exception.what());
}

void ClientEndpoint::give_back(ConnectionSlot& slot) noexcept {
  if (slot.temporary) {
    const std::unique_ptr<ConnectionSlot> owned(&slot);
    return;
  }
  if (slot.exclusive) {  // this is the only user, so no other thread writes it
    const std::lock_guard lock(mutex_);
    slot.exclusive = false;
  }
  std::unique_ptr<ClientConnection> failed;  // destroyed outside the lock
  if (slot.connection && !slot.connection->usable()) {
    const std::lock_guard lock(mutex_);
    if (slot.users.load() == 1) {
      slot.shareable = false;
      failed = std::move(slot.connection);
    }
  }
  slot.users.fetch_sub(1);
  if (waiters_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  notify_waiters();
}

void ClientEndpoint::notify_waiters() noexcept {
  if (waiters_.load() != 0) slot_changed_.notify_all();
}

// Connections in use are left alone, since they are not idle. This thread is the only user of each
// connection that it claims, unless another thread joins.
void ClientEndpoint::close_idle(TimePoint now, Duration limit) {
  for (ConnectionSlot& slot : slots_) {
    if (!claim(slot)) continue;
    const ConnectionLease lease(*this, slot, true);
    if (!slot.connection) continue;
    const bool idle = slot.idle.lasted(slot.connection->requests(), now, limit);
    slot.connection->look_for_close();
    if (!idle) continue;
    slot.connection->oneways().flush_or_close(
        Deadline::after(settings_.drain_timeout, idle_timer_.now()));
    retire(slot);
  }
}

// If no thread can be started, idle connections stay open until the next connect starts one.
void ClientEndpoint::watch_idle() noexcept {
  const auto period = engine::watch_period(settings_.client_idle_timeout);
  if (period.count() > 0) (void)idle_timer_.wake_at(Deadline::after(period, idle_timer_.now()));
}

// Closes the connection, unless another thread has joined it or has left oneways in its queue.
void ClientEndpoint::retire(ConnectionSlot& slot) noexcept {
  std::unique_ptr<ClientConnection> retired;  // destroyed after the lock
  const std::lock_guard lock(mutex_);
  if (slot.users.load() != 1 || slot.connection->output_waits()) return;
  slot.shareable = false;
  retired = std::move(slot.connection);
}

// The only user of an exclusive connection sends the oneways itself.
template <typename Waits>
ConnectionLease ClientEndpoint::join_if(ConnectionSlot& slot, Waits waits) {
  const std::lock_guard lock(mutex_);
  if (!slot.shareable || slot.exclusive || !waits(*slot.connection)) return {};
  slot.users.fetch_add(1);
  return {*this, slot, true};
}

Deadline ClientEndpoint::flush_due(TimePoint now) {
  Deadline next;
  const auto waits = [](const ClientConnection& each) { return each.oneways().is_watched(); };
  for (ConnectionSlot& slot : slots_)
    if (const ConnectionLease lease = join_if(slot, waits))
      next = std::min(next, slot.connection->oneways().flush_due(now, settings_.drain_timeout));
  return next;
}

// Also handles the oneways that another thread or the timer is sending now.
std::uint32_t ClientEndpoint::flush() {
  const auto waits = [](const ClientConnection& each) {
    return each.output_waits() || each.oneways().is_watched();
  };
  std::uint32_t waiting = 0;
  for (ConnectionSlot& slot : slots_) {
    const ConnectionLease lease = join_if(slot, waits);
    if (!lease) continue;
    slot.connection->oneways().flush_or_close(
        Deadline::after(settings_.drain_timeout, idle_timer_.now()));
    waiting += slot.connection->oneways().count();
  }
  return waiting;
}

bool ClientEndpoint::oneways_wait() {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(slots_, [](const ConnectionSlot& slot) {
    return slot.shareable && !slot.connection->oneways().empty();
  });
}

void ClientEndpoint::close_all() noexcept {
  const std::lock_guard lock(mutex_);
  for (ConnectionSlot& slot : slots_) {
    if (!slot.shareable) continue;
    slot.users.fetch_add(1);
    slot.connection->close();
    slot.users.fetch_sub(1);
  }
}

EndpointTable::EndpointTable(const transport::ProtocolRegistry& protocols,
                             const messaging::MessagingProtocol& protocol, const Settings& settings,
                             engine::TrafficLedger& ledger, const Clock& clock)
    : protocols_(protocols),
      protocol_(protocol),
      settings_(settings),
      ledger_(ledger),
      clock_(clock),
      idle_timer_(clock,
                  [this](TimePoint now) {
                    close_idle();
                    return Deadline::after(engine::watch_period(settings_.client_idle_timeout),
                                           now);
                  }),
      flush_timer_(clock, [this](TimePoint now) { return flush_due(now); }) {}

// The result does not own the registry's connector, which lives as long as the ORB.
std::shared_ptr<transport::Connector> EndpointTable::connector(
    const std::string& scheme, const transport::Properties& properties) const {
  if (properties.empty()) return {std::shared_ptr<void>(), protocols_.connector(scheme)};
  transport::ProtocolFactory* const factory = protocols_.find(scheme);
  if (factory == nullptr) return nullptr;
  return factory->make_connector_with(properties);
}

std::shared_ptr<ClientEndpoint> EndpointTable::find(const transport::Endpoint& endpoint,
                                                    const CodeSetChoice& choice,
                                                    const transport::Properties& properties) {
  const std::lock_guard lock(mutex_);
  // If another protocol has taken over the scheme, the key differs.
  const transport::ProtocolFactory* const factory = protocols_.find(endpoint.scheme);
  Key key(endpoint, choice, properties, factory);
  if (const auto known = endpoints_.find(key); known != endpoints_.end()) return known->second;
  if (endpoints_.size() >= std::max<std::size_t>(size_to_forget_, settings_.endpoints_max))
    forget_unused();
  const messaging::MessagingProtocol* const own = protocols_.messaging(endpoint.scheme);
  auto made = std::make_shared<ClientEndpoint>(
      endpoint, choice, connector(endpoint.scheme, properties), own != nullptr ? *own : protocol_,
      factory != nullptr ? factory->carrier() : messaging::Carrier{}, settings_, ledger_,
      idle_timer_, flush_timer_, flusher_);
  endpoints_.emplace(std::move(key), made);
  return made;
}

// Expects the mutex to be held. All endpoints may be in use. The next look waits until the table
// has grown by an eighth, so each new endpoint costs only a few looks at others.
void EndpointTable::forget_unused() {
  log::write(log::Level::debug, "orb", "many endpoints: forgetting endpoints without references");
  std::erase_if(endpoints_, [](const auto& entry) {
    return entry.second.use_count() == 1 && !entry.second->oneways_wait();
  });
  size_to_forget_ = endpoints_.size() + endpoints_.size() / 8 + 1;
}

std::vector<std::shared_ptr<ClientEndpoint>> EndpointTable::endpoints() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<ClientEndpoint>> all;
  for (const auto& [key, client] : endpoints_) all.push_back(client);
  return all;
}

void EndpointTable::close_idle() {
  const TimePoint now = clock_.now();
  for (const auto& client : endpoints()) client->close_idle(now, settings_.client_idle_timeout);
}

Deadline EndpointTable::flush_due(TimePoint now) {
  Deadline next;
  for (const auto& client : endpoints()) next = std::min(next, client->flush_due(now));
  return next;
}

FlushResult EndpointTable::flush() {
  FlushResult result;
  for (const auto& client : endpoints()) result.waiting += client->flush();
  const std::uint64_t lost = ledger_.oneways_lost.load();
  std::uint64_t told = lost_told_.load();
  while (told < lost && !lost_told_.compare_exchange_weak(told, lost)) {
  }
  if (told < lost) result.lost = lost - told;
  return result;
}

// The thread that checks idle connections may be reading a connection. The read returns when this
// connection is closed, so the thread is stopped last.
void EndpointTable::close_all() noexcept {
  flush_timer_.stop();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, client] : endpoints_) client->close_all();
  }
  idle_timer_.stop();
}

}  // namespace perigee::orb
