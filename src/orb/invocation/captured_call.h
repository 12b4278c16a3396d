// A call of a stub that is not sent: its arguments are encoded into the message of another call.
#pragma once

#include <perigee/cdr/encoder.h>
#include <perigee/orb/stub.h>

namespace perigee::orb {

/// While this object lives, it receives the synchronous calls of its thread through stubs that have
/// no reference.
class CapturedCall final {
 public:
  /// `encoder` gets the arguments; null: only the operation is recorded.
  explicit CapturedCall(cdr::Encoder* encoder) noexcept;
  ~CapturedCall();
  CapturedCall(const CapturedCall&) = delete;
  CapturedCall& operator=(const CapturedCall&) = delete;

  /// The operation that was called; null: none.
  [[nodiscard]] const stub::Operation* operation() const noexcept { return operation_; }

  /// For stub::invoke. Raises INV_OBJREF if the thread captures no call.
  static void take(const stub::Operation& operation, stub::ArgumentEncoder encode);

 private:
  cdr::Encoder* const encoder_;
  const stub::Operation* operation_ = nullptr;
  CapturedCall* const outer_;
};

}  // namespace perigee::orb
