// The number of threads of this process, as the system lists them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace perigee::test {

/// The system may list a thread for a moment after it was joined.
inline std::size_t threads_of_process() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

}  // namespace perigee::test
