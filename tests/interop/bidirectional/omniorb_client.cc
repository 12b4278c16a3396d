// An omniORB client whose objects a server reaches over the client's own connection.
//   omniorb_client FILE [--quit] [omniORB options]
#include "../checks.h"
#include "../omniorb_call.h"
#include "../omniorb_peer.h"
#include "omniorb_policy.h"

#include <cstring>
#include <fstream>
#include <string>

namespace {

int run(CORBA::ORB_ptr orb, int argc, char* argv[]) {
  PortableServer::POA_var poa = interop::make_bidirectional_poa(orb);
  PortableServer::Servant_var<interop::PeerServant> servant =
      new interop::PeerServant(orb, "the client");
  PortableServer::ObjectId_var id = poa->activate_object(servant);
  CORBA::Object_var activated = poa->id_to_reference(id);
  Interop::Peer_var own = Interop::Peer::_narrow(activated);
  std::string ior;
  std::ifstream(argv[1]) >> ior;
  CORBA::Object_var object = orb->string_to_object(ior.c_str());
  Interop::Peer_var peer = Interop::Peer::_narrow(object);
  for (int round = 0; round < 20; ++round) {
    CORBA::String_var answer = peer->relay(own, "hello");
    CHECK(std::string(answer.in()) == "hello, I am the client");
  }
  if (argc > 2 && std::strcmp(argv[2], "--quit") == 0) peer->quit();
  return interop::finish("omniORB client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "omniorb_client", "IOR-FILE [--quit]", run);
}
