// Takes a step back unless the steps after it succeed.
#pragma once

#include <utility>

namespace perigee {

/// Calls `step` when it is destroyed, for example by an exception, unless `keep` was called. The
/// step must not throw.
template <typename Step>
class [[nodiscard]] Undo final {
 public:
  explicit Undo(Step step) noexcept : step_(std::move(step)) {}
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() {
    if (!kept_) step_();
  }
  void keep() noexcept { kept_ = true; }

 private:
  Step step_;
  bool kept_ = false;
};

}  // namespace perigee
