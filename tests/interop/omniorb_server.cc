// The omniORB server of the interoperability tests: prints its IOR, serves until quit().
#include "omniorb_peer.h"
#include "omniorb_serve.h"

namespace {

// Forwards whoami and echo_long, by omniORB's own exception (LOCATION_FORWARD).
class Forwarder : public interop::PeerServant {
 public:
  Forwarder(CORBA::ORB_ptr orb, Interop::Peer_ptr target)
      : PeerServant(orb, "forwarder"), target_(Interop::Peer::_duplicate(target)) {}
  char* whoami(const char*) override {
    throw omniORB::LOCATION_FORWARD(CORBA::Object::_duplicate(target_), false);
  }
  CORBA::Long echo_long(CORBA::Long, CORBA::Long&, CORBA::Long_out) override {
    throw omniORB::LOCATION_FORWARD(CORBA::Object::_duplicate(target_), false);
  }

 private:
  Interop::Peer_var target_;
};

Interop::Peer_ptr activate(PortableServer::POA_ptr poa, PortableServer::Servant servant) {
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  CORBA::Object_var object = poa->id_to_reference(id);
  return Interop::Peer::_narrow(object);
}

CORBA::Object_ptr make_peer(CORBA::ORB_ptr orb, PortableServer::POA_ptr poa) {
  PortableServer::Servant_var<interop::PeerServant> servant =
      new interop::PeerServant(orb, "omniORB");
  Interop::Peer_var peer = activate(poa, servant);
  PortableServer::Servant_var<Forwarder> forwarder = new Forwarder(orb, peer);
  Interop::Peer_var forwarding = activate(poa, forwarder);
  servant->set_forwarder(forwarding);
  return peer._retn();
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "omniorb_server", make_peer);
}
