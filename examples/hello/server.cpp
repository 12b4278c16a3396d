// Offers one Demo::Hello and prints its reference. Shuts down on SIGINT and SIGTERM.
#include "helloS.h"
#include <perigee/corba.h>

#include <exception>
#include <iostream>
#include <string>

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
  const std::string reference = orb->object_to_string(hello->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "server: " << error.what() << '\n';
  return 1;
}
