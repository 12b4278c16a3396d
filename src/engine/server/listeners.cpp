// Accepting until the queue is empty, as edge-triggered readiness demands.
#include "engine/server/listeners.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <utility>

namespace perigee::engine {

using transport::Wait;

namespace {

constexpr std::chrono::milliseconds end_look_period{50};

}  // namespace

// Takes a limited number of connections, since clients may go on connecting. Stops if there is no
// memory.
void take_waiting(transport::Acceptor& acceptor,
                  function_ref<void(std::unique_ptr<transport::Transport>)> take) noexcept {
  try {
    for (std::uint32_t left = waiting_connections_max; left > 0; --left) {
      auto accepted = acceptor.accept(Wait::no);
      if (!accepted || !*accepted) return;
      take(std::move(*accepted));
    }
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "server", exception.what());
  }
}

void stop_accepting(transport::Acceptor& acceptor,
                    function_ref<void(std::unique_ptr<transport::Transport>)> take) noexcept {
  take_waiting(acceptor, take);
  acceptor.interrupt();
  take_waiting(acceptor, take);  // connections that came meanwhile
}

Listener::~Listener() {
  (void)listeners_.reactor().cancel(retry_);
  listeners_.reactor().remove(*this);
}

void Listener::start() noexcept try {
  registered_ = true;
  const auto added = listeners_.reactor().add(point_.acceptor.readiness_fd(), *this);
  if (added) return listeners_.reactor().mark_ready(*this);
  registered_ = false;
  log::write(log::Level::error, "server", to_string(added.error()));
} catch (const std::exception& exception) {  // no memory: nothing is accepted there
  registered_ = false;
  log::write(log::Level::error, "server", exception.what());
}

void Listener::stop() noexcept {
  if (std::exchange(stopped_, true)) return;
  (void)listeners_.reactor().cancel(retry_);
  if (std::exchange(registered_, false)) listeners_.reactor().remove(*this);
  stop_accepting(point_.acceptor, [this](auto transport) {
    Accepted accepted = accepted_of(std::move(transport));
    listeners_.count().add(place_of(*accepted.transport));
    listeners_.take(std::move(accepted));
  });
}

void Listener::place_is_free() noexcept {
  if (registered_ && waits_for_place_.exchange(false)) listeners_.reactor().mark_ready(*this);
}

void Listener::handle_event(const Event& /*event*/) noexcept { accept_all(); }

/// A place that is reserved before the acceptor is asked for a connection. The destructor gives it
/// back unless a connection uses it.
class Listener::ReservedPlace {
 public:
  ReservedPlace(ListenersOwner& owner, bool reserved) noexcept : owner_(owner), used_(!reserved) {}
  ~ReservedPlace() {
    if (!used_) owner_.give_place_back(Place::taken);
  }
  ReservedPlace(const ReservedPlace&) = delete;
  ReservedPlace& operator=(const ReservedPlace&) = delete;
  void use() noexcept { used_ = true; }

 private:
  ListenersOwner& owner_;
  bool used_;
};

// A sender on a shared socket may lose its transport, so its ids are kept. Call before a place is
// counted: may throw bad_alloc.
Accepted Listener::accepted_of(std::unique_ptr<transport::Transport> transport) {
  Accepted accepted{std::move(transport), &point_.messaging};
  if (accepted.transport->features().is_virtual)
    accepted.requests = senders_.find_or_add(accepted.transport->peer());
  return accepted;
}

// Looks for a place again after setting the flag: a connection that ends later sees the flag.
bool Listener::reserve_place() noexcept {
  if (listeners_.count().try_add()) return true;
  waits_for_place_.store(true);
  if (!listeners_.count().try_add()) return false;
  waits_for_place_.store(false);
  return true;
}

// False: there is no place. Virtual transports need none, so an acceptor of datagrams is asked for
// a transport before a place is taken.
bool Listener::add_datagrams(const transport::Transport& transport) noexcept {
  if (place_of(transport) == Place::taken) return listeners_.count().try_add();
  listeners_.count().add(Place::none);
  return true;
}

