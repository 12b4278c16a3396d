// A name server that does not answer.
#pragma once

#include <cstddef>

namespace perigee::naming::test {

/// The end of host names whose look-ups hang. No name server knows such a name (RFC 6761).
inline constexpr const char* hanging_domain = ".hanging.invalid";

/// While this object exists, look-ups of names in `hanging_domain` hang. A program can have only
/// one object at a time. The source of this class replaces the program's function getaddrinfo.
class HangingResolver {
 public:
  HangingResolver();
  /// Lets the look-ups fail, and waits until they have ended.
  ~HangingResolver();
  HangingResolver(const HangingResolver&) = delete;
  HangingResolver& operator=(const HangingResolver&) = delete;

  /// Look-ups that hang now.
  [[nodiscard]] std::size_t hanging() const;
};

/// Whether libcurl looks up names with getaddrinfo, in threads that requests do not wait for.
[[nodiscard]] bool can_hang();

}  // namespace perigee::naming::test
