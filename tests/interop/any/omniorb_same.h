// Comparing anys of omniORB.
#pragma once

#include <omniORB4/CORBA.h>
#include <omniORB4/dynAny.h>

#include <cwchar>

namespace interop {

inline DynamicAny::DynAnyFactory_ptr dyn_any_factory = nullptr;  // of the ORB

/// The caller keeps the factory while it compares.
inline DynamicAny::DynAnyFactory_ptr use_dyn_any_factory(CORBA::ORB_ptr orb) {
  CORBA::Object_var object = orb->resolve_initial_references("DynAnyFactory");
  dyn_any_factory = DynamicAny::DynAnyFactory::_narrow(object);
  return dyn_any_factory;
}

/// Compares values, not octets: omniORB fills padding with whatever was there.
inline bool same_value(const CORBA::Any& a, const CORBA::Any& b) {
  // DynAny::equal compares the octets of wide strings: a byte order mark would be a difference.
  const CORBA::WChar* wide_a = nullptr;
  const CORBA::WChar* wide_b = nullptr;
  if ((a >>= wide_a) && (b >>= wide_b)) return std::wcscmp(wide_a, wide_b) == 0;
  DynamicAny::DynAny_var value_a = dyn_any_factory->create_dyn_any(a);
  DynamicAny::DynAny_var value_b = dyn_any_factory->create_dyn_any(b);
  const bool result = value_a->equal(value_b);
  value_a->destroy();
  value_b->destroy();
  return result;
}

inline bool same(const CORBA::Any& a, const CORBA::Any& b) {
  CORBA::TypeCode_var type_a = a.type();
  CORBA::TypeCode_var type_b = b.type();
  return type_a->equal(type_b) && same_value(a, b);
}

}  // namespace interop
