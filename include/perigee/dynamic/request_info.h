// PortableInterceptor::RequestInfo: the properties of a request that client and server interceptors
// can read.
// Source: CORBA 3.0, 21.3.12.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/interceptor.h>
#include <perigee/dynamic/iop_types.h>
#include <perigee/orb/any.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/orb_enums.h>
#include <perigee/orb/typecode.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Source: CORBA 3.0, 21.3.10.
namespace Dynamic {
inline namespace perigee_v1 {

/// An argument of a request.
class Parameter final {
 public:
  Parameter() = default;
  Parameter(CORBA::Any argument, CORBA::ParameterMode mode)
      : argument_(std::move(argument)), mode_(mode) {}
  [[nodiscard]] const CORBA::Any& argument() const noexcept { return argument_; }
  [[nodiscard]] CORBA::ParameterMode mode() const noexcept { return mode_; }

 private:
  CORBA::Any argument_;
  CORBA::ParameterMode mode_ = CORBA::ParameterMode::PARAM_IN;
};

using ParameterList = std::vector<Parameter>;
using ContextList = std::vector<std::string>;
using ExceptionList = std::vector<CORBA::object_reference<CORBA::TypeCode>>;
using RequestContext = std::vector<std::string>;

}  // namespace perigee_v1
}  // namespace Dynamic

namespace PortableInterceptor {
inline namespace perigee_v1 {

/// A request at an interception point. Valid during the call of the interceptor, on its thread:
/// later calls raise BAD_INV_ORDER, OMG minor 14, as do functions that are not valid at the point.
/// docs/interceptors.md has the table of points.
class PERIGEE_API RequestInfo : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<RequestInfo>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableInterceptor/RequestInfo:1.0";

  ~RequestInfo() override;
  /// Unique among the requests of this process that are in progress. All tries of a call have the
  /// same number.
  [[nodiscard]] virtual std::uint32_t request_id() = 0;
  [[nodiscard]] virtual std::string operation() = 0;
  /// @name Raise NO_RESOURCES, OMG minor 1: stubs and skeletons do not keep these values
  /// @{
  [[nodiscard]] virtual Dynamic::ParameterList arguments() = 0;
  [[nodiscard]] virtual Dynamic::ExceptionList exceptions() = 0;
  [[nodiscard]] virtual Dynamic::ContextList contexts() = 0;
  [[nodiscard]] virtual Dynamic::RequestContext operation_context() = 0;
  [[nodiscard]] virtual CORBA::Any result() = 0;
  /// @}
  /// On the client: false for oneways, except with SYNC_WITH_TARGET. On the server: also true for a
  /// oneway with SYNC_WITH_SERVER, at `receive_request_service_contexts`.
  [[nodiscard]] virtual bool response_expected() = 0;
  /// When a oneway call returns; SYNC_WITH_TRANSPORT also stands for SYNC_NONE. For other calls:
  /// SYNC_WITH_TARGET. The server cannot tell a oneway with SYNC_WITH_TARGET from other calls.
  [[nodiscard]] virtual Messaging::SyncScope sync_scope() = 0;
  [[nodiscard]] virtual ReplyStatus reply_status() = 0;
  /// The target of the forward. Only if `reply_status` is LOCATION_FORWARD.
  [[nodiscard]] virtual CORBA::object_reference<CORBA::Object> forward_reference() = 0;
  /// The value of the request's slot; an empty any if it was never set. Raises InvalidSlot.
  [[nodiscard]] virtual CORBA::Any get_slot(SlotId id) = 0;
  /// A copy of the service context. Raises BAD_PARAM, OMG minor 26, if there is none with this id.
  [[nodiscard]] virtual IOP::ServiceContext get_request_service_context(IOP::ServiceId id) = 0;
  [[nodiscard]] virtual IOP::ServiceContext get_reply_service_context(IOP::ServiceId id) = 0;

 protected:
  RequestInfo() = default;
};

}  // namespace perigee_v1
}  // namespace PortableInterceptor

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableInterceptor::RequestInfo>
    : perigee::stub::local_interface_traits<PortableInterceptor::RequestInfo> {};
}  // namespace perigee_v1
}  // namespace IDL
