// The loop that a thread serves.
#include "engine/loops/loop.h"

#include <utility>

namespace perigee::engine {
namespace {
thread_local const Loop::Scope* innermost_scope = nullptr;
}  // namespace

const Loop::Scope* Loop::innermost_of_this_thread() noexcept { return innermost_scope; }

bool Loop::on_thread() const noexcept {
  const Scope* scope = innermost_scope;
  while (scope != nullptr && &scope->loop() != this) scope = scope->outer();
  return scope != nullptr;
}

// The tasks of a turn follow its events, so `turn_end_` runs when the events have been handled.
bool Loop::at_turn_end(Task& task) noexcept {
  const bool is_first = turn_tasks_.empty();
  if (!turn_tasks_.push(task)) return false;
  if (is_first) (void)reactor_->post(turn_end_);
  return true;
}

void Loop::end_turn() noexcept {
  while (Task* const task = turn_tasks_.pop()) event::TaskList::run(*task);
}

Loop::Scope::Scope(Loop& loop) noexcept
    : loop_(loop), outer_(std::exchange(innermost_scope, this)) {}

Loop::Scope::~Scope() { innermost_scope = outer_; }

}  // namespace perigee::engine
