// Accepts connections on a reactor. Out of handles, or of places, it waits without spinning; the
// connections stay in the system's queue meanwhile.
#pragma once

#include "orb/server/acceptor_set.h"
#include <perigee/event/reactor.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace perigee::orb {

class OrbCore;
class ReactiveAcceptors;

/// The reactor's thread only.
class ReactiveAcceptor final : public event::EventHandler {
 public:
  ReactiveAcceptor(ReactiveAcceptors& acceptors, Listener& listener) noexcept
      : acceptors_(acceptors), listener_(listener), acceptor_(*listener.acceptor) {}
  ~ReactiveAcceptor() { stop(); }

  [[nodiscard]] const Listener& listener() const noexcept { return listener_; }
  void start();
  /// Takes those that wait: they are to be drained as all others. Nobody is accepted any more.
  void stop() noexcept;
  /// A connection has ended.
  void place_is_free();
  void handle_ready(event::Readiness readiness) noexcept override;

 private:
  void accept_all();
  void retry_later() noexcept;
  void retry() noexcept;

  ReactiveAcceptors& acceptors_;
  const Listener& listener_;
  transport::Acceptor& acceptor_;
  bool registered_ = false;
  bool stopped_ = false;
  bool waits_for_place_ = false;
  bool retries_ = false;
  event::MemberTimer<ReactiveAcceptor, &ReactiveAcceptor::retry> retry_{*this};
};

/// All acceptors of a server, and the count of its connections. The reactor's thread, unless a
/// function says otherwise.
class ReactiveAcceptors final {
 public:
  /// Is given each new connection; then `connection_ended` is called once for it.
  using Take = std::function<void(Accepted)>;

  ReactiveAcceptors(OrbCore& core, event::Reactor& reactor, const AcceptorSet& endpoints, Take take)
      : core_(core), reactor_(reactor), endpoints_(endpoints), take_(std::move(take)) {}
  ReactiveAcceptors(const ReactiveAcceptors&) = delete;
  ReactiveAcceptors& operator=(const ReactiveAcceptors&) = delete;

  void start();
  void stop() noexcept;
  /// One that came after the first. Before `start` there is nothing to do: that finds it.
  void add(Listener& listener) noexcept;
  /// Ends accepting there.
  void remove(Listener& listener) noexcept;
  /// Any thread.
  void connection_ended() noexcept;

  /// @name For its acceptors
  /// @{
  [[nodiscard]] OrbCore& core() const noexcept { return core_; }
  [[nodiscard]] event::Reactor& reactor() const noexcept { return reactor_; }
  [[nodiscard]] bool has_place() const noexcept;
  void take(Accepted accepted);
  /// @}

 private:
  OrbCore& core_;
  event::Reactor& reactor_;
  const AcceptorSet& endpoints_;
  const Take take_;
  std::atomic<std::size_t> count_{0};
  bool started_ = false;
  bool stopped_ = false;
  std::vector<std::unique_ptr<ReactiveAcceptor>> acceptors_;
};

}  // namespace perigee::orb
