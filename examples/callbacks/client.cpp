// Asks the server to build something, and prints the progress. The server calls the watcher over
// the connection that this client has opened, so no host needs to reach a port of this client.
#include "callbacksS.h"
#include <perigee/corba.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/bidirectional_policy.h>

#include <cstdint>
#include <exception>
#include <future>
#include <iostream>

namespace {

using PolicyRef = CORBA::object_reference<CORBA::Policy>;

class Watcher final : public CORBA::servant_traits<Callbacks::Watcher>::base_type {
 public:
  void progress(std::uint32_t percent) override {
    std::cout << percent << " %" << std::endl;
    if (percent == 100) done_.set_value();
  }
  void await_end() { done_.get_future().wait(); }

 private:
  std::promise<void> done_;
};

PolicyRef both_directions(const CORBA::object_reference<CORBA::ORB>& orb) {
  CORBA::Any value;
  value <<= BiDirPolicy::BOTH;
  return orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, value);
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: callbacks_client [-ORB...] <reference>\n";
    return 2;
  }
  const PolicyRef both = both_directions(orb);
  // The policy of the POA allows calls of its objects over connections that this ORB has opened.
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  auto poa = root->create_POA("callbacks", root->the_POAManager(), {both});
  auto watcher = CORBA::make_reference<Watcher>();
  const auto reference = poa->id_to_reference(poa->activate_object(watcher));
  // The policy on the reference makes each call offer its connection to the server.
  const auto server = orb->string_to_object(argv[1])->_set_policy_overrides(
      {both}, CORBA::SetOverrideType::ADD_OVERRIDE);
  IDL::traits<Callbacks::Builder>::narrow(server)->build(
      IDL::traits<Callbacks::Watcher>::narrow(reference));
  watcher->await_end();
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "callbacks_client: " << error.what() << '\n';
  return 1;
}
