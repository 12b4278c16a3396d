// CORBA::InterfaceDef, for generated headers that use it. It is only declared, like an interface
// that an IDL file declares forward. The class is generated from the IDL of the interface
// repository.
#pragma once

#include <perigee/orb/object.h>
#include <perigee/orb/traits.h>

namespace CORBA {

class InterfaceDef;

}  // namespace CORBA

// Written like generated code. Generated files of the interface repository contain the same lines,
// so a guard is needed.
#ifndef PERIGEE_TRAITS_5CORBA12InterfaceDef
#define PERIGEE_TRAITS_5CORBA12InterfaceDef
template <>
struct IDL::traits<::CORBA::InterfaceDef>
    : ::perigee::stub::interface_traits<::CORBA::InterfaceDef> {
  static ref_type _stub(::perigee::counted_ptr<::perigee::orb::Reference> reference);
  static const ::CORBA::Object* _object(const ref_type& object) noexcept;
};
#endif
