// Starting loops and threads, spreading connections over them, and stopping in an orderly way.
#include "engine/server/server.h"

#include "engine/connection/connection.h"
#include "engine/connection/thread_frame.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::engine {
namespace {

std::unexpected<IoError> no_thread() {
  return std::unexpected(IoError{IoErrorKind::limit, IoOperation::create, 0, "a thread"});
}

}  // namespace

Server::Seat::Seat(Server& server, std::unique_ptr<Reactor> reactor, Reactor* timers,
                   std::uint32_t count)
    : loop(server.context_.clock, std::move(reactor), timers),
      threads(loop, count, server.spares_),
      home(server.context_, server.handler_, server, loop, server.traffic_,
           server.plan_.supervised ? server.ticks() : nullptr) {
  loop.set_threads(threads);
  if (server.plan_.supervised) event::watch_tasks(loop.reactor(), *server.supervisor_);
}

Server::Server(const EngineContext& context, const ThreadPlan& plan, RequestHandler& handler,
               TrafficLedger& traffic)
    : context_(context),
      plan_(plan),
      handler_(handler),
      traffic_(traffic),
      spares_(plan.threads_max > plan.threads ? plan.threads_max - plan.threads : 0),
      connections_(context.settings.server_connections_max) {
  if (!run_by_application()) return;
  loops_made_ = make_loops();
  if (loops_made_) application_.emplace(seats_.front()->loop, context_.clock, ended_);
}

Server::~Server() {
  stop(Completion::wait);
  if (supervisor_) supervisor_->stop();
  if (service_) service_->close();  // its tasks may post tasks to the loops
  finish_tasks();
}

void Server::finish_tasks() noexcept {
  for (const auto& seat : seats_) seat->loop.reactor().close();
}

std::expected<void, IoError> Server::start() {
  if (started_.load(std::memory_order_acquire)) return {};
  const std::lock_guard starting(start_mutex_);
  if (started_.load(std::memory_order_relaxed)) return {};
  if (stopping())
    return std::unexpected(IoError{IoErrorKind::interrupted, IoOperation::listen, 0, {}});
  if (!run_by_application()) loops_made_ = make_loops();
  if (!loops_made_) return loops_made_;
  Reactor& accepting = service_ ? *service_ : seats_.front()->loop.reactor();
  ListenersOwner& owner = *this;
  listeners_.emplace(context_, accepting, connections_, owner);
  drain_task_.emplace(*this, nullptr, [](Server& server, Seat*) noexcept { server.begin_drain(); });
  home_tasks_.clear();  // removes the tasks of a start that has failed
  for (const auto& seat : seats_) {
    if (loops_accept())
      seat->listeners.emplace(context_, seat->loop.reactor(), connections_, owner);
    home_tasks_.push_back(std::make_unique<DrainTask>(
        *this, seat.get(),
        [](Server& server, Seat* drained) noexcept { server.drain_seat(*drained); }));
  }
  if (auto running = start_threads(); !running) return running;
  started_.store(true);
  if (stopping()) (void)accepting.post(*drain_task_);  // `stop` has come meanwhile
  return {};
}

// A kernel may have no io_uring, or refuse it. For example, the seccomp filters of containers
// refuse it.
Server::MadeReactor Server::make_reactor(PollerKind& poller) const {
  const auto threads = plan_.single_threaded() ? event::Threads::one : event::Threads::several;
  auto reactor = event::make_reactor(context_.clock, context_.settings.busy_poll, threads, poller);
  if (reactor || poller == PollerKind::epoll) return reactor;
  log::write(log::Level::warning, "server",
             "io_uring is not available, the loops use epoll: " + to_string(reactor.error()));
  poller = PollerKind::epoll;
  return make_reactor(poller);
}

