// Accepts connections for the reactive strategy. Out of handles, or of places, it waits without
// spinning; the connections stay in the system's queue meanwhile.
#pragma once

#include <perigee/event/reactor.h>
#include <perigee/transport/transport.h>

namespace perigee::orb {

class ReactiveServer;

/// The loop's thread only.
class ReactiveAcceptor final : public event::EventHandler {
 public:
  ReactiveAcceptor(ReactiveServer& server, transport::Acceptor& acceptor) noexcept
      : server_(server), acceptor_(acceptor) {}
  ~ReactiveAcceptor() { stop(); }

  void start();
  void stop() noexcept;
  /// A connection has ended.
  void place_is_free();
  void handle_ready(event::Readiness readiness) noexcept override;

 private:
  void accept_all();
  void retry_later();

  ReactiveServer& server_;
  transport::Acceptor& acceptor_;
  bool registered_ = false;
  bool waits_for_place_ = false;
  event::TimerId retry_ = 0;
};

}  // namespace perigee::orb
