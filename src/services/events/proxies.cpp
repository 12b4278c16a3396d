// A proxy ends when its peer disconnects or fails, and when its channel ends. A proxy that no
// client uses also ends if a new proxy needs its place.
#include "services/events/proxies.h"

#include <perigee/base/log.h>
#include <perigee/orb/calls_in_order.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::events {

// --- Proxy ---

Proxy::Proxy(std::shared_ptr<Proxies> proxies, std::shared_ptr<Channel> channel)
    : proxies_(std::move(proxies)), channel_(std::move(channel)) {
  note_use();
}

void Proxy::note_use() noexcept {
  last_use_.store(options().clock->now().time_since_epoch(), std::memory_order_relaxed);
}

bool Proxy::is_own(const ObjectRef& peer) const {
  const Channel* const channel = proxies_->channel_of(peer);
  if (channel == channel_.get())
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                           "a proxy of a channel cannot be a supplier or consumer of this channel");
  if (channel == nullptr) return false;
  proxies_->access().require_consume();
  proxies_->access().require_supply();
  return true;
}

void Proxy::end_self(bool tells_peer) { proxies_->end(id_, tells_peer); }

void Proxy::raise_disconnected() {
  end_self(true);
  throw CosEventComm::Disconnected();
}

void Proxy::require_unconnected(bool has_ended, bool is_connected) {
  if (has_ended) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the proxy has ended");
  if (is_connected) throw CosEventChannelAdmin::AlreadyConnected();
}

// --- CallingProxy ---

task<void> CallingProxy::serve(CORBA::servant_reference<PortableServer::Servant> self,
                               CallingProxy& proxy, const char* peer, bool pauses) {
  std::string reason;
  try {
    co_await proxy.move_all(reason, pauses);
  } catch (const std::exception& exception) {  // no memory, or the ORB has ended
    reason = exception.what();
  }
  const std::stop_token stop = co_await stop_token_of_this_task();
  if (!reason.empty() && !stop.stop_requested()) proxy.channel_->count_disconnected(peer, reason);
  proxy.end_self(true);
  self = nullptr;
}

// --- Proxies ---

Proxies::Proxies(CORBA::object_reference<CORBA::ORB> orb, PoaRef poa, const Options& options)
    : orb_(std::move(orb)),
      poa_(std::move(poa)),
      options_(options),
      access_(*orb_, options_),
      calls_in_order_max_(orb::calls_in_order_max(orb_)),
      waiting_pulls_(options.waiting_pulls_max, minor_no_event_yet),
      waiting_pushes_(options.waiting_pushes_max, 0) {}

Proxies::Place::~Place() {
  if (is_handed_over_) return;
  const std::scoped_lock lock(proxies_.mutex_);
  --proxies_.in_making_;
  proxies_.remove_place(client_);
}

void Proxies::Place::hand_over() noexcept {
  is_handed_over_ = true;
  --proxies_.in_making_;
}

// Clients in this process have an empty name, and no limit for each client.
void Proxies::add_place(const std::string& client) {
  if (!client.empty()) ++of_client_[client];
}

void Proxies::remove_place(const std::string& client) noexcept {
  const auto found = of_client_.find(client);
  if (found != of_client_.end() && --found->second == 0) of_client_.erase(found);
}

// All consumers may be behind one connection. Half of its calls are left for consumers that connect
// while calls are in progress.
std::size_t Proxies::pushes_per_consumer_max() const {
  const std::size_t proxies = std::max<std::size_t>(count(), 1);
  const std::size_t share = calls_in_order_max_ / 2 / proxies;
  return std::clamp<std::size_t>(share, 1,
                                 std::clamp<std::size_t>(options_.pushes_per_consumer_max, 1, 256));
}

std::size_t Proxies::count() const {
  const std::scoped_lock lock(mutex_);
  return entries_.size();
}

void Proxies::add(const Id& id, Entry entry, Place& place) {
  if (try_add(id, std::move(entry), place)) return;
  deactivate(id);
  throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the channel has ended");
}

