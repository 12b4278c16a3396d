// Accepting until nobody waits, as edge-triggered readiness demands.
#include "orb/server/reactive_acceptor.h"

#include "orb/core/orb_core.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::orb {

using transport::Wait;

void ReactiveAcceptor::start() {
  const auto added = acceptors_.reactor().add(acceptor_.readiness_fd(), *this);
  registered_ = added.has_value();
  if (!registered_) log::write(log::Level::error, "server", to_string(added.error()));
}

void ReactiveAcceptor::stop() noexcept {
  if (std::exchange(stopped_, true)) return;
  acceptors_.reactor().cancel(retry_);
  if (std::exchange(registered_, false)) acceptors_.reactor().remove(*this);
  stop_accepting(acceptor_, [this](auto transport) {
    acceptors_.take(listener_.accepted(std::move(transport)));
  });
}

void ReactiveAcceptor::place_is_free() {
  if (registered_ && std::exchange(waits_for_place_, false)) acceptors_.reactor().mark_ready(*this);
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
    if (!acceptors_.has_place()) {
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
    acceptors_.take(listener_.accepted(std::move(*accepted)));
  }
}

void ReactiveAcceptor::retry_later() noexcept {
  if (!registered_ || std::exchange(retries_, true)) return;
  acceptors_.reactor().arm(retry_, Deadline::after(acceptors_.core().settings().accept_retry_delay,
                                                   acceptors_.core().clock().now()));
}

void ReactiveAcceptor::retry() noexcept {
  retries_ = false;
  acceptors_.reactor().mark_ready(*this);
}

void ReactiveAcceptors::start() {
  started_ = true;
  for (Listener* const listener : endpoints_.listeners()) add(*listener);
}

void ReactiveAcceptors::add(Listener& listener) noexcept try {
  if (stopped_) return stop_accepting(*listener.acceptor, [](auto /*transport*/) {});
  const auto serves = [&listener](const auto& other) { return &other->listener() == &listener; };
  if (!started_ || std::ranges::any_of(acceptors_, serves)) return;
  acceptors_.push_back(std::make_unique<ReactiveAcceptor>(*this, listener));
  acceptors_.back()->start();
} catch (const std::exception& exception) {  // nobody is accepted there; others go on
  log::write(log::Level::error, "server", exception.what());
}

// Where nobody has been accepted yet, those who wait are turned away.
void ReactiveAcceptors::remove(Listener& listener) noexcept {
  const auto serves = [&listener](const auto& other) { return &other->listener() == &listener; };
  const auto found = std::ranges::find_if(acceptors_, serves);
  if (found != acceptors_.end()) return (*found)->stop();
  stop_accepting(*listener.acceptor, [](auto /*transport*/) {});
}

// As above.
void ReactiveAcceptors::stop() noexcept {
  stopped_ = true;
  for (const auto& acceptor : acceptors_) acceptor->stop();
  if (acceptors_.empty()) endpoints_.stop_accepting([](auto /*accepted*/) {});
}

bool ReactiveAcceptors::has_place() const noexcept {
  return count_.load() < core_.settings().server_connections_max;
}

void ReactiveAcceptors::take(Accepted accepted) {
  count_.fetch_add(1);
  take_(std::move(accepted));
}

// Who waits for a place has seen the count before it was lowered here: so it hears of it.
void ReactiveAcceptors::connection_ended() noexcept {
  if (count_.fetch_sub(1) < core_.settings().server_connections_max) return;
  reactor_.post([this] {
    for (const auto& acceptor : acceptors_) acceptor->place_is_free();
  });
}

}  // namespace perigee::orb