std::expected<void, IoError> Server::make_loops() {
  seats_.clear();
  supervisor_.reset();
  if (!run_by_application()) {
    auto service = event::make_reactor(context_.clock);
    if (!service) return std::unexpected(service.error());
    service_ = std::move(*service);
    service_ended_.store(false);
    service_over_.store(false);
    SupervisedLoops& loops = *this;
    using Help = Supervisor::Help;
    if (plan_.supervised || !plan_.single_threaded())
      supervisor_.emplace(context_, *service_, loops, spares_,
                          plan_.supervised ? Help::blocked_upcalls : Help::none);
  }
  const std::uint32_t count = std::max(plan_.loops, 1U);
  PollerKind poller = context_.settings.poller;
  for (std::uint32_t index = 0; index < count; ++index) {
    auto reactor = make_reactor(poller);
    if (!reactor) return std::unexpected(reactor.error());
    const std::uint32_t threads = plan_.threads / count + (index < plan_.threads % count ? 1 : 0);
    Reactor* const timers = plan_.single_threaded() ? nullptr : service_.get();
    seats_.push_back(std::make_unique<Seat>(*this, std::move(*reactor), timers, threads));
  }
  return {};
}

// Keeps fewer loops than planned if the system has no more threads.
std::expected<void, IoError> Server::start_threads() noexcept {
  if (run_by_application()) return {};
  try {
    service_threads_.start([this] { run_service(); });
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "server", exception.what());
    return no_thread();
  }
  std::size_t running = 0;
  while (running < seats_.size() && seats_[running]->threads.start()) ++running;
  seats_.resize(running);
  home_tasks_.resize(running);
  loops_accepting_.store(loops_accept() ? running : 0);
  if (running != 0) return {};
  end_service();
  service_threads_.join_all();
  return no_thread();
}

void Server::run_service() noexcept {
  while (!service_ended_.load()) {
    try {
      service_->run();
    } catch (const std::exception& exception) {
      log::write(log::Level::error, "server", exception.what());
    }
  }
  service_over_.store(true);
}

bool Server::loops_accept() const noexcept {
  return context_.settings.accept_shards && plan_.single_threaded() && plan_.loops > 1;
}

void Server::accept_at(const ListenPoint& point) {
  if (loops_accept() && accept_at_all_loops(point)) return;
  listeners_->post(Listeners::Change::add, point);
}

// False if the transport has no shards: then the service thread accepts there.
bool Server::accept_at_all_loops(const ListenPoint& point) {
  Shards shards{&point.acceptor, {}};
  while (shards.others.size() + 1 < seats_.size()) {
    auto made = point.acceptor.shard();
    if (!made) {
      const bool expected = made.error().kind == IoErrorKind::unsupported;
      log::write(expected ? log::Level::info : log::Level::warning, "server",
                 "one thread accepts for all loops: " + to_string(made.error()));
      return false;
    }
    shards.others.push_back(std::move(*made));
  }
  const std::lock_guard lock(shards_mutex_);
  shards_.push_back(std::move(shards));
  seats_.front()->listeners->post(Listeners::Change::add, point);
  for (std::size_t index = 1; index < seats_.size(); ++index)
    seats_[index]->listeners->post(Listeners::Change::add,
                                   {*shards_.back().others[index - 1], point.messaging});
  return true;
}

// A thread of a loop does not wait for the loops here, because they may wait for this thread.
bool Server::accept_no_more_at_loops(const ListenPoint& point) {
  std::vector<ListenPoint> points;
  {
    const std::lock_guard lock(shards_mutex_);
    const auto found = std::ranges::find(shards_, &point.acceptor, &Shards::first);
    if (found == shards_.end()) return false;
    points.push_back(point);
    for (const auto& other : found->others) points.push_back({*other, point.messaging});
    found->first = nullptr;
  }
  const bool waits = loop_of_this_thread() == nullptr && !service_->is_loop_thread();
  for (std::size_t index = 0; index < points.size(); ++index) {
    Listeners& listeners = *seats_[index]->listeners;
    if (waits)
      listeners.post_and_wait(Listeners::Change::remove, points[index], ended_);
    else
      listeners.post(Listeners::Change::remove, points[index]);
  }
  return true;
}

