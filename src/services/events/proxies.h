// The proxies of an event service: their objects, their number, and their end.
#pragma once

#include "services/events/access.h"
#include "services/events/channel.h"
#include "services/events/farewells.h"
#include "services/events/request_limit.h"
#include "services/events/shutdown_watch.h"
#include <perigee/async/task.h>
#include <perigee/base/clock.h>
#include <perigee/poa/poa.h>

#include <CosEventChannelAdminAsync.h>
#include <CosEventChannelAdminAsyncS.h>
#include <CosEventCommAsync.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events {

using ObjectRef = CORBA::object_reference<CORBA::Object>;

/// A proxy whose peer is a proxy of another channel pauses after this number of events. Otherwise
/// its calls would never return to the event loop if channels pass events to each other in a
/// circle.
constexpr unsigned events_between_pauses = 32;
constexpr std::chrono::milliseconds pause_time(1);  // 0 would end before other work of the loop

using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

class Proxies;

/// The common part of all four kinds of proxies. A servant derives from it.
class Proxy {
 public:
  using Id = PortableServer::ObjectId;

  Proxy(std::shared_ptr<Proxies> proxies, std::shared_ptr<Channel> channel);
  virtual ~Proxy() = default;
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  /// Called when the proxy has ended. Stops its tasks, and frees its place in the channel. With
  /// `tells_peer`, also tells the connected supplier or consumer, without waiting.
  virtual void end(bool tells_peer) = 0;
  [[nodiscard]] virtual bool is_connected() const = 0;
  /// Whether the proxy calls its peer, and so notices when the peer is gone.
  [[nodiscard]] virtual bool calls_peer() const = 0;

  void set_id(Id id) { id_ = std::move(id); }
  /// When the proxy was made, or a client last called it.
  [[nodiscard]] TimePoint last_use() const noexcept {
    return TimePoint(last_use_.load(std::memory_order_relaxed));
  }
  [[nodiscard]] const Channel& channel() const noexcept { return *channel_; }

 protected:
  void note_use() noexcept;
  /// Ends this proxy and its object.
  void end_self(bool tells_peer);
  /// Ends this proxy, whose channel has disconnected the peer. Raises Disconnected.
  [[noreturn]] void raise_disconnected();
  /// Called before a peer connects: raises OBJECT_NOT_EXIST or AlreadyConnected.
  static void require_unconnected(bool has_ended, bool is_connected);
  /// Whether the peer is a proxy of another channel of this service. Raises BAD_PARAM if it is a
  /// proxy of the same channel: its events would circulate for ever. Raises NO_PERMISSION if the
  /// client may not both supply and consume events. The calls between two proxies come from this
  /// process, and the access rules do not concern such calls.
  [[nodiscard]] bool is_own(const ObjectRef& peer) const;
  [[nodiscard]] const Options& options() const noexcept { return channel_->options(); }

  const std::shared_ptr<Proxies> proxies_;
  const std::shared_ptr<Channel> channel_;

 private:
  Id id_;  // set before the reference leaves the service
  std::atomic<Duration> last_use_;
};

/// A proxy whose task calls its peer.
class CallingProxy : public Proxy {
 public:
  using Proxy::Proxy;

  [[nodiscard]] bool calls_peer() const final { return true; }

 protected:
  /// Moves events until the peer fails or the proxy ends. `reason` gets the cause if the channel
  /// has to disconnect the peer. With `pauses`, pauses now and then: see `events_between_pauses`.
  virtual task<void> move_all(std::string& reason, bool pauses) = 0;
  /// Moves all events, then ends the proxy. `self` keeps the proxy alive. `peer` is "consumer" or
  /// "supplier".
  static task<void> serve(CORBA::servant_reference<PortableServer::Servant> self,
                          CallingProxy& proxy, const char* peer, bool pauses);

  std::stop_source stop_;
};

/// Any thread. Proxies and their tasks keep this object alive.
class Proxies : public std::enable_shared_from_this<Proxies> {
 public:
  using Id = Proxy::Id;
  using ServantRef = CORBA::servant_reference<PortableServer::Servant>;

  /// `poa` has the policies of the Root POA, without implicit activation.
  Proxies(CORBA::object_reference<CORBA::ORB> orb, PoaRef poa, const Options& options);
  Proxies(const Proxies&) = delete;
  Proxies& operator=(const Proxies&) = delete;

