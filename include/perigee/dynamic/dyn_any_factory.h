// DynamicAny::DynAnyFactory makes DynAnys. A program gets it from `factory_of`, or by
// `resolve_initial_references("DynAnyFactory")` after `perigee::dynamic::install`.
#pragma once

#include <perigee/base/export.h>
#include <perigee/dynamic/dyn_any.h>
#include <perigee/orb/any.h>
#include <perigee/orb/local_object.h>
#include <perigee/orb/orb.h>
#include <perigee/orb/typecode.h>

#include <string_view>

namespace DynamicAny {
inline namespace perigee_v1 {

/// The value is of a type that is derived from the type of its any.
PERIGEE_DYNAMIC_ANY_EXCEPTION(MustTruncate)

/// Makes DynAnys. Any thread. Source: CORBA 3.0, 9.2.2.
class PERIGEE_API DynAnyFactory : public virtual CORBA::LocalObject {
 public:
  using _ref_type = CORBA::object_reference<DynAnyFactory>;
  static constexpr std::string_view _type_id = "IDL:omg.org/DynamicAny/DynAnyFactory:1.0";

  /// The type has no DynAnys. This holds for native types, Principals, components, homes and
  /// events, and for types that contain themselves other than in a sequence or a valuetype.
  PERIGEE_DYNAMIC_ANY_EXCEPTION(InconsistentTypeCode)

  ~DynAnyFactory() override;

  /// A DynAny with a copy of the value. The current position is 0, or -1 if the value has no
  /// components. For a value of a derived type, the DynAny has the components of the type of the
  /// any.
  [[nodiscard]] virtual CORBA::object_reference<DynAny> create_dyn_any(const CORBA::Any& value) = 0;
  /// A DynAny with the default value of the type: FALSE, zero, empty, nil, null, the first
  /// enumerator, the first member of a union. Raises IMP_LIMIT if the value would have more than
  /// 1,048,576 components, including the components of components. Raises BAD_PARAM for nil.
  [[nodiscard]] virtual CORBA::object_reference<DynAny> create_dyn_any_from_type_code(
      const CORBA::object_reference<CORBA::TypeCode>& type) = 0;
  /// Like `create_dyn_any`, but raises MustTruncate for a value of a derived type.
  [[nodiscard]] virtual CORBA::object_reference<DynAny> create_dyn_any_without_truncation(
      const CORBA::Any& value) = 0;
  /// A DynAny for each any. The DynAnys are independent of each other.
  [[nodiscard]] virtual DynAnySeq create_multiple_dyn_anys(const AnySeq& values,
                                                           bool allow_truncate) = 0;
  /// The values of the DynAnys. Raises BAD_PARAM if one of them is nil.
  [[nodiscard]] virtual AnySeq create_multiple_anys(const DynAnySeq& values) = 0;

 protected:
  DynAnyFactory() = default;
};

/// A new factory. Its DynAnys make object references and values through the ORB, but do not keep
/// the ORB alive. Raises INV_OBJREF for nil.
[[nodiscard]] PERIGEE_API CORBA::object_reference<DynAnyFactory> factory_of(
    const CORBA::object_reference<CORBA::ORB>& orb);

}  // namespace perigee_v1
}  // namespace DynamicAny

namespace perigee::dynamic {

/// Registers the factory of DynAnys as the initial reference `DynAnyFactory` of the ORB. Does
/// nothing if the ORB has an initial reference of that name. Any thread.
PERIGEE_API void install(const CORBA::object_reference<CORBA::ORB>& orb);

}  // namespace perigee::dynamic

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<DynamicAny::DynAnyFactory>
    : perigee::stub::local_interface_traits<DynamicAny::DynAnyFactory> {};
}  // namespace perigee_v1
}  // namespace IDL