void Server::accept_no_more_at(const ListenPoint& point) {
  if (loops_accept() && accept_no_more_at_loops(point)) return;
  const bool waits = service_ && !service_->is_loop_thread() && !ended_.load();
  if (waits) return listeners_->post_and_wait(Listeners::Change::remove, point, service_over_);
  listeners_->post(Listeners::Change::remove, point);
}

// Called on the thread that accepts. A loop that accepts keeps the connection. Otherwise the loop
// with the fewest connections gets it. A virtual transport gets no dedicated reader, because that
// thread would wait in the socket that all virtual transports share. The reference of this function
// is dropped when the connection has been started.
void Server::take(Accepted accepted, Reactor& reactor) {
  const auto accepts = [&reactor](const auto& each) { return &each->loop.reactor() == &reactor; };
  const auto place = std::ranges::find_if(seats_, accepts);
  Home& home = place == seats_.end() ? next_home() : (*place)->home;
  const bool on_loop = plan_.dedicated_max == 0 || accepted.transport->features().is_virtual;
  const auto reading = on_loop ? Connection::Reading::on_loop : Connection::Reading::dedicated;
  auto* const connection = new Connection(home, std::move(accepted), reading);
  if (on_loop || !may_dedicate()) {
    (void)connection->start();
  } else if (connection->start_dedicated() && !dedicate(*connection)) {
    connection->hand_over();
  }
  connection->drop_reference();
}

Home& Server::next_home() noexcept {
  return (*std::ranges::min_element(seats_, {}, [](const auto& each) { return each->home.size(); }))
      ->home;
}

// Called by any thread. The drain also drains each connection that was adopted before it began.
ConnectionRef Server::adopt(Accepted opened) {
  const std::lock_guard lock(adopt_mutex_);
  if (!started_.load() || adopts_no_more_) return {};
  ConnectionRef connection = ConnectionRef::adopt(new Connection(
      next_home(), std::move(opened), Connection::Reading::on_loop, messaging::Role::opener));
  connection->agreement().bidirectional.store(true);
  connections_.add(Place::taken);
  return connection->start() ? std::move(connection) : ConnectionRef();
}

// The dedicated reader holds a reference, and counts as a reader until it has dropped the
// reference.
bool Server::dedicate(Connection& connection) noexcept {
  std::uint32_t count = dedicated_count_.load();
  do {
    if (count >= plan_.dedicated_max) return false;
  } while (!dedicated_count_.compare_exchange_weak(count, count + 1));
  connection.add_reference();
  try {
    dedicated_threads_.start([this, &connection] {
      connection.serve_dedicated();
      connection.drop_reference();
      dedicated_count_.fetch_sub(1);
    });
    return true;
  } catch (const std::exception& exception) {  // no thread: the loop reads the connection
    log::write(log::Level::warning, "server", exception.what());
  }
  dedicated_count_.fetch_sub(1);
  connection.drop_reference();
  return false;
}

void Server::connection_ended(Place place) noexcept {
  give_place_back(place);
  end_if_drained();
}

void Server::give_place_back(Place place) noexcept {
  if (!connections_.remove(place)) return;
  listeners_->place_is_free();
  for (const auto& seat : seats_)
    if (seat->listeners) seat->listeners->place_is_free();
}

void Server::resume_parked() noexcept {
  if (!started_.load(std::memory_order_acquire)) return;
  for (const auto& seat : seats_) seat->home.resume_parked();
}

void Server::DrainTask::run(Task& task) noexcept {
  auto& self = static_cast<DrainTask&>(task);
  self.step_(self.server_, self.seat_);
}

