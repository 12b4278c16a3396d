// Proxies end when a peer disconnects, when a peer fails, with their channel, or if clients do not
// use them and others need their places.
#include "services/events/proxies.h"

#include <perigee/base/log.h>

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
  return channel != nullptr;
}

void Proxy::end_self(bool tells_peer) { proxies_->end(id_, tells_peer); }

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
      waiting_pulls_(options.waiting_pulls_max, minor_no_event_yet),
      waiting_pushes_(options.waiting_pushes_max, 0) {}

Proxies::Place::~Place() {
  const std::scoped_lock lock(proxies_.mutex_);
  --proxies_.in_making_;
}

std::size_t Proxies::count() const {
  const std::scoped_lock lock(mutex_);
  return entries_.size();
}

void Proxies::add(const Id& id, ServantRef servant, Proxy& proxy) {
  if (try_add(id, std::move(servant), proxy)) return;
  deactivate(id);
  throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the channel has ended");
}

bool Proxies::try_add(const Id& id, ServantRef servant, Proxy& proxy) {
  const std::scoped_lock lock(mutex_);
  if (ended_ || proxy.channel().has_ended()) return false;
  entries_[id] = {std::move(servant), &proxy};
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

bool Proxies::try_reserve() {
  const std::scoped_lock lock(mutex_);
  if (entries_.size() + in_making_ >= options_.proxies_max) return false;
  ++in_making_;
  return true;
}

bool Proxies::may_search() {
  const TimePoint now = options_.clock->now();
  const std::scoped_lock lock(mutex_);
  if (now < next_search_) return false;
  next_search_ = now + std::chrono::seconds(1);
  return true;
}

// The search for unused proxies takes time, so it is only made at the limit, once a second.
void Proxies::reserve() {
  if (try_reserve()) return;
  if (may_search())
    for (const Id& id : unused()) end(id, true);
  if (try_reserve()) return;
  throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO,
                            "the event service has " + std::to_string(options_.proxies_max) +
                                " suppliers and consumers, which is its limit");
}

void Proxies::end(const Id& id, bool tells_peer) {
  Entry entry;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    entry = std::move(found->second);
    entries_.erase(found);
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

void Proxies::watch_shutdown() {
  watch_ = std::make_shared<ShutdownWatch>(orb_, *options_.clock, [proxies = weak_from_this()] {
    if (const auto self = proxies.lock()) self->end_all();
  });
}

}  // namespace perigee::events
