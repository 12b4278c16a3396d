// The Perigee server of the interoperability tests: prints its IOR, and serves until a client
// calls quit().
#include "perigee_peer.h"
#include "perigee_serve.h"

namespace {

using PeerReference = IDL::traits<Interop::Peer>::ref_type;

// Forwards from within an operation.
class Forwarder final : public interop::PeerServant {
 public:
  explicit Forwarder(PeerReference target)
      : PeerServant("forwarder", [] {}), target_(std::move(target)) {}
  std::int32_t echo_long(std::int32_t, std::int32_t&, std::int32_t&) override {
    throw PortableServer::ForwardRequest(target_);
  }

 private:
  PeerReference target_;
};

// Forwards every operation except echo_long, without a servant. The Forwarder gets echo_long.
class ForwardingLocator final : public IDL::traits<PortableServer::ServantLocator>::base_type {
 public:
  explicit ForwardingLocator(PeerReference target)
      : target_(target), servant_(CORBA::make_reference<Forwarder>(target)) {}

  CORBA::servant_reference<PortableServer::Servant> preinvoke(
      const PortableServer::ObjectId&, IDL::traits<PortableServer::POA>::ref_type,
      const std::string& operation, Cookie&) override {
    if (operation == "echo_long") return servant_;
    throw PortableServer::ForwardRequest(target_);
  }
  void postinvoke(const PortableServer::ObjectId&, IDL::traits<PortableServer::POA>::ref_type,
                  const std::string&, Cookie,
                  CORBA::servant_reference<PortableServer::Servant>) override {}

 private:
  PeerReference target_;
  CORBA::servant_reference<PortableServer::Servant> servant_;
};

PeerReference make_forwarder(PortableServer::POA& root, const PeerReference& target) {
  using namespace PortableServer;  // NOLINT(google-build-using-namespace)
  const auto poa = root.create_POA(
      "forwarding", root.the_POAManager(),
      {root.create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
       root.create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  poa->set_servant_manager(CORBA::make_reference<ForwardingLocator>(target));
  return IDL::traits<Interop::Peer>::unchecked_narrow(
      poa->create_reference(std::string(Interop::Peer::_type_id)));
}

PeerReference make_peer(const interop::OrbReference& orb, const interop::PoaReference& poa) {
  auto servant =
      CORBA::make_reference<interop::PeerServant>("Perigee", [orb] { orb->shutdown(false); });
  auto peer = servant->_this();
  servant->set_forwarder(make_forwarder(*poa, peer));
  return peer;
}

}  // namespace

int main(int argc, char* argv[]) { return interop::serve(argc, argv, "perigee_server", make_peer); }
