// Counts checks in the clients of the interoperability tests; each failure is a line on stderr. Any
// thread may check. Plain C++: it is also compiled beside other ORBs' headers.
#pragma once

#include <atomic>
#include <cstdlib>
#include <iostream>

namespace interop {

inline std::atomic<int> checks_made{0};
inline std::atomic<int> checks_failed{0};

inline void check(bool condition, const char* text, int line) {
  ++checks_made;
  if (condition) return;
  ++checks_failed;
  std::cerr << "line " << line << ": failed: " << text << std::endl;
}

/// Prints the result in a line, and returns the exit code.
inline int finish(const char* who) {
  std::cout << who << ": " << checks_made - checks_failed << " passed, " << checks_failed
            << " failed" << std::endl;
  return checks_failed == 0 && checks_made > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace interop

#define CHECK(condition) ::interop::check(static_cast<bool>(condition), #condition, __LINE__)

/// Checks that `call` throws `exception`, and leaves it in `caught` for the block that follows.
#define CHECK_THROWS(call, exception, ...)                           \
  do {                                                               \
    bool thrown = false;                                             \
    try {                                                            \
      call;                                                          \
    } catch (const exception& caught) {                              \
      thrown = true;                                                 \
      static_cast<void>(caught);                                     \
      __VA_ARGS__;                                                   \
    }                                                                \
    ::interop::check(thrown, #call " throws " #exception, __LINE__); \
  } while (false)
