// The LoopCalls of a loop are made when its first call begins. They stay until the engine ends.
#include "orb/async/async_engine.h"

#include "engine/loops/wake_task.h"
#include "orb/async/loop_calls.h"
#include "orb/context/orb_context.h"
#include "orb/context/server.h"
#include "orb/context/upcall_scope.h"
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace perigee::orb {

HandlerCallPlaces::Place HandlerCallPlaces::take(std::size_t octets,
                                                 const Settings& settings) noexcept {
  const std::lock_guard lock(lock_);
  if (count_ >= settings.handler_calls_max) return {};
  const std::size_t left =
      settings.handler_calls_size_max - std::min(octets_, settings.handler_calls_size_max);
  if (count_ != 0 && octets > left) return {};
  ++count_;
  octets_ += octets;
  return {*this, octets};
}

void HandlerCallPlaces::give_back(std::size_t octets) noexcept {
  const std::lock_guard lock(lock_);
  --count_;
  octets_ -= octets;
}

struct AsyncEngine::OfLoop {
  OfLoop(const OrbContext& context, engine::Connects& connects, engine::Loop& loop, OfLoop* after)
      : server(*context.server),
        calls(context, connects, loop, {.ticks = server.ticks(), .posted = {}}),
        next(after) {
    server.set_calls_home(loop, &calls.home());
  }
  ~OfLoop() { server.set_calls_home(calls.loop(), nullptr); }
  OfLoop(const OfLoop&) = delete;
  OfLoop& operator=(const OfLoop&) = delete;

  // Ends the wait for events of the thread that alone serves the loop.
  void wake() noexcept {
    engine::Loop& loop = calls.loop();
    if (loop.single_threaded() && !loop.on_thread()) (void)loop.reactor().post(wake_task);
  }

  Server& server;
  LoopCalls calls;
  engine::WakeTask wake_task;
  OfLoop* const next;
};

AsyncEngine::AsyncEngine(const OrbContext& context)
    : context_(context),
      connects_(context.settings.connecting_threads_max, context.clock),
      client_loop_(context, connects_) {
  event::Reactor* const loop = context.server != nullptr ? context.server->own_loop() : nullptr;
  if (loop != nullptr) loop->post([this, loop] { client_loop_.nest_in(*loop); });
}

// Functions that were posted to a loop of the server after its last turn use the calls, so they run
// first.
AsyncEngine::~AsyncEngine() {
  if (context_.server != nullptr) context_.server->finish_tasks();
  while (OfLoop* const first = first_.load()) {
    first_.store(first->next);
    delete first;
  }
}

engine::Loop* AsyncEngine::server_loop() const noexcept {
  return context_.server != nullptr ? context_.server->loop_of_this_thread() : nullptr;
}

LoopCalls& AsyncEngine::calls() {
  engine::Loop* const loop = server_loop();
  if (loop == nullptr) return client_loop_.calls();
  OfLoop* const known = find(*loop);
  return known != nullptr ? known->calls : make(*loop).calls;
}

event::Reactor& AsyncEngine::sleeping_place() {
  engine::Loop* const loop = server_loop();
  return loop != nullptr ? loop->reactor() : client_loop_.reactor();
}

AsyncEngine::OfLoop* AsyncEngine::find(const engine::Loop& loop) const noexcept {
  OfLoop* each = first_.load(std::memory_order_acquire);
  while (each != nullptr && &each->calls.loop() != &loop) each = each->next;
  return each;
}

AsyncEngine::OfLoop& AsyncEngine::make(engine::Loop& loop) {
  const std::lock_guard lock(mutex_);
  if (OfLoop* const made = find(loop)) return *made;
  auto* const made = new OfLoop(context_, connects_, loop, first_.load());
  first_.store(made, std::memory_order_release);
  return *made;
}

bool AsyncEngine::drive_until(function_ref<bool()> done, Deadline until) {
  if (context_.server != nullptr) {
    (void)calls();  // so that `wake` knows the loop of this thread
    const auto asked = [&] {
      client_loop_.tell_outer_loop();
      return done();
    };
    const Server::Nested served = context_.server->serve_until(asked, until);
    if (served != Server::Nested::not_here) return served != Server::Nested::too_deep;
  }
  return drive_client_loop(done, until);
}

// The loop of the application reads replies on connections that this ORB has offered. It also runs
// the client's loop.
bool AsyncEngine::drive_client_loop(function_ref<bool()> done, Deadline until) {
  Server* const server = context_.server.get();
  bool over = false;
  const auto is_over = [&] { return over = over || done(); };
  const auto needs_thread = [server] { return server != nullptr && server->needs_thread(); };
  do {
    const auto leaves = [&] { return is_over() || needs_thread(); };
    if (!client_loop_.drive_until(leaves, until)) return false;
    if (over || !needs_thread()) continue;
    const UpcallScope none(UpcallScope::None::upcall);
    server->run_until_run(is_over, until);
  } while (!over && !until.passed(context_.clock.now()));
  return true;
}

// A loop of the server that does not also run the client's loop would not receive the reply.
bool AsyncEngine::drive_for(const LoopCalls& calls, function_ref<bool()> done, Deadline until) {
  const bool of_client = &calls == &client_loop_.calls();
  if (of_client && !client_loop_.is_nested()) return drive_client_loop(done, until);
  return drive_until(done, until);
}

bool AsyncEngine::others_serve(const LoopCalls& calls) const noexcept {
  if (&calls == &client_loop_.calls()) return false;
  const engine::Loop* const loop = server_loop();
  return loop == nullptr || !loop->single_threaded() || !loop->on_thread();
}

// Replies may also come on connections that this ORB has offered. The loop of the application reads
// them.
bool AsyncEngine::turn_for(const LoopCalls& calls) {
  if (others_serve(calls)) return true;
  const bool of_client = &calls == &client_loop_.calls();
  if (of_client && !client_loop_.turn()) return false;
  Server* const server = context_.server.get();
  engine::Loop* const loop = server_loop();
  if (loop != nullptr && loop->single_threaded() && loop->on_thread())
    return turn_server_loop(*loop);
  if (server == nullptr || !server->needs_thread()) return true;
  const UpcallScope none(UpcallScope::None::upcall);
  (void)server->perform_work(Deadline::immediately());
  return true;
}

// The task ends the wait of the turn.
bool AsyncEngine::turn_server_loop(engine::Loop& loop) {
  (void)loop.reactor().post(make(loop).wake_task);
  bool turned = false;
  return drive_until([&turned] { return std::exchange(turned, true); }, Deadline::never());
}

void AsyncEngine::wake() noexcept {
  client_loop_.wake();
  for (OfLoop* each = first_.load(); each != nullptr; each = each->next) each->wake();
}

// If a thread of a loop waits for the end of the ORB, the loops still run, so their tasks are not
// finished here. An observer may call this function again, so the mutex is recursive.
void AsyncEngine::loops_ended() noexcept {
  if (context_.server == nullptr) return;
  const std::lock_guard lock(ending_mutex_);
  for (OfLoop* each = first_.load(); each != nullptr; each = each->next) each->calls.stop();
  if (!context_.server->serves_on_this_thread()) context_.server->finish_tasks();
}

void AsyncEngine::stop() noexcept {
  client_loop_.stop();
  loops_ended();
  connects_.stop();
}

}  // namespace perigee::orb
