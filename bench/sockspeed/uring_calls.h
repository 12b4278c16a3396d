// A C program's transfers over io_uring, in the form that a link calls (links.h). The caller waits
// for each operation. There is one ring, which only one thread may use.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace perigee::bench {

/// Returns what send and recv return: a count, or -1 and errno.
struct UringCalls {
  static constexpr bool is_two_way = true;
  static ssize_t put(int fd, const void* octets, std::size_t size, bool non_blocking);
  static ssize_t get(int fd, void* space, std::size_t size, bool non_blocking);
};

}  // namespace perigee::bench
