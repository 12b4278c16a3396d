// The omniORB server of the interoperability tests of data inside any: prints its IOR, serves until quit().
#include <iostream>

#include "omniorb_any_data_peer.h"

int main(int argc, char* argv[]) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    poa->the_POAManager()->activate();
    PortableServer::Servant_var<interop::AnyDataServant> servant = new interop::AnyDataServant(orb);
    PortableServer::ObjectId_var id = poa->activate_object(servant);
    CORBA::Object_var peer = poa->id_to_reference(id);
    CORBA::String_var ior = orb->object_to_string(peer);
    std::cout << ior.in() << std::endl;
    orb->run();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "omniorb_any_data_server: " << exception._name() << std::endl;
    return 1;
  }
}
