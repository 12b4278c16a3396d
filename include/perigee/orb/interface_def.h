// CORBA::InterfaceDef, for generated headers that use it: declared, as by a file that only declares
// it forward. The class is generated from the IDL of the interface repository.
#pragma once

#include <perigee/orb/object.h>
#include <perigee/orb/traits.h>

namespace CORBA {

class InterfaceDef;

}  // namespace CORBA

// As generated: files of the interface repository have these, too, and hence the guard.
#ifndef PERIGEE_TRAITS_5CORBA12InterfaceDef
#define PERIGEE_TRAITS_5CORBA12InterfaceDef
template <>
struct IDL::traits<::CORBA::InterfaceDef>
    : ::perigee::stub::interface_traits<::CORBA::InterfaceDef> {
  static ref_type _stub(::perigee::counted_ptr<::perigee::orb::Reference> reference);
  static const ::CORBA::Object* _object(const ref_type& object) noexcept;
};
#endif