// Called on the thread that accepts, so no connection is accepted after this.
void Server::begin_drain() noexcept {
  if (ended_.load()) return;
  {
    const std::lock_guard lock(adopt_mutex_);
    adopts_no_more_ = true;
  }
  listeners_->stop();
  for (std::size_t index = 0; index < seats_.size(); ++index) {
    seats_[index]->home.parked().clear();  // CloseConnection tells clients: not executed
    (void)seats_[index]->loop.timers().post(*home_tasks_[index]);
  }
  draining_.store(true);
  end_if_drained();
}

// Called on the thread of the loop. If the loop accepts, no connection is accepted after this.
void Server::drain_seat(Seat& seat) noexcept {
  if (seat.listeners && !seat.listeners->stopped()) {
    seat.listeners->stop();
    loops_accepting_.fetch_sub(1);
  }
  seat.home.for_each([](Connection& connection) { connection.drain(); });
  end_if_drained();
}

// Loops end together: a request on one loop may wait for a continuation on another loop.
void Server::end_if_drained() noexcept {
  if (!draining_.load() || loops_accepting_.load() != 0) return;
  if (connections_.count() != 0 || ended_.exchange(true)) return;
  for (const auto& seat : seats_) seat->loop.reactor().stop();
  if (service_) end_service();
}

void Server::end_service() noexcept {
  service_ended_.store(true);
  service_->stop();
}

void Server::stop(Completion completion) noexcept {
  const bool again = stopping_.exchange(true) && completion == Completion::wait;
  {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  if (started_.load() && !again && !ended_.load()) (void)listeners_->reactor().post(*drain_task_);
  const bool waits = completion == Completion::wait && loop_of_this_thread() == nullptr;
  if (run_by_application()) return stop_application_loop(waits);
  if (waits) join();
}

void Server::stop_application_loop(bool waits) noexcept {
  if (!application_) return;
  started_.load() ? application_->wake() : application_->end_unstarted();
  if (waits) application_->await_end();
}

void Server::join() noexcept {
  const std::lock_guard starting(start_mutex_);
  if (!started_.load()) return;
  const std::lock_guard joining(join_mutex_);
  // The service thread ends when all connections have ended. Until then, spare threads may start.
  service_threads_.join_all();
  for (const auto& seat : seats_) seat->threads.join();
  dedicated_threads_.join_all();
}

void Server::run() {
  if (application_) return application_->run();
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping(); });
  }
  join();
}

bool Server::run_until(function_ref<bool()> done, Deadline deadline) noexcept {
  if (!application_) return false;
  application_->run_until(done, deadline);
  return true;
}

Loop* Server::loop_of_this_thread() const noexcept {
  if (!run_by_application() && !started_.load(std::memory_order_acquire)) return nullptr;
  const Loop::Scope* scope = Loop::innermost_of_this_thread();
  for (; scope != nullptr; scope = scope->outer())
    if (is_mine(scope->loop())) return &scope->loop();
  return nullptr;
}

Loop* Server::home_loop_of_this_thread() const noexcept {
  if (Loop* const loop = loop_of_this_thread()) return loop;
  if (plan_.single_threaded() || !started_.load(std::memory_order_acquire)) return nullptr;
  const ThreadFrame* const frame = FrameLevel::innermost();
  if (frame == nullptr || frame->connection == nullptr) return nullptr;
  Loop& loop = frame->connection->home().loop();
  return is_mine(loop) ? &loop : nullptr;
}

bool Server::is_mine(const Loop& loop) const noexcept {
  return std::ranges::any_of(seats_, [&loop](const auto& seat) { return &seat->loop == &loop; });
}

Ticks* Server::ticks() noexcept { return supervisor_ ? &*supervisor_ : nullptr; }

void Server::set_calls_home(const Loop& loop, Home* home) noexcept {
  for (const auto& seat : seats_)
    if (&seat->loop == &loop) seat->calls_home.store(home);
}

}  // namespace perigee::engine
