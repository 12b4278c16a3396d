// Opens endpoints, and implements the server interface of the ORB.
#include "orb/server/engine_server.h"

#include "engine/connection/wait.h"
#include "event/cpus.h"
#include "orb/context/orb_metrics.h"
#include "orb/context/upcall_scope.h"
#include "orb/core/orb_core.h"
#include <perigee/base/deadline.h>

#include <algorithm>
#include <utility>

namespace perigee::orb {
namespace {

engine::Preset preset_of(ThreadStrategy strategy) noexcept {
  switch (strategy) {
    case ThreadStrategy::automatic:
      return engine::Preset::automatic;
    case ThreadStrategy::thread_per_connection:
      return engine::Preset::thread_per_connection;
    case ThreadStrategy::thread_pool:
      return engine::Preset::thread_pool;
    case ThreadStrategy::reactor_per_core:
      return engine::Preset::reactor_per_core;
    case ThreadStrategy::reactive:
      break;
  }
  return engine::Preset::reactive;
}

engine::ThreadPlan plan_for(const Settings& settings) {
  return engine::plan_of(preset_of(settings.thread_strategy),
                         {.threads = settings.threads,
                          .cpus = event::usable_cpus(),
                          .spares = settings.spare_threads_max,
                          .pool_spares = settings.nested_upcall_depth_max,
                          .connections = settings.server_connections_max});
}

Server::Nested nested_of(engine::WaitEnd end) noexcept {
  switch (end) {
    case engine::WaitEnd::done:
      return Server::Nested::readable;
    case engine::WaitEnd::timed_out:
      return Server::Nested::timed_out;
    case engine::WaitEnd::too_deep:
      return Server::Nested::too_deep;
    case engine::WaitEnd::not_here:
      break;
  }
  return Server::Nested::not_here;
}

}  // namespace

EngineServer::EngineServer(OrbCore& core)
    : core_(core),
      context_(core.context().engine),
      serving_(core),
      server_(context_, plan_for(core.settings()), serving_, core.metrics().server_traffic) {}

EngineServer::~EngineServer() { stop(Completion::wait); }

std::expected<void, IoError> EngineServer::start() {
  if (opened()) return {};
  const std::lock_guard starting(start_mutex_);
  if (opened_.load(std::memory_order_relaxed)) return {};
  if (auto started = server_.start(); !started) return started;
  if (auto opened = endpoints_.open(core_); !opened) return opened;
  opened_.store(true, std::memory_order_release);
  return {};
}

std::expected<void, IoError> EngineServer::begin_accepting() {
  if (auto started = start(); !started) return started;
  const std::lock_guard lock(mutex_);
  if (stopping_ || accepting_.load()) return {};
  for (const Listener* const listener : endpoints_.listeners())
    server_.accept_at(listener->point());
  accepting_.store(true);
  return {};
}

void EngineServer::run() { server_.run(); }

// If the server has not begun to accept, it closes the connections of clients that already wait.
void EngineServer::stop(Completion completion) noexcept {
  bool turn_away = false;
  {
    const std::lock_guard lock(mutex_);
    turn_away = !std::exchange(stopping_, true) && !accepting_.load();
  }
  if (turn_away && opened()) endpoints_.turn_away();
  server_.stop(completion == Completion::wait ? engine::Server::Completion::wait
                                              : engine::Server::Completion::do_not_wait);
}

std::expected<transport::Endpoint, IoError> EngineServer::listen(
    const transport::Endpoint& endpoint) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  return endpoints_.add(core_, endpoint, {mutex_, stopping_, [this](Listener& added) {
                                            if (accepting_.load()) server_.accept_at(added.point());
                                          }});
}

void EngineServer::close_removed() noexcept {
  if (!opened()) return;
  endpoints_.close_removed(
      core_, [this](Listener& listener) { server_.accept_no_more_at(listener.point()); });
}

std::expected<iop::Ior, IoError> EngineServer::make_ior(std::string type_id, OctetSpan object_key,
                                                        const ProtocolPreference* preference) {
  if (auto started = start(); !started) return std::unexpected(started.error());
  close_removed();
  return endpoints_.make_ior(core_.protocols(), {std::move(type_id), object_key, preference});
}

bool EngineServer::publishes(const transport::Endpoint& endpoint) const noexcept {
  return opened() && endpoints_.publishes(endpoint);
}

std::uint64_t EngineServer::datagrams_dropped() const noexcept {
  return opened() ? endpoints_.datagrams_dropped() : 0;
}

std::vector<iop::ListenPoint> EngineServer::listen_points(std::string_view scheme) const {
  return opened() ? endpoints_.listen_points(scheme) : std::vector<iop::ListenPoint>();
}

engine::ConnectionRef EngineServer::adopt(std::unique_ptr<transport::Transport> opened,
                                          const messaging::MessagingProtocol& messages) {
  // Threads that wait for asynchronous calls look again at `needs_thread`.
  if (!adopts_.exchange(true)) core_.wake_async();
  return server_.adopt({std::move(opened), &messages});
}

// Nested turns belong to no upcall, though they run while one is on the stack.
Server::Nested EngineServer::wait_readable(int fd, Deadline until) {
  engine::Loop* const loop = server_.loop_of_this_thread();
  if (loop == nullptr) return Nested::not_here;
  const UpcallScope none(UpcallScope::None::upcall);
  return nested_of(
      engine::wait_readable_in_turns(*loop, context_.settings.nested_upcall_depth_max, fd, until));
}

Server::Nested EngineServer::serve_until(function_ref<bool()> done, Deadline until) {
  engine::Loop* const loop = server_.loop_of_this_thread();
  if (loop == nullptr) return Nested::not_here;
  const UpcallScope none(UpcallScope::None::upcall);
  return nested_of(
      engine::wait_in_turns(*loop, context_.settings.nested_upcall_depth_max, done, until));
}

bool EngineServer::begin_wait() noexcept {
  const bool is_elsewhere =
      engine::Loop::of_this_thread() != nullptr && server_.loop_of_this_thread() == nullptr;
  return is_elsewhere || engine::begin_blocking(context_.settings.nested_upcall_depth_max);
}

void EngineServer::end_wait() noexcept {
  if (server_.loop_of_this_thread() != nullptr) engine::end_blocking();
}

event::Reactor* EngineServer::own_loop() noexcept {
  engine::Loop* const loop = server_.application_loop();
  return loop != nullptr ? &loop->reactor() : nullptr;
}

int EngineServer::work_handle() const noexcept { return server_.work_handle(); }

}  // namespace perigee::orb
