// Shards are made when their first call is, and stay.
#include "orb/async/async_engine.h"

#include "engine/server/server.h"
#include "orb/async/loop_calls.h"
#include "orb/context/orb_context.h"
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

AsyncEngine::AsyncEngine(const OrbContext& context)
    : context_(context), connecting_(context.settings.connecting_threads_max, context.clock) {
  auto reactor = event::make_reactor(context.clock, context.settings.busy_poll);
  if (!reactor) throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, to_string(reactor.error()));
  foreign_ = std::make_unique<Shard>(context, connecting_, std::move(*reactor));
  event::Reactor* const loop = context.server != nullptr ? context.server->own_loop() : nullptr;
  if (loop != nullptr) loop->post([this, loop] { foreign_->nest_in(*loop); });
}

// Functions that were posted to a loop of the server after its last turn use shards.
AsyncEngine::~AsyncEngine() {
  if (context_.server != nullptr) context_.server->finish_tasks();
  while (LoopCalls* const first = first_calls_.load()) {
    first_calls_.store(first->next);
    delete first;
  }
}

LoopCalls* AsyncEngine::calls_of_this_thread() {
  if (context_.server == nullptr) return nullptr;
  engine::Loop* const loop = context_.server->shared_loop_of_this_thread();
  if (loop == nullptr) return nullptr;
  LoopCalls* const calls = find_calls(*loop);
  return calls != nullptr ? calls : &make_calls(*loop);
}

LoopCalls* AsyncEngine::find_calls(const engine::Loop& loop) const noexcept {
  LoopCalls* each = first_calls_.load(std::memory_order_acquire);
  while (each != nullptr && &each->loop() != &loop) each = each->next;
  return each;
}

LoopCalls& AsyncEngine::make_calls(engine::Loop& loop) {
  const std::lock_guard lock(mutex_);
  if (LoopCalls* const made = find_calls(loop)) return *made;
  auto calls = std::make_unique<LoopCalls>(context_, connecting_, *context_.server->engine(), loop);
  calls->next = first_calls_.load();
  first_calls_.store(calls.get(), std::memory_order_release);
  return *calls.release();
}

Shard& AsyncEngine::shard() {
  event::Reactor* const loop =
      context_.server != nullptr ? context_.server->reactor_of_this_thread() : nullptr;
  return loop != nullptr ? shard_of(*loop) : *foreign_;
}

Shard& AsyncEngine::shard_of(event::Reactor& loop) {
  const std::lock_guard lock(mutex_);
  for (const auto& shard : of_loops_)
    if (shard->is_of(loop)) return *shard;
  return *of_loops_.emplace_back(std::make_unique<Shard>(context_, connecting_, loop));
}

// They stay as long as the engine does. Observers that are told while one is stopped, or woken, may
// come here again.
std::vector<Shard*> AsyncEngine::shards_of_loops() {
  const std::lock_guard lock(mutex_);
  std::vector<Shard*> all;
  for (const auto& shard : of_loops_) all.push_back(shard.get());
  return all;
}

void AsyncEngine::wake() noexcept {
  foreign_->wake();
  const std::lock_guard lock(mutex_);
  for (const auto& shard : of_loops_) shard->wake();
}

// On a thread of a loop, which waits for the end of the ORB, the loops run on. What an observer
// does may lead here again.
void AsyncEngine::loops_ended() noexcept {
  if (first_calls_.load() == nullptr) return;
  const std::lock_guard lock(ending_mutex_);
  for (LoopCalls* each = first_calls_.load(); each != nullptr; each = each->next) each->stop();
  if (!context_.server->serves_on_this_thread()) context_.server->engine()->finish_shared_tasks();
}

void AsyncEngine::stop() noexcept {
  foreign_->stop();
  loops_ended();
  for (Shard* const shard : shards_of_loops()) shard->stop();
  connecting_.stop();
}

}  // namespace perigee::orb
