// PortableInterceptor::Current: values that follow a thread, a request and a task.
// `resolve_initial_references("PICurrent")`. Source: CORBA 3.0, 21.4.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/interceptor.h>
#include <perigee/orb/any.h>
#include <perigee/orb/current.h>

#include <string_view>

namespace PortableInterceptor {
inline namespace perigee_v1 {

/// The slots of the calling thread. In an upcall, they begin with the values that the interceptors
/// have set for the request. A task keeps its values while it awaits: it has them again when it
/// resumes, even on another thread. Each child of `when_all` begins with the slots that the thread
/// has when the child begins. `ORBInitInfo::allocate_slot_id` gives slots.
class PERIGEE_API Current : public virtual CORBA::Current {
 public:
  using _ref_type = CORBA::object_reference<Current>;
  static constexpr std::string_view _type_id = "IDL:omg.org/PortableInterceptor/Current:1.0";

  ~Current() override;
  /// An empty any if the slot was never set. Raises InvalidSlot; BAD_INV_ORDER, OMG minor 10, in an
  /// ORBInitializer.
  [[nodiscard]] virtual CORBA::Any get_slot(SlotId id) = 0;
  /// Raises the same exceptions.
  virtual void set_slot(SlotId id, const CORBA::Any& data) = 0;

 protected:
  Current() = default;
};

}  // namespace perigee_v1
}  // namespace PortableInterceptor

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<PortableInterceptor::Current>
    : perigee::stub::local_interface_traits<PortableInterceptor::Current> {};
}  // namespace perigee_v1
}  // namespace IDL
