// The base of generated files of asynchronous servants (…AmhS.h, …AmhS.cpp).
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/pinned.h>
#include <perigee/orb/local_object.h>
#include <perigee/poa/answer.h>
#include <perigee/poa/held_exception.h>
#include <perigee/poa/servant.h>

namespace CORBA {
inline namespace perigee_v1 {

/// Generated code specialises this with: `base_type` (the skeleton to derive from), `ref_type`,
/// `weak_ref_type`, `response_handler_type`, `response_handler_ref_type`, `exception_holder_type`.
template <typename T>
struct amh_traits;

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::skeleton {

/// The base of generated response handlers. A handler has a function for each operation of the
/// interface, but only the function of the requested operation may be called.
class PERIGEE_API ResponseState : public HandlerState {
 public:
  ResponseState(orb::ServerRequest& request, int operation)
      : HandlerState(request), operation_(operation) {}

  /// Raises BAD_OPERATION, without a reply, if the request is for another operation.
  [[nodiscard]] Answer& _answer_to(int operation) {
    if (operation != operation_) _raise_other_operation();
    return _answer();
  }
  [[noreturn]] static void _raise_other_operation();

 protected:
  ~ResponseState() = default;

 private:
  const int operation_;
};

}  // namespace perigee::skeleton
