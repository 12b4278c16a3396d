// Finds the operation that a stub calls, and encodes its arguments, without calling it.
#include "orb/invocation/captured_call.h"

#include <perigee/orb/object.h>

#include <utility>

namespace perigee::orb {

namespace {

thread_local CapturedCall* innermost_capture = nullptr;

}  // namespace

CapturedCall::CapturedCall(cdr::Encoder* encoder) noexcept
    : encoder_(encoder), outer_(std::exchange(innermost_capture, this)) {}

CapturedCall::~CapturedCall() { innermost_capture = outer_; }

void CapturedCall::take(const stub::Operation& operation, stub::ArgumentEncoder encode) {
  CapturedCall* const capture = innermost_capture;
  if (capture == nullptr) CORBA::_raise_nil_reference();
  capture->operation_ = &operation;
  if (capture->encoder_ != nullptr && encode) encode(*capture->encoder_);
}

}  // namespace perigee::orb
