// AnyInterop::Peer as an omniORB servant.
#pragma once

#include "any_interop.hh"
#include "omniorb_moves.h"

#include <string>

namespace interop {

inline CORBA::Any* repack(const CORBA::Any& from) {
  using namespace AnyInterop;
  CORBA::Any_var to = new CORBA::Any;
  CORBA::Any& any = to.inout();
  (void)(move_wrapped(from, any) || move_number(from, any) || move_pointer(from, any) ||
         move_basic<Peer_ptr>(from, any) || move_basic<Colour>(from, any) ||
         move_object<Point>(from, any) || move_object<Person>(from, any) ||
         move_object<Octets>(from, any) || move_object<Doubles>(from, any) ||
         move_object<Names>(from, any) || move_object<People>(from, any) ||
         move_object<Blobs>(from, any) || move_object<Anys>(from, any) ||
         move_object<TypeCodes>(from, any) || move_object<Tree>(from, any) ||
         move_object<Parcel>(from, any) || move_exception<Failure>(from, any) ||
         move_any(from, any));
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
