// The program of docs/policies.md: data of the application in requests and in references.
#include "bankS.h"
#include <perigee/corba.h>
#include <perigee/orb/tagged_component_policy.h>
#include <perigee/orb/tagged_components.h>
#include <perigee/orb/with_policies.h>
#include <perigee/poa/request_contexts.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using AccountRef = IDL::traits<Bank::Account>::ref_type;

constexpr IOP::ServiceId tenant_id = 0x48000010;  // numbers of the application
constexpr IOP::ComponentId region_tag = 0x48000011;

class Account final : public CORBA::servant_traits<Bank::Account>::base_type {
 public:
  double balance() override {
    const auto tenant = perigee::request_service_context(tenant_id);
    if (!tenant) throw CORBA::NO_PERMISSION();
    const auto& data = tenant->context_data();
    return std::string(data.begin(), data.end()) == "blue" ? 100 : 0;
  }
  void withdraw(double) override {}
  Bank::Entries history() override { return {}; }
};

PoaRef make_regional_poa(const PoaRef& root) {
  return root->create_POA("regional", root->the_POAManager(),
                          {perigee::make_tagged_components({{region_tag, {'e', 'u'}}})});
}

std::string region_of(const AccountRef& account) {
  std::string region;
  for (const auto& component : perigee::tagged_components(account, region_tag))
    region.assign(component.component_data().begin(), component.component_data().end());
  return region;
}

OrbRef make_orb(std::vector<std::string> options, const std::string& name) {
  return CORBA::ORB_init(options, name);
}

}  // namespace

TEST_CASE("the program of docs/policies.md sends a context, and reads a component") {
  const OrbRef server = make_orb({"server", "-ORBListenEndpoints", "iiop://127.0.0.1:0"}, "banks");
  const OrbRef client = make_orb({"client"}, "tenants");
  const auto root =
      IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const PoaRef poa = make_regional_poa(root);
  const auto object = poa->id_to_reference(poa->activate_object(CORBA::make_reference<Account>()));
  const auto account = IDL::traits<Bank::Account>::narrow(
      client->string_to_object(server->object_to_string(object)));

  const auto blue = perigee::with_service_contexts(account, {{tenant_id, {'b', 'l', 'u', 'e'}}});
  CHECK(blue->balance() == 100);
  CHECK_THROWS_AS((void)account->balance(), CORBA::NO_PERMISSION);
  CHECK(region_of(account) == "eu");
  client->destroy();
  server->destroy();
}
