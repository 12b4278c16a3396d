// The Perigee server of the interoperability tests of data inside any: prints its IOR, serves until
// quit().
#include "perigee_any_data_peer.h"

#include <iostream>

int main(int argc, char* argv[]) {
  try {
    auto orb = CORBA::ORB_init(argc, argv);
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    auto servant = CORBA::make_reference<interop::AnyDataServant>([orb] { orb->shutdown(false); });
    auto peer = servant->_this();
    poa->the_POAManager()->activate();
    std::cout << orb->object_to_string(peer) << std::endl;
    orb->run();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "perigee_any_data_server: " << exception.what() << '\n';
    return 1;
  }
}
