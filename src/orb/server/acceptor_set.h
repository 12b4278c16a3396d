// The endpoints where a server listens, and the references that lead there. Accepts nothing: the
// listeners of the engine do.
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
  const messaging::MessagingProtocol* messaging;  ///< what connections to it carry
  messaging::Version version;                     ///< the highest that references publish

  bool is_withdrawn = false;  ///< nobody serves it; the set's

  [[nodiscard]] engine::ListenPoint point() const noexcept {
    const bool datagrams = factory->carrier().shape == messaging::Shape::datagrams;
    return {*acceptor, *messaging, datagrams};
  }
};

/// What a reference is made of.
struct ReferenceParts {
  std::string type_id;
  OctetSpan object_key;
  const ProtocolPreference* preference;  ///< null: all protocols, in the order of the listeners
};

/// `open` by one thread; then any thread. Listeners only ever come, so references to them last.
class AcceptorSet {
 public:
  /// Opens all endpoints of the settings, or none.
  [[nodiscard]] std::expected<void, IoError> open(OrbCore& core);
  /// Of the server: what it serves may change only until it stops.
  struct Serving {
    std::mutex& mutex;
    const bool& stopping;                  ///< guarded by the mutex
    std::function<void(Listener&)> begin;  ///< begins to serve, under the mutex; may throw
  };
  /// Opens one more, and returns what references that are made from now on publish. Nothing is
  /// changed if there is an error. IoErrorKind::interrupted: the server stops.
  [[nodiscard]] std::expected<transport::Endpoint, IoError> add(OrbCore& core,
                                                                const transport::Endpoint& endpoint,
                                                                const Serving& serving);
  /// Those whose protocols the registry has no more are published no more, and `close` ends
  /// accepting there; once for each. Where it fails, for lack of memory, it is called again at the
  /// next look.
  void close_removed(const OrbCore& core, function_ref<void(Listener&)> close) noexcept;
  [[nodiscard]] iop::Ior make_ior(const transport::ProtocolRegistry& protocols,
                                  ReferenceParts parts) const;
  [[nodiscard]] bool publishes(const transport::Endpoint& endpoint) const noexcept;
  /// By the transports of all listeners, also of closed listeners.
  [[nodiscard]] std::uint64_t datagrams_dropped() const noexcept;
  /// The published addresses of scheme "iiop".
  [[nodiscard]] std::vector<iop::ListenPoint> listen_points() const;
  /// Closes all listeners. For a server that has accepted nothing yet.
  void turn_away() const noexcept;

  /// Those that are there now.
  [[nodiscard]] std::vector<Listener*> listeners() const;

 private:
  /// A listener that has a profile of its own, and the components that stand there.
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

  Listener& insert(std::unique_ptr<Listener> listener);
  [[nodiscard]] std::vector<Listener*> withdraw_removed(const OrbCore& core) noexcept;
  void withdraw(Listener& listener) noexcept;

  mutable std::shared_mutex mutex_;  // guards what follows
  std::vector<iop::TaggedComponent> components_;
  bool shares_iiop_profile_ = false;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<Published> published_;  // of all that are served

  // In the registry, when listeners were withdrawn; 0: look again. Written under the mutex.
  std::atomic<std::uint64_t> protocol_changes_{0};
};

}  // namespace perigee::orb
