// Echoes values of random types with omniORB's stubs: prints its IOR.
#include <iostream>

// By assignment: a number of type fixed that omniORB's copy constructors make has lost its digits, and
// fails when it is sent.
template <typename T>
T copy_of(const T& value) {
  T copy;
  copy = value;
  return copy;
}
template <typename T>
T* new_copy_of(const T& value) {
  T* copy = new T;
  *copy = value;
  return copy;
}

#include "properties_omniorb.h"

int main(int argc, char* argv[]) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    poa->the_POAManager()->activate();
    PortableServer::Servant_var<EchoServant> servant = new EchoServant(orb);
    PortableServer::ObjectId_var id = poa->activate_object(servant);
    CORBA::Object_var echo = poa->id_to_reference(id);
    CORBA::String_var ior = orb->object_to_string(echo);
    std::cout << ior.in() << std::endl;
    orb->run();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "properties_omniorb_server: " << exception._name() << std::endl;
    return 1;
  }
}
