// An omniORB server that calls clients back over their own connections.
#include "../omniorb_peer.h"
#include "../omniorb_serve.h"
#include "omniorb_policy.h"

namespace {

CORBA::Object_ptr make_peer(CORBA::ORB_ptr orb, PortableServer::POA_ptr /*root*/) {
  PortableServer::POA_var poa = interop::make_bidirectional_poa(orb);
  PortableServer::Servant_var<interop::PeerServant> servant =
      new interop::PeerServant(orb, "omniORB");
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  return poa->id_to_reference(id);
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "omniorb_bidirectional_server", make_peer);
}
