// Offers one Demo::Hello under the name Hello. The options of the server name its endpoints, and an
// operator adds endpoints with the program `perigee`. The code of the server names no protocol. The
// server shuts down on SIGINT and SIGTERM.
#include "helloS.h"
#include <perigee/corba.h>
#include <perigee/poa/ior_table.h>

#include <exception>
#include <iostream>
#include <utility>

class Hello final : public CORBA::servant_traits<Demo::Hello>::base_type {
 public:
  std::string greet(const std::string& name) override { return "Hello, " + name + "!"; }
};

/// Makes references on request. They lead to the endpoints that exist at that time.
class Names final : public IORTable::Locator {
 public:
  Names(CORBA::object_reference<CORBA::ORB> orb, CORBA::servant_reference<Hello> hello)
      : orb_(std::move(orb)), hello_(std::move(hello)) {}
  std::string locate(const std::string& object_key) override {
    if (object_key != "Hello") throw IORTable::NotFound();
    return orb_->object_to_string(hello_->_this());
  }

 private:
  const CORBA::object_reference<CORBA::ORB> orb_;
  const CORBA::servant_reference<Hello> hello_;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto root = orb->resolve_initial_references("RootPOA");
  auto poa = IDL::traits<PortableServer::POA>::narrow(root);
  auto hello = CORBA::make_reference<Hello>();
  auto table = orb->resolve_initial_references("IORTable");
  IDL::traits<IORTable::Table>::narrow(table)->set_locator(
      CORBA::make_reference<Names>(orb, hello));

  poa->the_POAManager()->activate();
  const std::string reference = orb->object_to_string(hello->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "server: " << error.what() << '\n';
  return 1;
}
