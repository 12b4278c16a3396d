// A kernel that refuses one system call, as containers do.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace perigee::test {

/// Only calls whose argument has `value` in `bits` are refused.
struct RefusedArgument {
  std::uint32_t number = 0;  ///< the number of the argument; 0: the first argument
  std::uint32_t bits = 0;    ///< 0: all calls
  std::uint32_t value = 0;
};

/// From now on system call `number` fails with `error`, in the calling thread and the threads that
/// it starts. This is permanent, so use a thread of its own. Looks at the lower 32 bits of the
/// argument.
inline void refuse_system_call(long number, int error, RefusedArgument argument = {}) {
  const auto refusal = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
  const std::size_t lower_half = std::endian::native == std::endian::big ? 4 : 0;
  const auto argument_place = static_cast<std::uint32_t>(
      offsetof(seccomp_data, args) + argument.number * sizeof(std::uint64_t) + lower_half);
  std::array<sock_filter, 7> filter{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument_place),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, argument.bits),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument.value, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, refusal),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  sock_fprog program{filter.size(), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    throw std::runtime_error("seccomp installs no filter");
}

}  // namespace perigee::test
