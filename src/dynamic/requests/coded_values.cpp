// Checks, encodes and decodes the values of an NVList.
#include "dynamic/requests/coded_values.h"

#include "orb/values/any_value.h"

#include <string>

namespace perigee::dynamic {

namespace {

// Names an argument in error texts: "argument 2 ('amount')".
std::string text_of(const CORBA::NVList& list, const CORBA::NamedValue& item) {
  const std::size_t number = static_cast<std::size_t>(&item - &*list.begin()) + 1;
  std::string text = "argument " + std::to_string(number);
  if (!item.name().empty()) text += " ('" + item.name() + "')";
  return text;
}

}  // namespace

bool is_void(const CORBA::object_reference<CORBA::TypeCode>& type) {
  return cdr::unaliased(*type->_node()).kind == cdr::TypeKind::tk_void;
}

void check_values(const CORBA::NVList& list, CORBA::Flags flag, CORBA::CompletionStatus completed) {
  for (const CORBA::NamedValue& item : list) {
    if ((item.flags() & flag) == 0 || item.has_typed_value()) continue;
    throw CORBA::BAD_PARAM(0, completed,
                           text_of(list, item) + (item.value().has_value()
                                                      ? " has a value of another type than declared"
                                                      : " has no value"));
  }
}

void check_types(const CORBA::NVList& list, CORBA::Flags flag) {
  for (const CORBA::NamedValue& item : list)
    if ((item.flags() & flag) != 0 && item.type()->kind() == CORBA::TCKind::tk_null)
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                             text_of(list, item) + " has no type; declare it, or set a value");
}

void encode_values(cdr::Encoder& encoder, const CORBA::NVList& list, CORBA::Flags flag) {
  for (const CORBA::NamedValue& item : list)
    if ((item.flags() & flag) != 0) any::encode_value(encoder, item.value());
}

void decode_values(cdr::Decoder& decoder, CORBA::NVList& list, CORBA::Flags flag) {
  for (CORBA::NamedValue& item : list)
    if ((item.flags() & flag) != 0) any::decode_value(decoder, type_ref(item.type()), item.value());
}

}  // namespace perigee::dynamic
