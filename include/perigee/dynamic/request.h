// CORBA::Request: a call of an operation that the program learns at run time. No stub is needed.
// Source: CORBA 3.0, 7.2 "Request Operations".
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/dynamic/exception_list.h>
#include <perigee/dynamic/named_value.h>
#include <perigee/orb/any.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/object.h>
#include <perigee/orb/typecode.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace perigee::dynamic {
class RequestState;
}  // namespace perigee::dynamic

namespace CORBA {
inline namespace perigee_v1 {

class Context;
class ORB;

/// One call. It is sent once: for another call, make another Request.
///
/// The call obeys the policies of the reference, of the thread and of the ORB, as a call of a stub
/// does. Without a return type, the operation returns void. One thread at a time.
///
/// Errors of the order of calls are BAD_INV_ORDER, with these OMG minor codes: 10 if a request is
/// sent or changed after it was sent; 11 to 13 for `poll_response` and `get_response`.
class PERIGEE_API Request final {
 public:
  using _ref_type = object_reference<Request>;

  /// A request without arguments; `object->_request(operation)` does the same. `operation` is the
  /// name on the wire: `_get_balance` for an attribute. Raises BAD_PARAM for an empty name,
  /// NO_IMPLEMENT (OMG minor 4) for a local object.
  static _ref_type create(const Object& target, std::string operation);
  /// The same with all parts. Raises INV_OBJREF for nil. A nil `return_type` is void.
  static _ref_type create(const object_reference<Object>& target, std::string operation,
                          NVList arguments, object_reference<TypeCode> return_type = nullptr,
                          ExceptionList exceptions = {});

  explicit Request(std::unique_ptr<perigee::dynamic::RequestState> state) noexcept;
  /// Does not end a call that was sent: its outcome is dropped.
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  [[nodiscard]] const object_reference<Object>& target() const noexcept;
  [[nodiscard]] const std::string& operation() const noexcept;
  /// The arguments. The list may be changed before the request is sent. While the call runs, the
  /// list has the arguments as they were sent. After the reply, the `out` and `inout` items have
  /// the results.
  [[nodiscard]] NVList& arguments() noexcept;
  [[nodiscard]] const NVList& arguments() const noexcept;
  /// The result. Its type is the return type.
  [[nodiscard]] const NamedValue& result() const noexcept;
  /// The user exceptions that the operation raises. Other user exceptions become UNKNOWN.
  [[nodiscard]] ExceptionList& exceptions() noexcept;

  /// @name Adds an argument. The reference is valid until the next argument is added.
  /// @{
  /// The caller sets the value: `request->add_in_arg("amount") <<= 5`.
  Any& add_in_arg(std::string name = {});
  Any& add_inout_arg(std::string name = {});
  /// The any gets the value of the reply. Raises BAD_TYPECODE for nil.
  Any& add_out_arg(std::string name, object_reference<TypeCode> type);
  /// @}
  /// Raises BAD_TYPECODE for nil.
  void set_return_type(object_reference<TypeCode> type);
  /// The value that the operation has returned; without a value until the reply has come.
  [[nodiscard]] const Any& return_value() const noexcept;
  /// The context, and the names of its properties that the request carries. For an operation with a
  /// `context` clause: `patterns` are the names of this clause.
  void ctx(object_reference<Context> context, std::vector<std::string> patterns);

  /// Calls the operation, and waits for the reply. Raises UnknownUserException for an exception of
  /// the list, system exceptions, and BAD_PARAM for an argument without a value or an `out`
  /// argument without a type.
  void invoke();
  /// Sends the request of a oneway operation. As with a stub, SyncScopePolicy says when this
  /// function returns.
  void send_oneway();
  /// Starts the call. `get_response` gets its outcome. Valuetypes among the arguments must not
  /// change until then; changes of the list itself do not reach the call. Does not wait for the
  /// network. No thread is made: the call advances in `poll_response`, `get_response`, ORB::run and
  /// ORB::perform_work.
  void send_deferred();
  /// Whether the outcome has arrived, so that `get_response` does not wait. Advances the call, and
  /// waits for up to a millisecond. Raises OMG minor 11 if the request was not sent, 12 if
  /// `get_response` was called before, 13 if the request was sent by `invoke` or a oneway function.
  bool poll_response();
  /// Waits for the outcome of a deferred call. References to the items of `arguments()` stay valid,
  /// unless the directions (ARG_IN, …) in the list were changed after the call was started. Then
  /// the list that was sent, with the results, replaces the changed list. Raises the exceptions of
  /// `invoke`; and BAD_INV_ORDER as `poll_response`.
  void get_response();

  /// For the functions below.
  [[nodiscard]] perigee::dynamic::RequestState& _state() const noexcept { return *state_; }

 private:
  const std::unique_ptr<perigee::dynamic::RequestState> state_;
};

/// The list of requests for the functions below.
using RequestSeq = std::vector<object_reference<Request>>;

/// @name Several requests at once, in this order. Raise BAD_PARAM for a nil request, and
/// BAD_INV_ORDER (OMG minor 10) if one of them was sent before; then none is sent.
/// @{
/// Sends requests of oneway operations. If one cannot be sent, the others are sent nevertheless,
/// and the first exception is raised at the end.
PERIGEE_API void send_multiple_requests_oneway(const object_reference<ORB>& orb,
                                               const RequestSeq& requests);
/// Starts calls. `get_next_response` finds the calls that have ended. If a request cannot be sent,
/// its `get_response` raises the exception. The ORB owns the requests until they are taken, or
/// until `ORB::destroy`. Raises BAD_PARAM for a request to an object of another ORB.
PERIGEE_API void send_multiple_requests_deferred(const object_reference<ORB>& orb,
                                                 const RequestSeq& requests);
/// @}
/// Whether `get_next_response` would not wait. Advances the calls, and waits for up to a
/// millisecond. Raises BAD_INV_ORDER (OMG minor 11) if the ORB has no request of
/// `send_multiple_requests_deferred`.
PERIGEE_API bool poll_next_response(const object_reference<ORB>& orb);
/// Waits until one of the requests of `send_multiple_requests_deferred` has its outcome, and
/// returns it. `get_response` of this request does not wait. If several threads call this function,
/// each gets another request. Never returns nil. Raises BAD_INV_ORDER (OMG minor 11) if no request
/// is left, OMG minor 4 after `ORB::destroy`. Complete requests can still be taken after
/// `shutdown`.
PERIGEE_API object_reference<Request> get_next_response(const object_reference<ORB>& orb);

}  // namespace perigee_v1
}  // namespace CORBA
