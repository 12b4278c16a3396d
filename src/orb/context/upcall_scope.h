// Marks of threads that are in an upcall.
#pragma once

#include <perigee/base/export.h>

#include <cstdint>

namespace perigee::orb {

struct OrbContext;

/// Marks the calling thread as being inside an upcall of the ORB's, for as long as it lives: the
/// adapter puts one around each upcall. ORB::shutdown(true) and POA::destroy(…, true) look at it.
class PERIGEE_API UpcallScope {
 public:
  /// `orb` is compared only, never used.
  explicit UpcallScope(const OrbContext& orb) noexcept;
  /// Marks that what follows belongs to no upcall, though it happens while one is on the stack: a
  /// nested turn, or a task that goes on. It must not be taken for the one whose upcall that is.
  enum class None : std::uint8_t { upcall };
  explicit UpcallScope(None none) noexcept;
  ~UpcallScope();
  UpcallScope(const UpcallScope&) = delete;
  UpcallScope& operator=(const UpcallScope&) = delete;
  /// Whether the calling thread is inside an upcall of the ORB's.
  [[nodiscard]] static bool inside(const OrbContext& orb) noexcept;
  /// Of the calling thread, to be compared: another one in a nested turn or task. Null outside.
  [[nodiscard]] static const UpcallScope* innermost() noexcept;

 private:
  const OrbContext* orb_;  // null: no upcall
  const UpcallScope* outer_;
};

}  // namespace perigee::orb
