// A client that passes its own object to a server, which calls the object. With
// -ORBOfferBidirectional yes, the server calls over the connection that the client has opened:
//   perigee_callback_client IOR-FILE [--quit] [Perigee options]
#include "../checks.h"
#include "../perigee_call.h"
#include "all_types_peer.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/bidirectional_policy.h>

#include <string>
#include <vector>

namespace {

using interop::PeerReference;
using OrbReference = IDL::traits<CORBA::ORB>::ref_type;

PeerReference make_own(const OrbReference& orb) {
  const auto root =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  CORBA::Any value;
  value <<= BiDirPolicy::BOTH;
  const auto both = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, value);
  const auto poa = root->create_POA("callbacks", root->the_POAManager(), {both});
  root->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<interop::AllTypesServant>("the client", [] {});
  return IDL::traits<AllTypes::Peer>::narrow(poa->id_to_reference(poa->activate_object(servant)));
}

int run(const OrbReference& orb, const std::vector<std::string>& arguments) {
  const PeerReference own = make_own(orb);
  const auto peer =
      IDL::traits<AllTypes::Peer>::unchecked_narrow(interop::object_in_file(*orb, arguments));
  for (int round = 0; round < 20; ++round)
    CHECK(peer->relay(own, "hello") == "hello, I am the client");
  if (interop::has_option(arguments, "--quit")) peer->quit();
  return interop::finish("Perigee client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "perigee_callback_client", "IOR-FILE [--quit]", run);
}
