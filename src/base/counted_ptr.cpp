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

}  // namespace perigee::detail
