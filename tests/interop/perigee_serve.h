// The common code of the main functions of Perigee servers.
#pragma once

#include <perigee/corba.h>

#include <iostream>

namespace interop {

using OrbReference = IDL::traits<CORBA::ORB>::ref_type;
using PoaReference = IDL::traits<PortableServer::POA>::ref_type;

/// Makes a servant and returns its object. The servant's constructor takes a function that shuts
/// down the ORB.
template <typename Servant>
auto activate(const OrbReference& orb, const PoaReference& /*poa*/) {
  return CORBA::make_reference<Servant>([orb] { orb->shutdown(false); })->_this();
}

/// Prints the IOR of the object that `activate` gives, and serves until the ORB is shut down.
template <typename Activate>
int serve(int argc, char* argv[], const char* program, Activate activate) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    const auto poa =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto object = activate(orb, poa);
    poa->the_POAManager()->activate();
    std::cout << orb->object_to_string(object) << std::endl;
    orb->run();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << program << ": " << exception.what() << '\n';
    return 1;
  }
}

}  // namespace interop
