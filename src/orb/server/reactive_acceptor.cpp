// Accepting until nobody waits, as edge-triggered readiness demands.
#include "orb/server/reactive_acceptor.h"

#include "orb/orb_core.h"
#include "orb/server/reactive_server.h"
#include <perigee/base/log.h>

#include <exception>
#include <utility>

namespace perigee::orb {

using transport::Wait;

void ReactiveAcceptor::start() {
  const auto added = server_.reactor().add(acceptor_.readiness_fd(), *this);
  registered_ = added.has_value();
  if (!registered_) log::write(log::Level::error, "server", to_string(added.error()));
}

void ReactiveAcceptor::stop() noexcept {
  if (retry_ != 0) server_.reactor().cancel(std::exchange(retry_, 0));
  if (std::exchange(registered_, false)) server_.reactor().remove(acceptor_.readiness_fd(), *this);
  acceptor_.interrupt();
}

void ReactiveAcceptor::place_is_free() {
  if (registered_ && std::exchange(waits_for_place_, false)) server_.reactor().mark_ready(*this);
}

void ReactiveAcceptor::handle_ready(event::Readiness /*readiness*/) noexcept {
  try {
    accept_all();
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "server", exception.what());
    retry_later();
  }
}

void ReactiveAcceptor::accept_all() {
  while (registered_) {
    if (!server_.has_place()) {
      waits_for_place_ = true;
      return;
    }
    auto accepted = acceptor_.accept(Wait::no);
    if (!accepted) {
      if (accepted.error().kind == IoErrorKind::interrupted) return;
      log::write(log::Level::warning, "server", to_string(accepted.error()));
      return retry_later();
    }
    if (!*accepted) return;
    server_.add_connection(std::move(*accepted));
  }
}

void ReactiveAcceptor::retry_later() {
  if (!registered_ || retry_ != 0) return;
  retry_ = server_.reactor().schedule(
      server_.core().clock().now() + server_.core().settings().accept_retry_delay, [this] {
        retry_ = 0;
        server_.reactor().mark_ready(*this);
      });
}

}  // namespace perigee::orb