  /// Makes the object of a proxy. `Servant` derives from Proxy, and its constructor may have more
  /// arguments. Raises NO_RESOURCES beyond the limits of proxies.
  template <typename Servant, typename... More>
  ObjectRef make(const std::shared_ptr<Channel>& channel, const More&... more) {
    const std::string client = access_.client_name();
    Place place(*this, client);
    const auto servant = CORBA::make_reference<Servant>(shared_from_this(), channel, more...);
    const Id id = poa_->activate_object(servant);
    servant->set_id(id);
    const ObjectRef reference = poa_->id_to_reference(id);
    add(id, {servant, servant.get(), client}, place);
    return reference;
  }
  /// Ends the proxy and its object. Does nothing if it has ended before.
  void end(const Id& id, bool tells_peer);
  /// Ends all proxies of the channel, and tells their peers.
  void end_all_of(const Channel& channel);
  /// Ends all proxies of all channels. Further proxies are refused.
  void end_all();
  /// Does the same, and then waits until the peers have been told, at most for
  /// Options::end_time_max.
  void end_all_and_wait();
  /// Starts a task that tells a peer about the end of its proxy. No task awaits it, but
  /// `end_all_and_wait` does.
  void tell(task<void> farewell);
  [[nodiscard]] const Access& access() const noexcept { return access_; }
  /// Lets a shutdown of the ORB end all proxies if requests wait. Called once, after the
  /// constructor.
  void watch_shutdown();
  /// The channel of the object, if it is a proxy of this service; otherwise null.
  [[nodiscard]] const Channel* channel_of(const ObjectRef& object) const;
  [[nodiscard]] RequestLimit& waiting_pulls() noexcept { return waiting_pulls_; }
  [[nodiscard]] RequestLimit& waiting_pushes() noexcept { return waiting_pushes_; }
  /// The watch that ends requests that wait.
  [[nodiscard]] const std::shared_ptr<ShutdownWatch>& watch() const noexcept { return watch_; }
  /// Calls of `push` that may be in progress to one consumer: Options::pushes_per_consumer_max, but
  /// fewer if calls of all consumers together might need a second connection. Then they could
  /// overtake each other.
  [[nodiscard]] std::size_t pushes_per_consumer_max() const;
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] const CORBA::object_reference<CORBA::ORB>& orb() const noexcept { return orb_; }

 private:
  struct Entry {
    ServantRef servant;  // keeps the proxy alive
    Proxy* proxy = nullptr;
    std::string client;  // see Access::client_name
  };
  enum class Room : std::uint8_t { taken, service_is_full, client_is_full };

  /// Counts a proxy that is being made. Then its entry takes over the place.
  class Place {
   public:
    Place(Proxies& proxies, std::string client) : proxies_(proxies), client_(std::move(client)) {
      proxies_.reserve(client_);
    }
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// The entry takes over the place, which is then no longer freed by this object. Expects the
    /// lock.
    void hand_over() noexcept;

   private:
    Proxies& proxies_;
    const std::string client_;
    bool is_handed_over_ = false;
  };

  void reserve(const std::string& client);
  /// Whether to search for unused proxies. False: the last search for this reason was less than a
  /// second ago.
  [[nodiscard]] bool may_search(Room reason);
  [[nodiscard]] Room try_reserve(const std::string& client);
  [[noreturn]] void raise_full(Room room, const std::string& client) const;
  /// The functions of places in `of_client_` expect the lock.
  void add_place(const std::string& client);
  void remove_place(const std::string& client) noexcept;
  /// Adds the entry of a proxy. If the channel has ended, ends the object and raises
  /// OBJECT_NOT_EXIST.
  void add(const Id& id, Entry entry, Place& place);
  [[nodiscard]] bool try_add(const Id& id, Entry entry, Place& place);
  void deactivate(const Id& id);
  [[nodiscard]] std::vector<Id> unused() const;

  const CORBA::object_reference<CORBA::ORB> orb_;
  const PoaRef poa_;
  const Options options_;
  const Access access_;
  const std::uint32_t calls_in_order_max_;
  const std::shared_ptr<Farewells> farewells_ = std::make_shared<Farewells>();
  std::shared_ptr<ShutdownWatch> watch_;
  RequestLimit waiting_pulls_;
  RequestLimit waiting_pushes_;
  mutable std::mutex mutex_;  // guards the members below
  std::map<Id, Entry> entries_;
  std::size_t in_making_ = 0;
  std::map<std::string, std::size_t> of_client_;  // entries and proxies in making
  bool ended_ = false;
  std::map<Room, TimePoint> next_search_;  // for unused proxies, by the reason
};

}  // namespace perigee::events
