// Which loop a thread serves.
#include "engine/loops/loop.h"

#include <utility>

namespace perigee::engine {
namespace {
thread_local Loop* served_loop = nullptr;
}  // namespace

Loop* Loop::of_this_thread() noexcept { return served_loop; }

Loop::Scope::Scope(Loop& loop) noexcept : outer_(std::exchange(served_loop, &loop)) {}

Loop::Scope::~Scope() { served_loop = outer_; }

}  // namespace perigee::engine
