// Offers one Demo::Hello and prints its reference. Serves until it is killed; see ../stock for a
// server that ends in order.
#include "helloS.h"
#include <perigee/corba.h>

#include <exception>
#include <iostream>

class Hello final : public CORBA::servant_traits<Demo::Hello>::base_type {
 public:
  std::string greet(const std::string& name) override { return "Hello, " + name + "!"; }
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto root = orb->resolve_initial_references("RootPOA");
  auto poa = IDL::traits<PortableServer::POA>::narrow(root);
  poa->the_POAManager()->activate();

  auto hello = CORBA::make_reference<Hello>();
  std::cout << orb->object_to_string(hello->_this()) << std::endl;
  orb->run();
} catch (const std::exception& error) {
  std::cerr << "server: " << error.what() << '\n';
  return 1;
}
