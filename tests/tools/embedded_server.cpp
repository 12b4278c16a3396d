// A server that describes its own objects: no Interface Repository runs beside it.
#include "embedded_baseR.h"
#include "embedded_typesR.h"
#include "embedded_typesS.h"
#include <perigee/corba.h>
#include <perigee/repository/embedded.h>
#include <perigee/runtime/serve_until_signal.h>

#include <iostream>
#include <string>

namespace {

class Desk final : public CORBA::servant_traits<Shop::Desk>::base_type {
 public:
  std::string title() override { return "desk"; }
  double level() override { return 0.5; }
  void level(double) override { throw Parts::Missing("level"); }
  std::int32_t add(std::int32_t a, std::int32_t b) override { return a + b; }
  Shop::Desk::Slip find(const std::string& name, std::int32_t& place) override {
    if (name.empty()) throw Parts::Missing(name);
    place = 7;
    return Shop::Desk::Slip(name, 2);
  }
  void note(const std::string&) override {}
  Shop::Nodes walk(const Shop::Letter&, Shop::Sized&,
                   CORBA::object_reference<CORBA::Context>) override {
    return {};
  }
  void give(IDL::traits<Shop::Square>::ref_type, IDL::traits<Shop::Odd>::ref_type,
            IDL::traits<Shop::Boxed>::ref_type, const CORBA::Any&,
            IDL::traits<CORBA::TypeCode>::ref_type, const CORBA::StringSeq&,
            IDL::traits<Parts::Later>::ref_type) override {}
  void measure(const Shop::Reading&, const Shop::Passed&, IDL::traits<Shop::Session>::ref_type,
               IDL::traits<Shop::Tagged>::ref_type) override {}
};

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto root = orb->resolve_initial_references("RootPOA");
  IDL::traits<PortableServer::POA>::narrow(root)->the_POAManager()->activate();
  // Both have the definitions of embedded_base.idl.
  const perigee::repository::EmbeddedServer repository(
      orb, {perigee::embedded::embedded_base, perigee::embedded::embedded_types});
  const std::string reference = orb->object_to_string(CORBA::make_reference<Desk>()->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "embedded_server: " << error.what() << '\n';
  return 1;
}
