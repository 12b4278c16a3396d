// A value that counts its constructions and destructions.
#pragma once

#include <coroutine>

namespace perigee::test {

class Counted {
 public:
  explicit Counted(int number) noexcept : number_(number), self_(this) { ++alive_; }
  Counted(const Counted& other) noexcept : number_(other.number_), self_(this) { made_from(other); }
  Counted(Counted&& other) noexcept : number_(other.number_), self_(this) { made_from(other); }
  Counted& operator=(const Counted& other) noexcept {
    number_ = other.number_;
    return *this;
  }
  ~Counted() {
    --alive_;
    if (self_ != this) ++misplaced_;
    self_ = nullptr;
  }

  [[nodiscard]] int number() const noexcept { return number_; }

  static void reset() noexcept { alive_ = misplaced_ = 0; }
  /// Constructed and not yet destroyed; negative if destroyed twice.
  [[nodiscard]] static int alive() noexcept { return alive_; }
  /// Uses of an object that was not constructed, or was destroyed already.
  [[nodiscard]] static int misplaced() noexcept { return misplaced_; }

 private:
  static void made_from(const Counted& other) noexcept {
    ++alive_;
    if (other.self_ != &other) ++misplaced_;
  }

  int number_;
  const Counted* self_;
  inline static int alive_ = 0;
  inline static int misplaced_ = 0;
};

}  // namespace perigee::test
