// PortableInterceptor::ServerRequestInterceptor: code that the ORB calls for each request to a
// server.
// Source: CORBA 3.0, 21.3.8 and 21.3.14.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/interceptor.h>
#include <perigee/dynamic/request_info.h>
#include <perigee/orb/policy.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace PortableInterceptor {
inline namespace perigee_v1 {

using ObjectId = std::vector<std::uint8_t>;

/// A request at an interception point. See RequestInfo.
class PERIGEE_API ServerRequestInfo : public virtual RequestInfo {
 public:
  using _ref_type = CORBA::object_reference<ServerRequestInfo>;
  static constexpr std::string_view _type_id =
      "IDL:omg.org/PortableInterceptor/ServerRequestInfo:1.0";

  ~ServerRequestInfo() override;
  /// The exception that the client gets, unless an interceptor replaces it. For a user
  /// exception, the program needs its TypeCode: that of a dynamic servant, or the file that
  /// `perigee-idl --any` generates. Without the TypeCode, the any holds UNKNOWN, OMG minor 1.
  [[nodiscard]] virtual CORBA::Any sending_exception() = 0;
  [[nodiscard]] virtual ObjectId object_id() = 0;
  /// The id of the POA.
  [[nodiscard]] virtual std::vector<std::uint8_t> adapter_id() = 0;
  /// `-ORBServerId` of the ORB; empty without this option.
  [[nodiscard]] virtual std::string server_id() = 0;
  [[nodiscard]] virtual std::string orb_id() = 0;
  /// The names of the POA and its ancestors, "RootPOA" first.
  [[nodiscard]] virtual AdapterName adapter_name() = 0;
  /// The repository id of the servant's most derived interface. A dynamic servant is asked for it.
  [[nodiscard]] virtual std::string target_most_derived_interface() = 0;
  /// The policy of the POA with this type, or nil. Raises INV_POLICY, OMG minor 3, if the POA has
  /// no such policy, no policy factory takes the type, and it is not one of the POA's own types.
  /// Raises BAD_INV_ORDER, OMG minor 14, before the ORB has found the object, so always at
  /// `receive_request_service_contexts`.
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Policy> get_server_policy(
      CORBA::PolicyType type) = 0;
  /// Raises InvalidSlot.
  virtual void set_slot(SlotId id, const CORBA::Any& data) = 0;
  [[nodiscard]] virtual bool target_is_a(const std::string& id) = 0;
  /// Adds a service context to the reply. See ClientRequestInfo::add_request_service_context.
  virtual void add_reply_service_context(const IOP::ServiceContext& service_context,
                                         bool replace) = 0;

 protected:
  ServerRequestInfo() = default;
};

/// A server interceptor. The `receive_…` functions run on the thread of the upcall, the `send_…`
/// functions on the thread that replies. A function may raise a system exception, which the client
/// gets instead of the reply; all except `send_reply` may raise ForwardRequest.
///
/// An interceptor whose `receive_request_service_contexts` has returned gets exactly one of the
/// `send_…` calls, in the reverse order of the interceptors.
class PERIGEE_API ServerRequestInterceptor : public virtual Interceptor {
 public:
  using _ref_type = CORBA::object_reference<ServerRequestInterceptor>;
  static constexpr std::string_view _type_id =
      "IDL:omg.org/PortableInterceptor/ServerRequestInterceptor:1.0";
  using Info = CORBA::object_reference<ServerRequestInfo>;

  ~ServerRequestInterceptor() override;
  /// Called before a servant manager is asked for the servant. May set slots that the servant
  /// reads.
  virtual void receive_request_service_contexts(Info info) = 0;
  /// Called before the servant is called.
  virtual void receive_request(Info info) = 0;
  virtual void send_reply(Info info) = 0;
  virtual void send_exception(Info info) = 0;
  /// Called after a oneway whose scope is not WITH_TARGET, or before a location forward is sent.
  virtual void send_other(Info info) = 0;

 protected:
  ServerRequestInterceptor() = default;
};

}  // namespace perigee_v1
}  // namespace PortableInterceptor

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableInterceptor::ServerRequestInfo>
    : perigee::stub::local_interface_traits<PortableInterceptor::ServerRequestInfo> {};
template <>
struct traits<PortableInterceptor::ServerRequestInterceptor>
    : perigee::stub::local_interface_traits<PortableInterceptor::ServerRequestInterceptor> {};
}  // namespace perigee_v1
}  // namespace IDL
