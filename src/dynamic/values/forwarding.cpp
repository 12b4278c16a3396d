// The operations of DynAny, which call those of the node. See DynAny::_node.
#include "dynamic/values/node.h"

namespace DynamicAny {
inline namespace perigee_v1 {

namespace {
using ObjectRef = CORBA::object_reference<CORBA::Object>;
using TypeRef = CORBA::object_reference<CORBA::TypeCode>;
using AbstractRef = CORBA::abstract_reference<CORBA::AbstractBase>;
using ValueRef = CORBA::valuetype_reference<CORBA::ValueBase>;
}  // namespace

CORBA::object_reference<CORBA::TypeCode> DynAny::type() { return _node().type(); }
void DynAny::assign(const _ref_type& dyn_any) { _node().assign(dyn_any); }
void DynAny::from_any(const CORBA::Any& value) { _node().from_any(value); }
CORBA::Any DynAny::to_any() { return _node().to_any(); }
bool DynAny::equal(const _ref_type& dyn_any) { return _node().equal(dyn_any); }
void DynAny::destroy() { _node().destroy(); }
DynAny::_ref_type DynAny::copy() { return _node().copy(); }

bool DynAny::seek(std::int32_t index) { return _node().seek(index); }
void DynAny::rewind() { _node().rewind(); }
bool DynAny::next() { return _node().next(); }
std::uint32_t DynAny::component_count() { return _node().component_count(); }
DynAny::_ref_type DynAny::current_component() { return _node().current_component(); }

#define PERIGEE_DYN_FORWARD(NAME, T)                                    \
  void DynAny::insert_##NAME(T value) { _node().insert_##NAME(value); } \
  T DynAny::get_##NAME() { return _node().get_##NAME(); }               \
  void DynAny::insert_##NAME##_seq(const std::vector<T>& value) {       \
    _node().insert_##NAME##_seq(value);                                 \
  }                                                                     \
  std::vector<T> DynAny::get_##NAME##_seq() { return _node().get_##NAME##_seq(); }
PERIGEE_DYN_BASIC_TYPES(PERIGEE_DYN_FORWARD)
#undef PERIGEE_DYN_FORWARD

#define PERIGEE_DYN_FORWARD(NAME, PARAMETER, RESULT)                            \
  void DynAny::insert_##NAME(PARAMETER value) { _node().insert_##NAME(value); } \
  RESULT DynAny::get_##NAME() { return _node().get_##NAME(); }
PERIGEE_DYN_FORWARD(int8, std::int8_t, std::int8_t)
PERIGEE_DYN_FORWARD(string, const std::string&, std::string)
PERIGEE_DYN_FORWARD(wstring, const std::wstring&, std::wstring)
PERIGEE_DYN_FORWARD(reference, const ObjectRef&, ObjectRef)
PERIGEE_DYN_FORWARD(typecode, const TypeRef&, TypeRef)
PERIGEE_DYN_FORWARD(any, const CORBA::Any&, CORBA::Any)
PERIGEE_DYN_FORWARD(dyn_any, const DynAny::_ref_type&, DynAny::_ref_type)
PERIGEE_DYN_FORWARD(val, const ValueRef&, ValueRef)
PERIGEE_DYN_FORWARD(abstract, const AbstractRef&, AbstractRef)
#undef PERIGEE_DYN_FORWARD

}  // namespace perigee_v1
}  // namespace DynamicAny
