// The endpoints where a server listens, and the references that lead there. The listeners of the
// engine accept the connections.
#pragma once

#include "engine/server/listeners.h"
#include <perigee/base/function_ref.h>
#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>
#include <perigee/iop/ior.h>
#include <perigee/iop/listen_points.h>
#include <perigee/messaging/message.h>
#include <perigee/transport/registry.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

namespace perigee::orb {

class OrbCore;
class ProtocolPreference;

/// One endpoint where a server listens.
struct Listener {
  transport::ProtocolFactory* factory;
  std::unique_ptr<transport::Acceptor> acceptor;
  const messaging::MessagingProtocol* messaging;  ///< the messages on its connections
  messaging::Version version;                     ///< the highest that references publish

  bool is_withdrawn = false;  ///< no longer served; guarded by the set's mutex

  [[nodiscard]] engine::ListenPoint point() const noexcept {
    const bool datagrams = factory->carrier().shape == messaging::Shape::datagrams;
    return {*acceptor, *messaging, datagrams};
  }
};

/// The parts of a reference.
struct ReferenceParts {
  std::string type_id;
  OctetSpan object_key;
  const ProtocolPreference* preference;  ///< null: all protocols, in the order of the listeners
};

/// One thread calls `open`; then any thread. Listeners are never removed, so references to them
/// stay valid.
class AcceptorSet {
 public:
  /// Opens all endpoints of the settings that ServerProtocolPolicy allows. After an error, none is
  /// open. A failure of an endpoint for this host (Settings::local_transports) is only logged.
  [[nodiscard]] std::expected<void, IoError> open(OrbCore& core);
  /// The parts of the server that `add` needs. Listeners may be added only until the server stops.
  struct Serving {
    std::mutex& mutex;
    const bool& stopping;                  ///< guarded by the mutex
    std::function<void(Listener&)> begin;  ///< begins to serve, under the mutex; may throw
  };
  /// Opens one more endpoint. Returns the endpoint that references publish from now on. An error
  /// changes nothing. IoErrorKind::interrupted: the server stops. The first endpoint of the scheme
  /// Settings::local_transports_beside also opens the endpoints for this host.
  [[nodiscard]] std::expected<transport::Endpoint, IoError> add(OrbCore& core,
                                                                const transport::Endpoint& endpoint,
                                                                const Serving& serving);
  /// Stops publishing listeners whose protocols the registry no longer has. Calls `close` once for
  /// each of these listeners, which ends accepting there. If memory runs out, the next call tries
  /// again.
  void close_removed(const OrbCore& core, function_ref<void(Listener&)> close) noexcept;
  [[nodiscard]] iop::Ior make_ior(const transport::ProtocolRegistry& protocols,
                                  ReferenceParts parts) const;
  [[nodiscard]] bool publishes(const transport::Endpoint& endpoint) const noexcept;
  /// The datagrams that the transports of all listeners dropped, also of closed listeners.
  [[nodiscard]] std::uint64_t datagrams_dropped() const noexcept;
  /// The published addresses of this scheme, "iiop" or "ssliop".
  [[nodiscard]] std::vector<iop::ListenPoint> listen_points(std::string_view scheme) const;
  /// Closes all listeners. For a server that has accepted nothing yet.
  void turn_away() const noexcept;

  /// The present listeners.
  [[nodiscard]] std::vector<Listener*> listeners() const;

 private:
  /// A listener that has its own profile in references, and the components in this profile.
  struct Published {
    const Listener* listener;
    std::vector<iop::TaggedComponent> components;
  };
  using Chosen = std::vector<const Listener*>;

  // Expect mutex_ to be held.
  [[nodiscard]] Chosen served() const;
  [[nodiscard]] Chosen preferred(const transport::ProtocolRegistry& protocols,
                                 const ProtocolPreference& preference) const;
  [[nodiscard]] std::vector<Published> arranged(const Chosen& chosen) const;

  void add_local(OrbCore& core, const Serving& serving) noexcept;
  [[nodiscard]] std::expected<transport::Endpoint, IoError> add_one(
      OrbCore& core, const transport::Endpoint& endpoint, const Serving& serving);
  Listener& insert(std::unique_ptr<Listener> listener);
  [[nodiscard]] std::vector<Listener*> withdraw_removed(const OrbCore& core) noexcept;
  void withdraw(Listener& listener) noexcept;

  mutable std::shared_mutex mutex_;  // guards the members below
  std::vector<iop::TaggedComponent> components_;
  bool shares_iiop_profile_ = false;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<Published> published_;  // of all that are served

  std::atomic<bool> has_local_{false};  // the endpoints for this host were opened, or tried

  // The registry's count of changes at the last search for removed protocols; 0: search again.
  // Written under the mutex.
  std::atomic<std::uint64_t> protocol_changes_{0};
};

}  // namespace perigee::orb
