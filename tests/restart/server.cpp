// Offers a Register at a fixed endpoint, under a persistent reference, until SIGTERM. Then prints
// how many calls it has executed.
#include "restartS.h"
#include <perigee/corba.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

namespace {

class Register final : public CORBA::servant_traits<Restart::Register>::base_type {
 public:
  int64_t take(int64_t amount) override {
    ++executed;
    return amount;
  }
  std::atomic<std::int64_t> executed{0};
};

IDL::traits<PortableServer::POA>::ref_type make_adapter(const CORBA::ORB::_ref_type& orb) {
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const CORBA::PolicyList policies{
      root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT),
      root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)};
  return root->create_POA("registers", root->the_POAManager(), policies);
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = make_adapter(orb);
  auto servant = CORBA::make_reference<Register>();
  const auto id = PortableServer::string_to_ObjectId("register");
  poa->activate_object_with_id(id, servant);
  poa->the_POAManager()->activate();
  const std::string reference = orb->object_to_string(poa->id_to_reference(id));
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
  std::cout << servant->executed << std::endl;
} catch (const std::exception& error) {
  std::cerr << "restart_server: " << error.what() << '\n';
  return 1;
}
