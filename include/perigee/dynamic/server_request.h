// CORBA::ServerRequest: a request for a servant that learns operations at run time.
// Source: CORBA 3.0, 8.3 "ServerRequest Pseudo Interface".
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/dynamic/named_value.h>
#include <perigee/orb/any.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/iop_types.h>
#include <perigee/orb/object.h>

#include <memory>
#include <optional>
#include <string>

namespace perigee::orb {
class ServerRequest;
}
namespace perigee::dynamic {
class ServedRequest;
}

namespace CORBA {
inline namespace perigee_v1 {

class Context;

/// One request to a DynamicImplementation. One thread at a time.
///
/// The servant calls `arguments` once, also for an operation without parameters. Then it sets the
/// results: values of the `out` and `inout` parameters, and a result with `set_result`. Or it sets
/// an exception. The reply is sent when the servant's `invoke` returns, or by `reply` if the
/// servant has called `defer`.
///
/// A call in the wrong order raises BAD_INV_ORDER with an OMG minor code, which the comment of each
/// function names. After the reply, each function that changes the request raises BAD_INV_ORDER.
class PERIGEE_API ServerRequest final {
 public:
  using _ref_type = object_reference<ServerRequest>;

  explicit ServerRequest(std::unique_ptr<perigee::dynamic::ServedRequest> state) noexcept;
  /// If a deferred request has no reply, the client gets NO_RESPONSE.
  ~ServerRequest();
  ServerRequest(const ServerRequest&) = delete;
  ServerRequest& operator=(const ServerRequest&) = delete;

  /// The name on the wire: `_get_balance` for an attribute.
  [[nodiscard]] const std::string& operation() const noexcept;
  /// Whether the client waits for a reply. False for oneways.
  [[nodiscard]] bool response_expected() const noexcept;

  /// Takes the parameters of the operation, with their types, and decodes the arguments. Returns
  /// the request's list of the parameters, with the values of the `in` and `inout` arguments. The
  /// list lives as long as the request. Raises minor 7 at the second call and after
  /// `set_exception`; BAD_PARAM if a parameter has no type; MARSHAL and similar exceptions,
  /// COMPLETED_NO, if the arguments are not of these types.
  NVList& arguments(NVList parameters);
  /// The context of an operation with a `context` clause. Raises minor 8 before `arguments`, at the
  /// second call, and after `set_result`, `set_exception` or `defer`; MARSHAL if the request has
  /// none.
  [[nodiscard]] object_reference<Context> ctx();
  /// The value that the operation returns. Without this call, the operation returns void. Raises
  /// minor 9 before `arguments`, at the second call, and after `set_exception`; BAD_PARAM for an
  /// any without a value.
  void set_result(Any value);
  /// Replies with an exception, in place of results. Allowed at any time before the reply. Raises
  /// BAD_PARAM (OMG minor 21) if the value is not an exception. An exception that a dynamic call
  /// has raised may be passed on: UnknownUserException::exception.
  void set_exception(const Any& exception);
  /// The same for an exception of a generated class or a system exception. For an
  /// UnknownUserException, sends the exception that it contains.
  void set_exception(const Exception& exception);

  /// Defers the reply: the servant keeps the reference to the request, and calls `reply` later, on
  /// any thread. Call it in `invoke`, after `arguments`; otherwise it raises BAD_INV_ORDER. Until
  /// the reply, the object and the servant are not destroyed (see perigee::skeleton::Answer).
  /// Raises TRANSIENT, COMPLETED_MAYBE, if -ORBDecodedTotalSizeMax leaves no room for the service
  /// contexts of the request: then the request is not deferred.
  void defer();
  /// Sends the reply of a deferred request. Raises BAD_INV_ORDER if the request was not deferred,
  /// or has been answered; BAD_PARAM if an `out` parameter has no value, and the exceptions of
  /// marshalling. For a missing value and for errors of marshalling, the client gets the same
  /// exception.
  void reply();

  /// For DynamicImplementation.
  [[nodiscard]] perigee::dynamic::ServedRequest& _state() const noexcept { return *state_; }

 private:
  const std::unique_ptr<perigee::dynamic::ServedRequest> state_;
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee {

/// The service context with this id, of the request to a dynamic servant. Empty if the request has
/// none, and when the reply was given. After `defer`, also empty for the contexts of the ORB itself
/// (see <perigee/poa/request_contexts.h>). Throws std::bad_alloc.
[[nodiscard]] PERIGEE_API std::optional<IOP::ServiceContext> request_service_context_of(
    const CORBA::object_reference<CORBA::ServerRequest>& request, IOP::ServiceId id);

}  // namespace perigee
