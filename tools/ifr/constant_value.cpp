// Makes the anys of constants whose types are known only at run time: a DynAny takes the value.
#include "constant_value.h"

#include <perigee/dynamic/dyn_any_factory.h>
#include <perigee/dynamic/dynamic_any.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

namespace perigee::ifr {

namespace {

using CORBA::TCKind;

std::wstring wide(const std::u32string& text) {
  std::wstring result;
  for (const char32_t letter : text) result.push_back(static_cast<wchar_t>(letter));
  return result;
}

/// Puts an integer into a DynAny of the kind.
template <typename Integer>
void insert(DynamicAny::DynAny& target, TCKind kind, Integer value) {
  switch (kind) {
    case TCKind::tk_octet:
      return target.insert_octet(static_cast<std::uint8_t>(value));
    case TCKind::tk_short:
      return target.insert_short(static_cast<std::int16_t>(value));
    case TCKind::tk_ushort:
      return target.insert_ushort(static_cast<std::uint16_t>(value));
    case TCKind::tk_long:
      return target.insert_long(static_cast<std::int32_t>(value));
    case TCKind::tk_ulong:
      return target.insert_ulong(static_cast<std::uint32_t>(value));
    case TCKind::tk_longlong:
      return target.insert_longlong(static_cast<std::int64_t>(value));
    default:
      return target.insert_ulonglong(static_cast<std::uint64_t>(value));
  }
}

std::string decimal(const idlc::FixedValue& value) {
  std::string digits = value.digits;
  if (digits.size() <= value.scale) digits.insert(0, value.scale + 1u - digits.size(), '0');
  if (value.scale != 0) digits.insert(digits.size() - value.scale, ".");
  return (value.is_negative ? "-" : "") + digits;
}

/// Puts the value into a DynAny.
struct Insertion {
  const CORBA::object_reference<DynamicAny::DynAny>& target;
  TCKind kind;

  void operator()(std::monostate) const { throw std::logic_error("a constant without a value"); }
  void operator()(bool value) const { target->insert_boolean(value); }
  void operator()(char value) const { target->insert_char(value); }
  void operator()(char32_t value) const { target->insert_wchar(static_cast<wchar_t>(value)); }
  void operator()(std::int64_t value) const { insert(*target, kind, value); }
  void operator()(std::uint64_t value) const { insert(*target, kind, value); }
  void operator()(long double value) const {
    if (kind == TCKind::tk_float) return target->insert_float(static_cast<float>(value));
    if (kind == TCKind::tk_double) return target->insert_double(static_cast<double>(value));
    target->insert_longdouble(value);
  }
  void operator()(const idlc::FixedValue& value) const {
    IDL::traits<DynamicAny::DynFixed>::narrow(target)->set_value(decimal(value));
  }
  void operator()(const std::string& value) const { target->insert_string(value); }
  void operator()(const std::u32string& value) const { target->insert_wstring(wide(value)); }
  void operator()(const idlc::Enumerator* value) const {
    IDL::traits<DynamicAny::DynEnum>::narrow(target)->set_as_string(value->name);
  }
};

}  // namespace

CORBA::Any any_of(const CORBA::object_reference<CORBA::ORB>& orb, const idlc::Value& value,
                  const CORBA::object_reference<CORBA::TypeCode>& type) {
  const auto factory = DynamicAny::factory_of(orb);
  const auto target = factory->create_dyn_any_from_type_code(type);
  std::visit(Insertion{target, type->kind()}, value);
  CORBA::Any result = target->to_any();
  target->destroy();
  return result;
}

}  // namespace perigee::ifr
