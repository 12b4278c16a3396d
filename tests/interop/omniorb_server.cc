// The omniORB server of the interoperability tests: prints its IOR, serves until quit().
#include <iostream>

#include "omniorb_peer.h"

namespace {

// Forwards every request, by omniORB's own exception (LOCATION_FORWARD).
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

}  // namespace

int main(int argc, char* argv[]) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    poa->the_POAManager()->activate();
    PortableServer::Servant_var<interop::PeerServant> servant =
        new interop::PeerServant(orb, "omniORB");
    Interop::Peer_var peer = activate(poa, servant);
    PortableServer::Servant_var<Forwarder> forwarder = new Forwarder(orb, peer);
    Interop::Peer_var forwarding = activate(poa, forwarder);
    servant->set_forwarder(forwarding);
    CORBA::String_var ior = orb->object_to_string(peer);
    std::cout << ior.in() << std::endl;
    orb->run();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "omniorb_server: " << exception._name() << std::endl;
    return 1;
  }
}
