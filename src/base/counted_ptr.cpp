// The slow paths of counted pointers.
#include <perigee/base/counted_ptr.h>

namespace perigee::detail {

bool Counts::try_add_owner() noexcept {
  std::uint32_t owners = __atomic_load_n(&owners_, __ATOMIC_RELAXED);
  while (owners != 0)
    if (__atomic_compare_exchange_n(&owners_, &owners, owners + 1, true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return true;
  return false;
}

void Counts::end() noexcept {
  destroy_(this);
  remove_holder();
}

namespace {

// The largest number of nested destructors on one thread. Each may take a few hundred octets of the
// stack.
constexpr unsigned nested_max = 100;

struct Turns {
  unsigned nested = 0;
  TurnLink* waiting = nullptr;
};
thread_local Turns turns;

void destroy_waiting() noexcept {
  while (TurnLink* const link = turns.waiting) {
    turns.waiting = link->next;
    Counts* const counts = link->counts;
    ++turns.nested;
    link->destroy(counts);
    --turns.nested;
    counts->remove_holder();
  }
}

}  // namespace

// An object that waits for its destruction counts as a holder of its own counts, which keeps its
// memory.
void destroy_in_turn(TurnLink& link) noexcept {
  if (turns.nested == nested_max) {
    link.counts->add_holder();
    link.next = turns.waiting;
    turns.waiting = &link;
    return;
  }
  ++turns.nested;
  link.destroy(link.counts);
  --turns.nested;
  if (turns.nested == 0) destroy_waiting();
}

}  // namespace perigee::detail
