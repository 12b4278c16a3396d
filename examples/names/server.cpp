// A server with a naming service of its own: clients find its object by a name, and no other
// naming service runs.
#include "CosNamingC.h"
#include "helloS.h"
#include <perigee/corba.h>
#include <perigee/services/naming/service.h>

#include <exception>
#include <iostream>
#include <string>

class Hello final : public CORBA::servant_traits<Demo::Hello>::base_type {
 public:
  std::string greet(const std::string& name) override { return "Hello, " + name + "!"; }
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  {
    const perigee::naming::NamingService names(orb, perigee::naming::make_memory_store());
    poa->the_POAManager()->activate();

    auto root = IDL::traits<CosNaming::NamingContext>::narrow(names.root());
    auto hello = CORBA::make_reference<Hello>();
    root->bind({CosNaming::NameComponent("hello", "service")}, hello->_this());

    const std::string reference = orb->object_to_string(root);
    perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
    orb->destroy();
  }
} catch (const std::exception& error) {
  std::cerr << "server: " << error.what() << '\n';
  return 1;
}
