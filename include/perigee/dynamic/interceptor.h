// PortableInterceptor: the base of all interceptors, and the types that they share.
// Source: CORBA 3.0, 21.2.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/local_exception.h>
#include <perigee/orb/local_object.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace PortableInterceptor {
inline namespace perigee_v1 {

/// The names of a POA and its ancestors, "RootPOA" first.
using AdapterName = std::vector<std::string>;

/// The id of an ORB: `-ORBId`, or the third argument of `ORB_init`.
using ORBId = std::string;
/// `-ORBServerId`.
using ServerId = std::string;

/// The index of a slot of PICurrent.
using SlotId = std::uint32_t;

/// How a request has ended. Source: CORBA 3.0, 21.3.12.
using ReplyStatus = std::int16_t;
inline constexpr ReplyStatus SUCCESSFUL = 0;
inline constexpr ReplyStatus SYSTEM_EXCEPTION = 1;
inline constexpr ReplyStatus USER_EXCEPTION = 2;
inline constexpr ReplyStatus LOCATION_FORWARD = 3;
inline constexpr ReplyStatus TRANSPORT_RETRY = 4;  ///< the ORB sends the request again
inline constexpr ReplyStatus UNKNOWN = 5;

/// Raised by an interceptor to send the request to another object. A client's ORB sends the request
/// there. A server's ORB replies with a location forward.
class PERIGEE_API ForwardRequest final : public CORBA::UserException {
 public:
  ForwardRequest() = default;
  explicit ForwardRequest(CORBA::object_reference<CORBA::Object> forward) noexcept
      : forward_(std::move(forward)) {}
  ~ForwardRequest() override;
  [[nodiscard]] const CORBA::object_reference<CORBA::Object>& forward() const noexcept {
    return forward_;
  }
  void forward(CORBA::object_reference<CORBA::Object> forward) noexcept {
    forward_ = std::move(forward);
  }
  [[nodiscard]] const char* _rep_id() const noexcept override;
  [[nodiscard]] const char* _name() const noexcept override;
  [[noreturn]] void _raise() const override;
  void _encode(perigee::cdr::Encoder& encoder) const override;

 private:
  CORBA::object_reference<CORBA::Object> forward_;
};

/// The slot was not allocated.
PERIGEE_LOCAL_EXCEPTION(InvalidSlot)

/// The base of all interceptors. The ORB calls an interceptor on any thread, also on several
/// threads at once.
class PERIGEE_API Interceptor : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<Interceptor>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableInterceptor/Interceptor:1.0";

  ~Interceptor() override;
  /// May be empty. Other names are unique among the interceptors of one kind and one ORB.
  [[nodiscard]] virtual std::string name() = 0;
  /// Called once, when the ORB is destroyed. An exception is logged.
  virtual void destroy() {}

 protected:
  Interceptor() = default;
};

}  // namespace perigee_v1
}  // namespace PortableInterceptor

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableInterceptor::Interceptor>
    : perigee::stub::local_interface_traits<PortableInterceptor::Interceptor> {};
}  // namespace perigee_v1
}  // namespace IDL