void Listener::accept_all() noexcept try {
  for (std::uint32_t left = accepts_per_turn_max; registered_; --left) {
    if (left == 0) return listeners_.reactor().mark_ready(*this, Reactor::Next::turn);
    if (!point_.datagrams && !reserve_place()) return;
    ReservedPlace place(listeners_.owner(), !point_.datagrams);
    auto accepted = point_.acceptor.accept(Wait::no);
    if (!accepted) {
      if (accepted.error().kind == IoErrorKind::interrupted) return;
      log::write(log::Level::warning, "server", to_string(accepted.error()));
      return retry_later();
    }
    if (!*accepted) return;
    Accepted taken = accepted_of(std::move(*accepted));
    place.use();
    if (point_.datagrams && !add_datagrams(*taken.transport)) continue;  // its datagrams are lost
    listeners_.take(std::move(taken));
  }
} catch (const std::exception& exception) {  // no memory for the transport
  log::write(log::Level::warning, "server", exception.what());
  retry_later();
}

void Listener::retry_later() noexcept {
  if (!registered_) return;
  const TimePoint now = listeners_.context().clock.now();
  (void)listeners_.reactor().arm(
      retry_, Deadline::after(listeners_.context().settings.accept_retry_delay, now));
}

void Listener::Retry::fire(Timer& timer) noexcept {
  Listener& listener = static_cast<Retry&>(timer).listener_;
  if (listener.registered_) listener.listeners_.reactor().mark_ready(listener);
}

/// Deletes itself after it has run.
class Listeners::ChangeTask final : public Task {
 public:
  ChangeTask(Listeners& listeners, Change change, const ListenPoint& point,
             std::optional<std::promise<void>> done = {}) noexcept
      : Task(&run), listeners_(listeners), change_(change), point_(point), done_(std::move(done)) {}

 private:
  static void run(Task& task) noexcept {
    const std::unique_ptr<ChangeTask> self(&static_cast<ChangeTask&>(task));
    if (self->change_ == Change::add)
      self->listeners_.add(self->point_);
    else
      self->listeners_.remove(self->point_);
    if (self->done_) self->done_->set_value();
  }

  Listeners& listeners_;
  const Change change_;
  const ListenPoint point_;
  std::optional<std::promise<void>> done_;  // set if a thread waits
};

// The thread of the reactor may end before it runs the task. Then all listeners have stopped.
void Listeners::post_and_wait(Change change, const ListenPoint& point,
                              const std::atomic<bool>& ended) {
  std::promise<void> promise;
  const std::future<void> done = promise.get_future();
  auto task = std::make_unique<ChangeTask>(*this, change, point, std::move(promise));
  (void)reactor_.post(*task.release());
  while (done.wait_for(end_look_period) != std::future_status::ready && !ended.load()) {
  }
}

void Listeners::post(Change change, const ListenPoint& point) {
  (void)reactor_.post(*std::make_unique<ChangeTask>(*this, change, point).release());
}

void Listeners::add(const ListenPoint& point) noexcept try {
  if (stopped_) return stop_accepting(point.acceptor, [](auto /*transport*/) {});
  const auto serves = [&point](const auto& other) {
    return &other->point().acceptor == &point.acceptor;
  };
  if (std::ranges::any_of(listeners_, serves)) return;
  listeners_.push_back(std::make_unique<Listener>(*this, point));
  listeners_.back()->start();
} catch (const std::exception& exception) {  // no memory: nothing is accepted there
  log::write(log::Level::error, "server", exception.what());
}

// If no listener accepts at the point, this function takes the connections that wait there, and
// closes them.
void Listeners::remove(const ListenPoint& point) noexcept {
  const auto serves = [&point](const auto& other) {
    return &other->point().acceptor == &point.acceptor;
  };
  const auto found = std::ranges::find_if(listeners_, serves);
  if (found != listeners_.end()) return (*found)->stop();
  stop_accepting(point.acceptor, [](auto /*transport*/) {});
}

void Listeners::stop() noexcept {
  stopped_ = true;
  for (const auto& listener : listeners_) listener->stop();
}

void Listeners::take(Accepted accepted) noexcept {
  const Place place = place_of(*accepted.transport);
  try {
    owner_.take(std::move(accepted), reactor_);
  } catch (const std::exception& exception) {  // this connection ends, others go on
    log::write(log::Level::warning, "server", exception.what());
    owner_.give_place_back(place);
  }
}

void Listeners::PlaceTask::run(Task& task) noexcept {
  for (const auto& listener : static_cast<PlaceTask&>(task).listeners_.listeners_)
    listener->place_is_free();
}

}  // namespace perigee::engine
