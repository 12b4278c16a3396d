// The Perigee server of the interoperability tests: prints its IOR, serves until quit().
#include "perigee_peer.h"

#include <iostream>

namespace {

// Forwards two of its operations by LOCATION_FORWARD.
class Forwarder final : public interop::PeerServant {
 public:
  explicit Forwarder(PeerReference target)
      : PeerServant("forwarder", [] {}), target_(std::move(target)) {}
  std::string whoami(const std::string&) override { throw PortableServer::ForwardRequest(target_); }
  std::int32_t echo_long(std::int32_t, std::int32_t&, std::int32_t&) override {
    throw PortableServer::ForwardRequest(target_);
  }

 private:
  PeerReference target_;
};

}  // namespace

int main(int argc, char* argv[]) {
  try {
    auto orb = CORBA::ORB_init(argc, argv);
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    auto servant =
        CORBA::make_reference<interop::PeerServant>("Perigee", [orb] { orb->shutdown(false); });
    auto peer = servant->_this();
    auto forwarder = CORBA::make_reference<Forwarder>(peer);
    servant->set_forwarder(forwarder->_this());
    poa->the_POAManager()->activate();
    std::cout << orb->object_to_string(peer) << std::endl;
    orb->run();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "perigee_server: " << exception.what() << '\n';
    return 1;
  }
}
