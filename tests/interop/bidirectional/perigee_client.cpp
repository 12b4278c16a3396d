// A client whose references have addresses without a listener. So the server reaches its object
// only over the client's own connection.
//   perigee_client FILE [--quit] [Perigee options]
#include "../checks.h"
#include "../perigee_call.h"
#include "../perigee_peer.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/bidirectional_policy.h>

#include <string>
#include <thread>
#include <vector>

namespace {

using Peer = Interop::Peer;
using PeerReference = IDL::traits<Peer>::ref_type;
using OrbReference = IDL::traits<CORBA::ORB>::ref_type;
using PoaReference = IDL::traits<PortableServer::POA>::ref_type;

PoaReference make_callback_poa(const OrbReference& orb) {
  const auto root =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  CORBA::Any value;
  value <<= BiDirPolicy::BOTH;
  const auto both = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, value);
  root->the_POAManager()->activate();
  return root->create_POA("callbacks", root->the_POAManager(), {both});
}

PeerReference activate(const PoaReference& poa, const std::string& name) {
  const auto servant = CORBA::make_reference<interop::PeerServant>(name, [] {});
  return IDL::traits<Peer>::narrow(poa->id_to_reference(poa->activate_object(servant)));
}

void check_callbacks(const PeerReference& peer, const PeerReference& own) {
  for (int round = 0; round < 20; ++round)
    CHECK(peer->relay(own, "hello") == "hello, I am the client");
}

int run(const OrbReference& orb, const std::vector<std::string>& arguments) {
  const auto poa = make_callback_poa(orb);
  const PeerReference own = activate(poa, "the client");
  const auto peer = IDL::traits<Peer>::unchecked_narrow(interop::object_in_file(*orb, arguments));
  check_callbacks(peer, own);
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number)
    threads.emplace_back([&] { check_callbacks(peer, own); });
  for (std::thread& thread : threads) thread.join();
  if (interop::has_option(arguments, "--quit")) peer->quit();
  return interop::finish("Perigee client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "perigee_client", "IOR-FILE [--quit]", run);
}
