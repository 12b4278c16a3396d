// Marks of threads that are in an upcall.
#pragma once

#include <perigee/base/export.h>

#include <cstdint>

namespace perigee::orb {

struct OrbContext;

/// Marks the calling thread as being inside an upcall of the ORB, as long as the scope lives. The
/// adapter puts one scope around each upcall. ORB::shutdown(true) and POA::destroy(…, true) check
/// it.
class PERIGEE_API UpcallScope {
 public:
  /// `orb` is compared only, never used.
  explicit UpcallScope(const OrbContext& orb) noexcept;
  /// Marks a nested turn, or a task that continues, as outside of the upcall that is on the stack.
  /// Its work must not count as a part of that upcall.
  enum class None : std::uint8_t { upcall };
  explicit UpcallScope(None none) noexcept;
  ~UpcallScope();
  UpcallScope(const UpcallScope&) = delete;
  UpcallScope& operator=(const UpcallScope&) = delete;
  /// Whether the calling thread is inside an upcall of the ORB.
  [[nodiscard]] static bool inside(const OrbContext& orb) noexcept;
  /// The innermost scope of the calling thread, for comparisons: nested turns and tasks have scopes
  /// of their own. Null if there is none.
  [[nodiscard]] static const UpcallScope* innermost() noexcept;

 private:
  const OrbContext* orb_;  // null: no upcall
  const UpcallScope* outer_;
};

}  // namespace perigee::orb
