// A servant locator that forwards each request to another object.
#pragma once

#include "all_types_peer.h"

#include <string>
#include <utility>

namespace interop {

class ForwardingLocator final : public IDL::traits<PortableServer::ServantLocator>::base_type {
 public:
  explicit ForwardingLocator(ObjectReference target) : target_(std::move(target)) {}

  CORBA::servant_reference<PortableServer::Servant> preinvoke(
      const PortableServer::ObjectId&, IDL::traits<PortableServer::POA>::ref_type,
      const std::string&, Cookie&) override {
    throw PortableServer::ForwardRequest(target_);
  }
  void postinvoke(const PortableServer::ObjectId&, IDL::traits<PortableServer::POA>::ref_type,
                  const std::string&, Cookie,
                  CORBA::servant_reference<PortableServer::Servant>) override {}

 private:
  ObjectReference target_;
};

/// A reference to an object of `poa` that is not active.
inline PeerReference make_reference(PortableServer::POA& poa) {
  return IDL::traits<AllTypes::Peer>::unchecked_narrow(
      poa.create_reference(std::string(AllTypes::Peer::_type_id)));
}

/// An object whose requests are forwarded to `target`.
inline PeerReference make_forwarder(PortableServer::POA& root, const ObjectReference& target) {
  using namespace PortableServer;  // NOLINT(google-build-using-namespace)
  const auto poa = root.create_POA(
      "forwarding", root.the_POAManager(),
      {root.create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
       root.create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  poa->set_servant_manager(CORBA::make_reference<ForwardingLocator>(target));
  return make_reference(*poa);
}

}  // namespace interop
