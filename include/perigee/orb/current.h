// CORBA::Current: the base of interfaces to the state of the calling thread.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/local_object.h>

#include <string_view>

namespace CORBA {
inline namespace perigee_v1 {

/// Base of interfaces whose single object has a state of its own in each thread: PolicyCurrent,
/// PortableServer::Current. Source: CORBA 3.0, 4.7.
class PERIGEE_API Current : public virtual LocalObject {
 public:
  using _ref_type = object_reference<Current>;
  static constexpr std::string_view _type_id = "IDL:omg.org/CORBA/Current:1.0";
  ~Current() override;

 protected:
  Current() = default;
};

}  // namespace perigee_v1
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::Current> : perigee::stub::local_interface_traits<CORBA::Current> {};
}  // namespace perigee_v1
}  // namespace IDL
