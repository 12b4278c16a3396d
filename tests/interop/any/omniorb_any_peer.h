// AnyInterop::Peer as an omniORB servant.
#pragma once

#include "any_interop.hh"

#include <string>

namespace interop {

/// Takes a T out of `from` and puts a copy into `to`; false if there is none.
template <typename T>
bool move_object(const CORBA::Any& from, CORBA::Any& to) {
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

inline bool move_pointers(const CORBA::Any& from, CORBA::Any& to) {
  const char* text = nullptr;
  const CORBA::WChar* wide = nullptr;
  CORBA::TypeCode_ptr type = nullptr;
  AnyInterop::Peer_ptr peer = nullptr;
  if (from >>= text)
    to <<= text;
  else if (from >>= wide)
    to <<= wide;
  else if (from >>= type)
    to <<= type;
  else if (from >>= peer)
    to <<= peer;
  else
    return false;
  return true;
}

inline CORBA::Any* repack(const CORBA::Any& from) {
  using namespace AnyInterop;
  CORBA::Any_var to = new CORBA::Any;
  CORBA::Any& any = to.inout();
  (void)(move_wrapped(from, any) || move_pointers(from, any) ||
         move_basic<CORBA::Short>(from, any) || move_basic<CORBA::UShort>(from, any) ||
         move_basic<CORBA::Long>(from, any) || move_basic<CORBA::ULong>(from, any) ||
         move_basic<CORBA::LongLong>(from, any) || move_basic<CORBA::ULongLong>(from, any) ||
         move_basic<CORBA::Float>(from, any) || move_basic<CORBA::Double>(from, any) ||
         move_basic<CORBA::LongDouble>(from, any) || move_basic<Colour>(from, any) ||
         move_object<Point>(from, any) || move_object<Person>(from, any) ||
         move_object<Octets>(from, any) || move_object<Doubles>(from, any) ||
         move_object<Names>(from, any) || move_object<People>(from, any) ||
         move_object<Blobs>(from, any) || move_object<Anys>(from, any) ||
         move_object<TypeCodes>(from, any) || move_object<Tree>(from, any) ||
         move_object<Parcel>(from, any) || move_object<Failure>(from, any) ||
         move_object<CORBA::Any>(from, any));
  return to._retn();
}

class AnyServant : public POA_AnyInterop::Peer {
 public:
  explicit AnyServant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}

  CORBA::Any* echo_any(const CORBA::Any& a, CORBA::Any& b, CORBA::Any_OUT_arg c) override {
    c = new CORBA::Any(b);
    b = a;
    return new CORBA::Any(a);
  }
#define VARIABLE(NAME, TYPE)                                                                       \
  AnyInterop::TYPE* NAME(const AnyInterop::TYPE& a, AnyInterop::TYPE& b, AnyInterop::TYPE##_out c) \
      override {                                                                                   \
    c = new AnyInterop::TYPE(b);                                                                   \
    b = a;                                                                                         \
    return new AnyInterop::TYPE(a);                                                                \
  }
  VARIABLE(echo_anys, Anys)
  VARIABLE(echo_parcel, Parcel)
  VARIABLE(echo_types, TypeCodes)
#undef VARIABLE
  CORBA::TypeCode_ptr echo_type(CORBA::TypeCode_ptr a, CORBA::TypeCode_ptr& b,
                                CORBA::TypeCode_OUT_arg c) override {
    c = CORBA::TypeCode::_duplicate(b);
    CORBA::release(b);
    b = CORBA::TypeCode::_duplicate(a);
    return CORBA::TypeCode::_duplicate(a);
  }
  CORBA::Any* repack(const CORBA::Any& value) override { return interop::repack(value); }
  CORBA::TypeCode_ptr type_of(const CORBA::Any& value) override { return value.type(); }
  void fail(const CORBA::Any& culprit) override { throw AnyInterop::Failure("because", culprit); }
  void quit() override { orb_->shutdown(false); }

 private:
  CORBA::ORB_var orb_;
};

}  // namespace interop
