// AllTypes::Peer as a Perigee server: prints its IOR, and serves until a client calls quit(). A
// corbaloc leads to the object by the keys Peer and Table.
#include "../perigee_serve.h"
#include "forwarding_locator.h"
#include <perigee/poa/ior_table.h>

namespace {

using interop::PeerReference;

/// The key Peer is the id of the object, and the ORB replies to the key Table with a forward.
void publish_keys(const interop::OrbReference& orb,
                  const CORBA::servant_reference<interop::AllTypesServant>& servant,
                  const PeerReference& peer) {
  const auto names =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("INSPOA"));
  names->activate_object_with_id(PortableServer::string_to_ObjectId("Peer"), servant);
  names->the_POAManager()->activate();
  IDL::traits<IORTable::Table>::narrow(orb->resolve_initial_references("IORTable"))
      ->bind("Table", orb->object_to_string(peer));
}

PeerReference make_peer(const interop::OrbReference& orb, const interop::PoaReference& poa) {
  auto servant =
      CORBA::make_reference<interop::AllTypesServant>("Perigee", [orb] { orb->shutdown(false); });
  auto peer = servant->_this();
  servant->set_references(interop::make_forwarder(*poa, peer), interop::make_reference(*poa));
  publish_keys(orb, servant, peer);
  return peer;
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "perigee_all_types_server", make_peer);
}
