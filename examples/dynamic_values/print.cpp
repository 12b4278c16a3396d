// Visits all parts of a DynAny. The kind of its type tells which operations the DynAny has.
#include "print.h"

#include <iomanip>
#include <string>

namespace {

using CORBA::TCKind;
using DynamicAny::DynArray;
using DynamicAny::DynEnum;
using DynamicAny::DynFixed;
using DynamicAny::DynSequence;
using DynamicAny::DynStruct;
using DynamicAny::DynUnion;
using DynamicAny::DynValue;
using DynamicAny::DynValueBox;
using DynamicAny::DynValueCommon;
using DynRef = DynamicAny::DynAny::_ref_type;

TCKind kind_of(const DynRef& dyn_any) {
  auto type = dyn_any->type();
  while (type->kind() == TCKind::tk_alias) type = type->content_type();
  return type->kind();
}

template <typename T>
typename T::_ref_type as(const DynRef& dyn_any) {
  return IDL::traits<T>::narrow(dyn_any);
}

template <typename Members>
void print_members(std::ostream& out, const Members& members) {
  const char* separator = "{";
  for (const auto& member : members->get_members_as_dyn_any()) {
    out << separator << std::quoted(member.id()) << ": ";
    print(out, member.value());
    separator = ", ";
  }
  out << (*separator == '{' ? "{}" : "}");
}

template <typename Elements>
void print_elements(std::ostream& out, const Elements& elements) {
  const char* separator = "[";
  // get_elements_as_dyn_any would keep all elements in memory at the same time.
  for (bool is_there = elements->seek(0); is_there; is_there = elements->next()) {
    out << separator;
    print(out, elements->current_component());
    separator = ", ";
  }
  out << (*separator == '[' ? "[]" : "]");
}

void print_union(std::ostream& out, const DynUnion::_ref_type& choice) {
  out << "{\"_d\": ";
  print(out, choice->get_discriminator());
  if (!choice->has_no_active_member()) {
    out << ", " << std::quoted(choice->member_name()) << ": ";
    print(out, choice->member());
  }
  out << "}";
}

void print_basic(std::ostream& out, const DynRef& value) {
  switch (kind_of(value)) {
    case TCKind::tk_boolean:
      out << (value->get_boolean() ? "true" : "false");
      return;
    case TCKind::tk_octet:
      out << int{value->get_octet()};
      return;
    case TCKind::tk_char:
      out << std::quoted(std::string(1, value->get_char()));
      return;
    case TCKind::tk_short:
      out << value->get_short();
      return;
    case TCKind::tk_ushort:
      out << value->get_ushort();
      return;
    case TCKind::tk_long:
      out << value->get_long();
      return;
    case TCKind::tk_ulong:
      out << value->get_ulong();
      return;
    case TCKind::tk_longlong:
      out << value->get_longlong();
      return;
    case TCKind::tk_ulonglong:
      out << value->get_ulonglong();
      return;
    case TCKind::tk_float:
      out << value->get_float();
      return;
    case TCKind::tk_double:
      out << value->get_double();
      return;
    case TCKind::tk_string:
      out << std::quoted(value->get_string());
      return;
    case TCKind::tk_objref:
      out << (value->get_reference() ? "\"object\"" : "null");
      return;
    case TCKind::tk_null:
    case TCKind::tk_void:
      out << "null";
      return;
    default:
      out << std::quoted(value->type()->_text());
  }
}

}  // namespace

void print(std::ostream& out, const DynRef& dyn_any) {
  if (const auto value = as<DynValueCommon>(dyn_any); value && value->is_null()) {
    out << "null";
  } else if (const auto members = as<DynStruct>(dyn_any)) {
    print_members(out, members);
  } else if (const auto state = as<DynValue>(dyn_any); state && state->component_count() != 0) {
    print_members(out, state);
  } else if (const auto box = as<DynValueBox>(dyn_any); box && box->component_count() != 0) {
    print(out, box->get_boxed_value_as_dyn_any());
  } else if (const auto sequence = as<DynSequence>(dyn_any)) {
    print_elements(out, sequence);
  } else if (const auto array = as<DynArray>(dyn_any)) {
    print_elements(out, array);
  } else if (const auto choice = as<DynUnion>(dyn_any)) {
    print_union(out, choice);
  } else if (const auto enumerator = as<DynEnum>(dyn_any)) {
    out << std::quoted(enumerator->get_as_string());
  } else if (const auto fixed = as<DynFixed>(dyn_any)) {
    out << fixed->get_value();
  } else if (kind_of(dyn_any) == TCKind::tk_any) {
    print(out, dyn_any->get_dyn_any());
  } else {
    print_basic(out, dyn_any);
  }
}
