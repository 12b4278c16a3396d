// The endpoints where a server listens, and the references that lead there. Accepts nothing: that
// is the thread strategies' business.
#pragma once

#include "orb/server/accepted.h"
#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>
#include <perigee/iop/ior.h>
#include <perigee/messaging/message.h>
#include <perigee/transport/transport.h>

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

/// As many connections as an acceptor's queue may hold (see `listen` in ipc).
constexpr std::uint32_t waiting_connections_max = 4096;

/// Gives `take` all connections that wait in an acceptor's queue now: they have been told that they
/// are connected, and closing the queue would reset them. Not those that go on coming, nor the rest
/// if there is no memory.
void take_waiting(transport::Acceptor& acceptor,
                  const std::function<void(std::unique_ptr<transport::Transport>)>& take) noexcept;

/// Ends accepting, for good; all who have been told that they are connected are given to `take`.
void stop_accepting(
    transport::Acceptor& acceptor,
    const std::function<void(std::unique_ptr<transport::Transport>)>& take) noexcept;

/// One endpoint where a server listens.
struct Listener {
  transport::ProtocolFactory* factory;
  std::unique_ptr<transport::Acceptor> acceptor;
  const messaging::Protocol* messaging;  ///< what connections to it carry
  messaging::Version version;            ///< the highest that references publish

  /// @name The set's: they change when others come.
  /// @{
  std::vector<iop::TaggedComponent> components = {};  ///< of its profiles
  bool has_profile = true;                            ///< or stands in that of another
  bool is_withdrawn = false;                          ///< nobody serves it
  /// @}

  [[nodiscard]] Accepted accepted(std::unique_ptr<transport::Transport> transport) const {
    return {std::move(transport), messaging};
  }
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
  [[nodiscard]] iop::Ior make_ior(std::string type_id, OctetSpan object_key) const;
  [[nodiscard]] bool publishes(const transport::Endpoint& endpoint) const noexcept;
  /// Of all: see above.
  void stop_accepting(const std::function<void(Accepted)>& take) const noexcept;

  /// Those that are there now.
  [[nodiscard]] std::vector<Listener*> listeners() const;

 private:
  // Expects mutex_ to be held.
  void arrange_components();
  Listener& insert(std::unique_ptr<Listener> listener);
  void withdraw(Listener& listener) noexcept;

  mutable std::shared_mutex mutex_;  // guards what follows
  std::vector<iop::TaggedComponent> components_;
  bool shares_iiop_profile_ = false;
  std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace perigee::orb
