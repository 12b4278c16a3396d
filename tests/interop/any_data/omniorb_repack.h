// Copies anys of the types of these tests through omniORB's C++ types.
#pragma once

#include "any_data.hh"

// Include this file after the types: its templates must find the operators of the types, which are
// in no namespace.
#include "../any/omniorb_moves.h"

namespace interop {

/// Copies the value of `from` into `to`, and the anys inside the value into new anys. Throws
/// AnyData::Unknown if these tests do not have the type. `to` is a parameter because omniORB cannot
/// copy an any into which a nil Object was put, and so cannot return it.
inline void repack(const CORBA::Any& from, CORBA::Any& to);

inline void repack_itself(CORBA::Any& any) {
  const CORBA::Any from = any;
  repack(from, any);
}

/// Repacks the anys inside a value.
template <typename T>
void repack_inside(T&) {}
template <typename Sequence>
void repack_elements(Sequence& anys) {
  for (CORBA::ULong index = 0; index < anys.length(); ++index) repack_itself(anys[index]);
}
inline void repack_inside(AnyData::Anys& anys) { repack_elements(anys); }
inline void repack_inside(AnyData::TwoAnys& anys) { repack_elements(anys); }
inline void repack_inside(AnyData::Nest& nest) {
  repack_itself(nest.first);
  repack_elements(nest.few);
  for (CORBA::ULong row = 0; row < 2; ++row)
    for (CORBA::ULong column = 0; column < 2; ++column) repack_itself(nest.table[row][column]);
}

template <typename T>
bool move_with_anys(const CORBA::Any& from, CORBA::Any& to) {
  const T* value = nullptr;
  if (!(from >>= value)) return false;
  T* copy = new T(*value);
  repack_inside(*copy);
  to <<= copy;
  return true;
}

inline bool move_inner_any(const CORBA::Any& from, CORBA::Any& to) {
  const CORBA::Any* value = nullptr;
  if (!(from >>= value)) return false;
  CORBA::Any* copy = new CORBA::Any;
  repack(*value, *copy);
  to <<= copy;
  return true;
}

/// A reference to a plain Object.
inline bool move_object_reference(const CORBA::Any& from, CORBA::Any& to) {
  CORBA::Object_var object;
  if (!(from >>= CORBA::Any::to_object(object.out()))) return false;
  to <<= object.in();
  return true;
}

inline bool move_any_data(const CORBA::Any& from, CORBA::Any& to) {
  using namespace AnyData;
  return move_object<Octets>(from, to) || move_object<Longs>(from, to) ||
         move_object<LongLongs>(from, to) || move_object<Doubles>(from, to) ||
         move_object<Texts>(from, to) || move_object<WideTexts>(from, to) ||
         move_object<Wide>(from, to) || move_object<Links>(from, to) ||
         move_basic<Peer_ptr>(from, to) || move_with_anys<Anys>(from, to) ||
         move_with_anys<TwoAnys>(from, to) || move_with_anys<Nest>(from, to) ||
         move_inner_any(from, to) || move_object_reference(from, to);
}

inline bool move_union(const CORBA::Any& from, CORBA::Any& to) {
  using namespace Data;
  return move_object<By_Enum>(from, to) || move_object<By_Long>(from, to) ||
         move_object<By_Boolean>(from, to) || move_object<By_Char>(from, to) ||
         move_object<By_Short>(from, to) || move_object<By_UShort>(from, to) ||
         move_object<By_ULong>(from, to) || move_object<By_LongLong>(from, to) ||
         move_object<By_ULongLong>(from, to) || move_object<Own>(from, to) ||
         move_object<Tree>(from, to);
}

inline bool move_data(const CORBA::Any& from, CORBA::Any& to) {
  using namespace Data;
  return move_basic<Shape>(from, to) || move_basic<Own::Choice>(from, to) ||
         move_object<Own::Pair>(from, to) || move_object<Trees>(from, to) ||
         move_object<Node>(from, to) || move_object<Nodes>(from, to) ||
         move_array<Row_forany>(from, to) || move_array<Matrix_forany>(from, to) ||
         move_array<Names_forany>(from, to) || move_object<Cell>(from, to) ||
         move_object<Board>(from, to) || move_bounded_string(from, to, 5) ||
         move_object<Few>(from, to) || move_object<Bounded>(from, to) ||
         move_fixed(from, to, 10, 2) || move_fixed(from, to, 5, 5) || move_object<Item>(from, to) ||
         move_object<Items>(from, to) || move_object<Many>(from, to) ||
         move_object<Samples>(from, to);
}

inline void repack(const CORBA::Any& from, CORBA::Any& to) {
  CORBA::TypeCode_var type = from.type();
  if (type->kind() == CORBA::tk_null) {
    to = CORBA::Any();
    return;
  }
  const bool is_known = move_wrapped(from, to) || move_number(from, to) || move_pointer(from, to) ||
                        move_union(from, to) || move_data(from, to) || move_any_data(from, to);
  if (!is_known) throw AnyData::Unknown(type._retn());
}

}  // namespace interop
