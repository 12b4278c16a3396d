// Which loop a thread serves.
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

Loop::Scope::Scope(Loop& loop) noexcept
    : loop_(loop), outer_(std::exchange(innermost_scope, this)) {}

Loop::Scope::~Scope() { innermost_scope = outer_; }

}  // namespace perigee::engine
