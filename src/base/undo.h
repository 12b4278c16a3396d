// Reverses a step unless the steps after it succeed.
#pragma once

#include <utility>

namespace perigee {

/// The destructor calls `step`, which reverses an earlier step, unless `keep` was called. So an
/// exception reverses that step, too. `step` must not throw.
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
