// The omniORB server of the interoperability tests of valuetypes: prints its IOR, serves until
// quit(). --truncate: has no factory for Detailed.
#include "../omniorb_serve.h"
#include "omniorb_values_peer.h"

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "omniorb_values_server",
                        [&](CORBA::ORB_ptr orb, PortableServer::POA_ptr poa) {
                          interop::register_factories(orb, argc, argv);
                          return interop::activate<interop::ValuesServant>(orb, poa);
                        });
}
