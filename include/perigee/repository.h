// The Interface Repository of CORBA 3.0, chapter 10: stubs, skeletons and TypeCodes of its
// interfaces in the module CORBA. Programs that include this header link Perigee::repository. The
// headers are generated from idl/InterfaceRepository.idl.
#pragma once

#include <perigee/corba.h>
#include <perigee/repository/InterfaceRepositoryA.h>
#include <perigee/repository/InterfaceRepositoryC.h>
#include <perigee/repository/InterfaceRepositoryS.h>
