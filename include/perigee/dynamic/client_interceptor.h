// PortableInterceptor::ClientRequestInterceptor: code that runs in each call of an ORB.
// Source: CORBA 3.0, 21.3.5 and 21.3.13.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/interceptor.h>
#include <perigee/dynamic/request_info.h>
#include <perigee/orb/policy.h>

#include <string>
#include <string_view>

namespace PortableInterceptor {
inline namespace perigee_v1 {

/// A call at an interception point. See RequestInfo.
class PERIGEE_API ClientRequestInfo : public virtual RequestInfo {
 public:
  using _ref_type = CORBA::object_reference<ClientRequestInfo>;
  static constexpr std::string_view _type_id =
      "IDL:omg.org/PortableInterceptor/ClientRequestInfo:1.0";

  ~ClientRequestInfo() override;
  /// The reference that the application called.
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Object> target() = 0;
  /// The object to which the request is sent: differs from `target` after a location forward.
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Object> effective_target() = 0;
  /// The profile of `effective_target` that the ORB uses.
  [[nodiscard]] virtual IOP::TaggedProfile effective_profile() = 0;
  /// The exception that the caller gets, unless an interceptor replaces it. For a user
  /// exception, the program needs its TypeCode: that of a dynamic call, or the file that
  /// `perigee-idl --any` generates. Without the TypeCode, the any holds UNKNOWN, OMG minor 1.
  [[nodiscard]] virtual CORBA::Any received_exception() = 0;
  /// The repository id of the exception. For a user exception, no TypeCode is needed.
  [[nodiscard]] virtual std::string received_exception_id() = 0;
  /// The first component of `effective_profile` with this tag. Raises BAD_PARAM, OMG minor 28, if
  /// there is none.
  [[nodiscard]] virtual IOP::TaggedComponent get_effective_component(IOP::ComponentId id) = 0;
  [[nodiscard]] virtual IOP::TaggedComponentSeq get_effective_components(IOP::ComponentId id) = 0;
  /// The policy that the call obeys, or nil. Raises INV_POLICY, OMG minor 2, for an unknown type.
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Policy> get_request_policy(
      CORBA::PolicyType type) = 0;
  /// Adds a service context to the request. If an interceptor or a ServiceContextPolicy has added
  /// one with the same id, replaces it if `replace` is set, and otherwise raises BAD_INV_ORDER, OMG
  /// minor 15.
  virtual void add_request_service_context(const IOP::ServiceContext& service_context,
                                           bool replace) = 0;

 protected:
  ClientRequestInfo() = default;
};

/// A client interceptor. The functions run on the thread that makes the call or, at the end of an
/// asynchronous call, on the thread that delivers the outcome. They may call other objects, and
/// these calls are intercepted too. A function may raise a system exception, which ends the call
/// with this exception; all except `send_poll` and `receive_reply` may raise ForwardRequest.
///
/// For each `send_request` that has returned, the interceptor gets exactly one of the `receive_…`
/// calls, in the reverse order of the interceptors.
class PERIGEE_API ClientRequestInterceptor : public virtual Interceptor {
 public:
  using _ref_type = CORBA::object_reference<ClientRequestInterceptor>;
  static constexpr std::string_view _type_id =
      "IDL:omg.org/PortableInterceptor/ClientRequestInterceptor:1.0";
  using Info = CORBA::object_reference<ClientRequestInfo>;

  ~ClientRequestInterceptor() override;
  /// Called before each try of a call.
  virtual void send_request(Info info) = 0;
  /// Never called: the standard calls it for polls of time-independent invocations, which Perigee
  /// does not have. Pollers and `Request::poll_response` poll calls of this process.
  virtual void send_poll(Info info) = 0;
  virtual void receive_reply(Info info) = 0;
  virtual void receive_exception(Info info) = 0;
  /// Called after a oneway that gets no reply, a location forward, or a try that the ORB repeats.
  virtual void receive_other(Info info) = 0;

 protected:
  ClientRequestInterceptor() = default;
};

}  // namespace perigee_v1
}  // namespace PortableInterceptor

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableInterceptor::ClientRequestInfo>
    : perigee::stub::local_interface_traits<PortableInterceptor::ClientRequestInfo> {};
template <>
struct traits<PortableInterceptor::ClientRequestInterceptor>
    : perigee::stub::local_interface_traits<PortableInterceptor::ClientRequestInterceptor> {};
}  // namespace perigee_v1
}  // namespace IDL
