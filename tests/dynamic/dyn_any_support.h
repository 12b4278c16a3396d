// Types, factories and shortcuts of the tests of DynAnys.
#pragma once

#include "dynamic/values/factory.h"
#include <perigee/dynamic/dynamic_any.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/make_reference.h>
#include <perigee/orb/typecode_factory.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

using TypeRef = CORBA::object_reference<CORBA::TypeCode>;
using DynRef = DynamicAny::DynAny::_ref_type;

/// Makes TypeCodes. No ORB is needed.
inline const CORBA::TypeCodeFactory& types() {
  static const auto factory = CORBA::make_reference<CORBA::TypeCodeFactory>();
  return *factory;
}

/// A factory of DynAnys without an ORB.
inline DynamicAny::DynAnyFactory& dyn_anys() {
  static const DynamicAny::DynAnyFactory::_ref_type factory = dynamic::make_factory({});
  return *factory;
}

inline TypeRef struct_of(const std::string& name,
                         std::initializer_list<std::pair<const char*, TypeRef>> members) {
  CORBA::StructMemberSeq list;
  for (const auto& [member, type] : members) list.emplace_back(member, type);
  return types().create_struct_tc("IDL:test/" + name + ":1.0", name, list);
}

template <typename T>
CORBA::Any any_of(T value) {
  CORBA::Any any;
  any <<= std::move(value);
  return any;
}

inline DynRef made(const TypeRef& type) { return dyn_anys().create_dyn_any_from_type_code(type); }
inline DynRef made(const CORBA::Any& value) { return dyn_anys().create_dyn_any(value); }

/// The DynAny with the interface of its kind.
template <typename T>
typename T::_ref_type as(const DynRef& dyn_any) {
  return IDL::traits<T>::narrow(dyn_any);
}
template <typename T>
typename T::_ref_type made_as(const TypeRef& type) {
  return as<T>(made(type));
}

}  // namespace perigee::test
