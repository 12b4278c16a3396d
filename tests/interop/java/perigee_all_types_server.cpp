// AllTypes::Peer as a Perigee server: prints its IOR, serves until quit().
#include "../perigee_serve.h"
#include "all_types_peer.h"

#include <string>

namespace {

using interop::PeerReference;

class ForwardingLocator final : public IDL::traits<PortableServer::ServantLocator>::base_type {
 public:
  explicit ForwardingLocator(PeerReference target) : target_(target) {}

  CORBA::servant_reference<PortableServer::Servant> preinvoke(
      const PortableServer::ObjectId&, IDL::traits<PortableServer::POA>::ref_type,
      const std::string&, Cookie&) override {
    throw PortableServer::ForwardRequest(target_);
  }
  void postinvoke(const PortableServer::ObjectId&, IDL::traits<PortableServer::POA>::ref_type,
                  const std::string&, Cookie,
                  CORBA::servant_reference<PortableServer::Servant>) override {}

 private:
  PeerReference target_;
};

PeerReference make_reference(PortableServer::POA& poa) {
  return IDL::traits<AllTypes::Peer>::unchecked_narrow(
      poa.create_reference(std::string(AllTypes::Peer::_type_id)));
}

PeerReference make_forwarder(PortableServer::POA& root, const PeerReference& target) {
  using namespace PortableServer;  // NOLINT(google-build-using-namespace)
  const auto poa = root.create_POA(
      "forwarding", root.the_POAManager(),
      {root.create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
       root.create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  poa->set_servant_manager(CORBA::make_reference<ForwardingLocator>(target));
  return make_reference(*poa);
}

PeerReference make_peer(const interop::OrbReference& orb, const interop::PoaReference& poa) {
  auto servant =
      CORBA::make_reference<interop::AllTypesServant>("Perigee", [orb] { orb->shutdown(false); });
  auto peer = servant->_this();
  servant->set_references(make_forwarder(*poa, peer), make_reference(*poa));
  return peer;
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "perigee_all_types_server", make_peer);
}
