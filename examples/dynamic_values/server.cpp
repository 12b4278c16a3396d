// Offers one Demo::Printer and prints its reference. Shuts down on SIGINT and SIGTERM.
#include "print.h"
#include "printerS.h"
#include <perigee/corba.h>
#include <perigee/dynamic/dynamic_any.h>

#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>

class Printer final : public CORBA::servant_traits<Demo::Printer>::base_type {
 public:
  explicit Printer(DynamicAny::DynAnyFactory::_ref_type factory) : factory_(std::move(factory)) {}

  std::string text_of(const CORBA::Any& value) override {
    std::ostringstream text;
    print(text, factory_->create_dyn_any(value));
    return text.str();
  }

 private:
  DynamicAny::DynAnyFactory::_ref_type factory_;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto root = orb->resolve_initial_references("RootPOA");
  auto poa = IDL::traits<PortableServer::POA>::narrow(root);
  poa->the_POAManager()->activate();

  auto printer = CORBA::make_reference<Printer>(DynamicAny::factory_of(orb));
  const std::string reference = orb->object_to_string(printer->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "server: " << error.what() << '\n';
  return 1;
}
