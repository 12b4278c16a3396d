// The service contexts of requests that the ORB itself sends and reads. Applications cannot send
// them.
#pragma once

#include <perigee/iop/components.h>
#include <perigee/iop/exception_detail.h>

#include <cstdint>

namespace perigee::orb {

/// The ids of Perigee: the remaining time of a call, the bridge, and traces.
inline constexpr std::uint32_t own_context_first = 0x50474500;
inline constexpr std::uint32_t own_context_last = 0x504745ff;

[[nodiscard]] constexpr bool is_context_of_orb(std::uint32_t id) noexcept {
  return id == iop::context_code_sets || id == iop::context_bi_dir_iiop ||
         id == iop::context_exception_detail || (id >= own_context_first && id <= own_context_last);
}

}  // namespace perigee::orb
