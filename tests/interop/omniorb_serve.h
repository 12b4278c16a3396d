// Functions that the main functions of omniORB servers share.
#pragma once

#include <omniORB4/CORBA.h>

#include <iostream>

namespace interop {

/// Makes a servant from the ORB, activates it, and returns its object.
template <typename Servant>
CORBA::Object_ptr activate(CORBA::ORB_ptr orb, PortableServer::POA_ptr poa) {
  PortableServer::Servant_var<Servant> servant = new Servant(orb);
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  return poa->id_to_reference(id);
}

/// Serves until the ORB is shut down. A client can shut the ORB down as soon as it has the IOR. If
/// it does so before this function is called, ORB::run throws BAD_INV_ORDER.
inline void run_until_shutdown(CORBA::ORB_ptr orb) {
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER& exception) {
    if (exception.minor() != omni::BAD_INV_ORDER_ORBHasShutdown) throw;
  }
}

/// Prints the IOR of the object that `activate` gives, serves until the ORB is shut down.
template <typename Activate>
int serve(int argc, char* argv[], const char* program, Activate activate) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
    poa->the_POAManager()->activate();
    CORBA::Object_var object = activate(orb.in(), poa.in());
    CORBA::String_var ior = orb->object_to_string(object);
    std::cout << ior.in() << std::endl;
    run_until_shutdown(orb.in());
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << program << ": " << exception._name() << std::endl;
    return 1;
  }
}

}  // namespace interop
