// Bounds, NamedValue and NVList.
#include "orb/values/local_exception.h"
#include <perigee/dynamic/named_value.h>
#include <perigee/orb/typecode.h>

namespace CORBA {
inline namespace perigee_v1 {

PERIGEE_DEFINE_LOCAL_EXCEPTION(Bounds, Bounds, "IDL:omg.org/CORBA/Bounds:1.0")

object_reference<TypeCode> NamedValue::type() const { return type_ ? type_ : value_.type(); }

void NamedValue::type(object_reference<TypeCode> type) {
  if (!type) throw BAD_TYPECODE(0, COMPLETED_NO, "the type of a named value is nil");
  if (value_.has_value() && !value_.type()->equivalent(type))
    throw BAD_TYPECODE(0, COMPLETED_NO, "the named value has a value of another type");
  type_ = std::move(type);
}

bool NamedValue::has_typed_value() const {
  return value_.has_value() && (!type_ || value_.type()->equivalent(type_));
}

namespace {

void check_flags(Flags flags) {
  if (flags != ARG_IN && flags != ARG_OUT && flags != ARG_INOUT)
    throw INV_FLAG(0, COMPLETED_NO, "the flag of an argument must be ARG_IN, ARG_OUT or ARG_INOUT");
}

}  // namespace

NamedValue& NVList::add_value(std::string name, Any value, Flags flags) {
  check_flags(flags);
  return items_.emplace_back(std::move(name), std::move(value), flags);
}

NamedValue& NVList::add_parameter(std::string name, object_reference<TypeCode> type, Flags flags) {
  check_flags(flags);
  if (!type) throw BAD_TYPECODE(0, COMPLETED_NO, "the type of parameter '" + name + "' is nil");
  return items_.emplace_back(std::move(name), std::move(type), flags);
}

NamedValue& NVList::item(std::uint32_t index) {
  if (index >= items_.size()) throw Bounds();
  return items_[index];
}

const NamedValue& NVList::item(std::uint32_t index) const {
  if (index >= items_.size()) throw Bounds();
  return items_[index];
}

void NVList::remove(std::uint32_t index) {
  if (index >= items_.size()) throw Bounds();
  items_.erase(items_.begin() + index);
}

}  // namespace perigee_v1
}  // namespace CORBA
