// Copies a value from one any of omniORB into another, through a variable of the value's C++ type.
#pragma once

#include <omniORB4/CORBA.h>

namespace interop {

/// Takes a T out of `from` and puts a copy into `to`; false if there is none.
///
/// A copy by assignment: omniORB's fixed forgets its digits when a struct around it is copied by
/// its constructor.
template <typename T>
bool move_object(const CORBA::Any& from, CORBA::Any& to) {
  const T* value = nullptr;
  if (!(from >>= value)) return false;
  T* copy = new T;
  *copy = *value;
  to <<= copy;
  return true;
}

inline bool move_any(const CORBA::Any& from, CORBA::Any& to) {
  const CORBA::Any* value = nullptr;
  if (!(from >>= value)) return false;
  to <<= *value;
  return true;
}

template <typename T>
bool move_exception(const CORBA::Any& from, CORBA::Any& to) {
  const T* value = nullptr;
  if (!(from >>= value)) return false;
  to <<= *value;
  return true;
}

template <typename T>
bool move_basic(const CORBA::Any& from, CORBA::Any& to) {
  T value;
  if (!(from >>= value)) return false;
  to <<= value;
  return true;
}

/// Arrays enter anys by a type of their own, such as Row_forany.
template <typename ForAny>
bool move_array(const CORBA::Any& from, CORBA::Any& to) {
  ForAny value;
  if (!(from >>= value)) return false;
  to <<= ForAny(value.inout());  // copies
  return true;
}

inline bool move_fixed(const CORBA::Any& from, CORBA::Any& to, CORBA::UShort digits,
                       CORBA::Short scale) {
  CORBA::Fixed value;
  if (!(from >>= CORBA::Any::to_fixed(value, digits, scale))) return false;
  to <<= CORBA::Any::from_fixed(value, digits, scale);
  return true;
}

inline bool move_bounded_string(const CORBA::Any& from, CORBA::Any& to, CORBA::ULong bound) {
  const char* text = nullptr;
  if (!(from >>= CORBA::Any::to_string(text, bound))) return false;
  to <<= CORBA::Any::from_string(text, bound);
  return true;
}

/// The types that C++ cannot tell from each other.
inline bool move_wrapped(const CORBA::Any& from, CORBA::Any& to) {
  CORBA::Boolean boolean = false;
  CORBA::Char character = 0;
  CORBA::WChar wide = 0;
  CORBA::Octet octet = 0;
  if (from >>= CORBA::Any::to_boolean(boolean))
    to <<= CORBA::Any::from_boolean(boolean);
  else if (from >>= CORBA::Any::to_char(character))
    to <<= CORBA::Any::from_char(character);
  else if (from >>= CORBA::Any::to_wchar(wide))
    to <<= CORBA::Any::from_wchar(wide);
  else if (from >>= CORBA::Any::to_octet(octet))
    to <<= CORBA::Any::from_octet(octet);
  else
    return false;
  return true;
}

inline bool move_number(const CORBA::Any& from, CORBA::Any& to) {
  return move_basic<CORBA::Short>(from, to) || move_basic<CORBA::UShort>(from, to) ||
         move_basic<CORBA::Long>(from, to) || move_basic<CORBA::ULong>(from, to) ||
         move_basic<CORBA::LongLong>(from, to) || move_basic<CORBA::ULongLong>(from, to) ||
         move_basic<CORBA::Float>(from, to) || move_basic<CORBA::Double>(from, to) ||
         move_basic<CORBA::LongDouble>(from, to);
}

/// Texts and TypeCodes.
inline bool move_pointer(const CORBA::Any& from, CORBA::Any& to) {
  return move_basic<const char*>(from, to) || move_basic<const CORBA::WChar*>(from, to) ||
         move_basic<CORBA::TypeCode_ptr>(from, to);
}

}  // namespace interop
