// What a durable event channel keeps: its events, and how far each subscription has got. The
// interface of storage back ends. A store knows no ORB: events are octets.
#pragma once

#include <perigee/base/export.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events {

/// The place of an event in its channel. The first event has 1. Later events have larger numbers,
/// and a store never uses a number again. Numbers may be missing.
using SequenceNumber = std::uint64_t;

struct StoredEvent {
  SequenceNumber number = 0;
  std::string octets;  ///< the value of the event, an any, as an encapsulation in CDR
};

/// Why a store cannot do its work. `text` is for operators: it has the file or server, the cause
/// and a remedy.
struct StoreError {
  enum class Kind : std::uint8_t {
    failed,           ///< an error of the system or of the database
    full,             ///< no space is left, or a limit of the store is reached
    read_only,        ///< the file or its folder cannot be written
    corrupt,          ///< the file is not a store, or is damaged
    newer,            ///< a later version of Perigee has written the file
    busy,             ///< another program uses the file, or too many requests wait
    unavailable,      ///< the servers of the store did not answer in time; nothing was changed
    uncertain,        ///< the same, but the change may have been made
    too_large,        ///< the store keeps no events of this size
    no_subscription,  ///< the channel has no subscription of this name
  };
  Kind kind = Kind::failed;
  std::string text;
};

/// A function that receives a result once. Runs inside the call or later on a thread of the store.
/// Must not throw, and must not wait for the store.
template <typename Result>
using Receive = std::move_only_function<void(std::expected<Result, StoreError>)>;

/// A subscription of one durable consumer, which has processed all events up to `acknowledged`.
struct Subscription {
  std::string name;
  SequenceNumber acknowledged = 0;
  /// Events that the limits of the store have removed before they were acknowledged. 0 if the store
  /// does not count them.
  std::uint64_t missed = 0;
};

/// Where a new subscription begins.
enum class Begin : std::uint8_t {
  next_event,   ///< with the first event that is appended later
  first_event,  ///< with the oldest event that the store still has
};

/// A function that is called with each new event of a channel, in the order of the numbers, when
/// the event is durable. Runs on a thread of the store, one call at a time, and before `append`
/// reports the event. A store that runs in other servers may report an event before the listener
/// gets it, if the time of the request is over. Must not throw, and must not wait for the store.
using EventListener = std::function<void(const StoredEvent&)>;

/// Keeps the events of channels, and subscriptions. Any thread. Several services may share the
/// channels of one store, if the store allows it.
class PERIGEE_API EventStore {
 public:
  virtual ~EventStore() = default;

  /// Opens the channel, and makes it if it does not exist. `listener` gets the events that are
  /// appended later, by this store and by the other services that share the channel. Blocks: call
  /// it for each channel, before the other functions. A further call replaces the listener.
  [[nodiscard]] virtual std::expected<void, StoreError> open_channel(const std::string& channel,
                                                                     EventListener listener) = 0;
  /// Appends an event. `done` gets its number when the event is durable. Events of one thread are
  /// appended in the order of the calls. After `uncertain`, the event may be in the channel.
  virtual void append(const std::string& channel, std::string octets,
                      Receive<SequenceNumber> done) = 0;
  /// Makes the subscription. If it exists already, ignores `begin` and returns it.
  virtual void subscribe(const std::string& channel, const std::string& name, Begin begin,
                         Receive<Subscription> done) = 0;
  /// The subscription as the store has it now: other services may have changed it. This default
  /// looks it up among `subscriptions`.
  virtual void position(const std::string& channel, const std::string& name,
                        Receive<Subscription> done) {
    subscriptions(channel, [name, done = std::move(done)](
                               std::expected<std::vector<Subscription>, StoreError> all) mutable {
      if (!all) return done(std::unexpected(std::move(all.error())));
      for (Subscription& each : *all)
        if (each.name == name) return done(std::move(each));
      done(std::unexpected(StoreError{StoreError::Kind::no_subscription,
                                      "there is no subscription '" + name + "'"}));
    });
  }
  /// Ends the subscription. The store no longer keeps events for it.
  virtual void unsubscribe(const std::string& channel, const std::string& name,
                           Receive<void> done) = 0;
  virtual void subscriptions(const std::string& channel,
                             Receive<std::vector<Subscription>> done) = 0;
  /// The events with numbers above `after`, in order: at most `events_max`, and not more octets
  /// than `octets_max` except for one event. Empty: there are none yet, and the listener gets the
  /// next one.
  virtual void read(const std::string& channel, const std::string& name, SequenceNumber after,
                    std::size_t events_max, std::size_t octets_max,
                    Receive<std::vector<StoredEvent>> done) = 0;
  /// Marks the events up to this number as processed: a later process reads the events after them.
  /// `done` is called when this is durable. A smaller number than before changes nothing, and a
  /// number beyond the last event counts as the number of the last event.
  virtual void acknowledge(const std::string& channel, const std::string& name,
                           SequenceNumber number, Receive<void> done) = 0;

 protected:
  EventStore() = default;
};

}  // namespace perigee::events