bool Proxies::try_add(const Id& id, Entry entry, Place& place) {
  const std::scoped_lock lock(mutex_);
  if (ended_ || entry.proxy->channel().has_ended()) return false;
  entries_[id] = std::move(entry);
  place.hand_over();
  return true;
}

const Channel* Proxies::channel_of(const ObjectRef& object) const {
  try {
    const Id id = poa_->reference_to_id(object);
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : &found->second.proxy->channel();
  } catch (const PortableServer::POA::WrongAdapter&) {
    return nullptr;
  }
}

std::vector<Proxies::Id> Proxies::unused() const {
  const TimePoint now = options_.clock->now();
  std::vector<Id> found;
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, entry] : entries_) {
    const bool is_connected = entry.proxy->is_connected();
    if (is_connected && entry.proxy->calls_peer()) continue;
    const Duration limit = is_connected ? options_.idle_max : options_.unconnected_max;
    if (now - entry.proxy->last_use() > limit) found.push_back(id);
  }
  return found;
}

Proxies::Room Proxies::try_reserve(const std::string& client) {
  const std::scoped_lock lock(mutex_);
  if (entries_.size() + in_making_ >= options_.proxies_max) return Room::service_is_full;
  const auto found = of_client_.find(client);
  if (found != of_client_.end() && found->second >= options_.proxies_per_client_max)
    return Room::client_is_full;
  add_place(client);
  ++in_making_;
  return Room::taken;
}

bool Proxies::may_search(Room reason) {
  const TimePoint now = options_.clock->now();
  const std::scoped_lock lock(mutex_);
  TimePoint& next = next_search_.try_emplace(reason, TimePoint::min()).first->second;
  if (now < next) return false;
  next = now + std::chrono::seconds(1);
  return true;
}

// The search for unused proxies takes time. So it is made only when a limit is reached, and at most
// once a second.
void Proxies::reserve(const std::string& client) {
  Room room = try_reserve(client);
  if (room == Room::taken) return;
  if (may_search(room))
    for (const Id& id : unused()) end(id, true);
  room = try_reserve(client);
  if (room != Room::taken) raise_full(room, client);
}

void Proxies::raise_full(Room room, const std::string& client) const {
  if (room == Room::client_is_full)
    throw CORBA::NO_RESOURCES(
        0, CORBA::COMPLETED_NO,
        "the client (" + client + ") has " + std::to_string(options_.proxies_per_client_max) +
            " suppliers and consumers, which is the limit of one client; raise it, as with "
            "perigee-events --proxies-per-client-max");
  throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO,
                            "the event service has " + std::to_string(options_.proxies_max) +
                                " suppliers and consumers, which is its limit; raise it, as with "
                                "perigee-events --proxies-max");
}

void Proxies::end(const Id& id, bool tells_peer) {
  Entry entry;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    entry = std::move(found->second);
    entries_.erase(found);
    remove_place(entry.client);
  }
  entry.proxy->end(tells_peer);
  deactivate(id);
}

void Proxies::deactivate(const Id& id) {
  try {
    poa_->deactivate_object(id);
  } catch (const CORBA::Exception& exception) {  // the adapter is being destroyed
    log::write(log::Level::debug, "events", exception.what());
  }
}

void Proxies::end_all_of(const Channel& channel) {
  std::vector<Id> all;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, entry] : entries_)
      if (&entry.proxy->channel() == &channel) all.push_back(id);
  }
  for (const Id& id : all) end(id, true);
}

void Proxies::end_all() {
  std::vector<Id> all;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    for (const auto& [id, entry] : entries_) all.push_back(id);
  }
  for (const Id& id : all) end(id, true);
}

void Proxies::end_all_and_wait() {
  farewells_->keep();
  end_all();
  farewells_->tell_all(orb_, options_.end_time_max);
}

void Proxies::tell(task<void> farewell) { farewells_->tell(std::move(farewell)); }

void Proxies::watch_shutdown() {
  watch_ = std::make_shared<ShutdownWatch>(orb_, *options_.clock, [proxies = weak_from_this()] {
    if (const auto self = proxies.lock()) self->end_all();
  });
}

}  // namespace perigee::events
