// TaggedComponentPolicy: the components that the references of a POA contain without an interceptor
// of the program, and how clients read them.
#include "desk.h"
#include "refusal.h"
#include <perigee/orb/iop_types_any.h>
#include <perigee/orb/tagged_component_policy.h>
#include <perigee/orb/tagged_components.h>
#include <perigee/orb/with_policies.h>

namespace perigee::test {

namespace {

using Data = std::vector<std::uint8_t>;

constexpr IOP::ComponentId first_tag = 0x48000001;
constexpr IOP::ComponentId second_tag = 0x48000002;

/// A child of the Root POA whose references have the components.
CORBA::object_reference<PortableServer::POA> make_poa(DeskOrbs& orbs,
                                                      IOP::TaggedComponentSeq components) {
  return orbs.poa->create_POA("stamping", orbs.poa->the_POAManager(),
                              {make_tagged_components(std::move(components))});
}

/// The client's reference to a new object of the POA.
ClerkRef serve_at(DeskOrbs& orbs, const CORBA::object_reference<PortableServer::POA>& poa) {
  const auto object =
      poa->id_to_reference(poa->activate_object(make_clerk(Kind::plain, orbs.noted)));
  return IDL::traits<Desk::Clerk>::narrow(
      orbs.client->string_to_object(orbs.server->object_to_string(object)));
}

class Adding final : public PortableInterceptor::IORInterceptor {
 public:
  std::string name() override { return "adding"; }
  void establish_components(Info info) override { info->add_ior_component({first_tag, {9}}); }
};

}  // namespace

TEST_CASE("the references of a POA contain the components of its policy, in their order") {
  DeskOrbs orbs({.clients = {}, .servers = {}});
  const IOP::TaggedComponentSeq twice{{first_tag, {1, 2}}, {first_tag, {}}};
  const auto poa = make_poa(orbs, {twice[0], {second_tag, {3}}, twice[1]});
  const ClerkRef clerk = serve_at(orbs, poa);
  CHECK(tagged_components(clerk, first_tag) == twice);
  CHECK(tagged_components(clerk, second_tag) == IOP::TaggedComponentSeq{{second_tag, {3}}});
  CHECK(tagged_components(clerk, 0x48000003).empty());
  CHECK(tagged_components(orbs.clerk, first_tag).empty());  // an object of the Root POA
  CHECK(clerk->twice(1) == 2);
  const auto made = poa->create_reference(std::string(Desk::Clerk::_type_id));
  CHECK(tagged_components(made, first_tag) == twice);  // the server's own reference
  const auto with_policy = with_timeout(clerk, std::chrono::minutes(1));
  CHECK(tagged_components(with_policy, first_tag) == twice);
}

TEST_CASE("interceptors add components to those of a policy, and clients' interceptors see all") {
  IOP::TaggedComponentSeq seen;
  DeskOrbs orbs(
      {.clients = {{{"send_request",
                     [&](const ClientInfoRef& info) {
                       seen = info->get_effective_components(first_tag);
                     }}}},
       .server_init =
           [](const auto& info) { info->add_ior_interceptor(CORBA::make_reference<Adding>()); }},
      Kind::plain, {"-ORBLocalTransports", "none"});
  const ClerkRef clerk = serve_at(orbs, make_poa(orbs, {{first_tag, {1}}}));
  CHECK(clerk->twice(1) == 2);
  CHECK(seen == IOP::TaggedComponentSeq{{first_tag, {1}}, {first_tag, {9}}});
  CHECK(tagged_components(clerk, first_tag) == seen);
}

TEST_CASE("a reference with the largest components is read and called by a client") {
  DeskOrbs orbs({.clients = {}, .servers = {}}, Kind::plain,
                {"-ORBListenEndpoints", "iiop://127.0.0.1:0"});
  IOP::TaggedComponentSeq components;
  const std::size_t size =
      TaggedComponentPolicy::octets_max / TaggedComponentPolicy::components_max;
  for (std::size_t index = 0; index < TaggedComponentPolicy::components_max; ++index)
    components.emplace_back(first_tag, Data(size, static_cast<std::uint8_t>(index)));
  const ClerkRef clerk = serve_at(orbs, make_poa(orbs, components));
  CHECK(tagged_components(clerk, first_tag) == components);
  CHECK(clerk->twice(1) == 2);
}

TEST_CASE("the text of a reference with eight addresses and the largest components is accepted") {
  std::vector<std::string> endpoints;
  for (int count = 0; count < 8; ++count)
    endpoints.insert(endpoints.end(), {"-ORBListenEndpoints", "iiop://127.0.0.1:0"});
  DeskOrbs orbs({.clients = {}, .servers = {}}, Kind::plain, endpoints);
  const std::size_t size =
      TaggedComponentPolicy::octets_max / TaggedComponentPolicy::components_max;
  const IOP::TaggedComponentSeq components(TaggedComponentPolicy::components_max,
                                           {first_tag, Data(size)});
  const ClerkRef clerk = serve_at(orbs, make_poa(orbs, components));
  const std::string text = orbs.server->object_to_string(clerk);
  CHECK(text.size() > 8 * 2 * TaggedComponentPolicy::octets_max);
  CHECK(tagged_components(orbs.client->string_to_object(text), first_tag) == components);
}

TEST_CASE("components beyond the limits, and components of the ORB, are refused") {
  const auto of_size = [](std::size_t count, std::size_t octets) {
    return [count, octets] {
      return make_tagged_components(
          IOP::TaggedComponentSeq(count, IOP::TaggedComponent(first_tag, Data(octets))));
    };
  };
  CHECK(refusal<CORBA::IMP_LIMIT>(of_size(33, 0)) ==
        "a TaggedComponentPolicy with 33 components; at most 32 are possible");
  CHECK(refusal<CORBA::IMP_LIMIT>(of_size(2, 4097)) ==
        "the components of a TaggedComponentPolicy have 8194 octets; at most 3072 are possible");
  for (const IOP::ComponentId tag : {0U, 1U, 2U, 3U, 20U, 33U, 36U, 0x50474c54U, 0x41545402U}) {
    CAPTURE(tag);
    CHECK(refusal<CORBA::BAD_PARAM>([tag] { return make_tagged_components({{tag, {}}}); }) ==
          "the component tag " + std::to_string(tag) + " belongs to the ORB; choose another tag");
  }
}

TEST_CASE("clients cannot set the policy of components, and other classes cannot have its type") {
  class Foreign final : public CORBA::Policy {
   public:
    [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override {
      return TAGGED_COMPONENT_POLICY_TYPE;
    }
    [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override {
      return CORBA::make_reference<Foreign>();
    }
  };
  DeskOrbs orbs({.clients = {}, .servers = {}});
  CHECK_THROWS_AS((void)with_policies(orbs.clerk, {make_tagged_components({})}),
                  CORBA::InvalidPolicies);
  CHECK_THROWS_AS(
      (void)orbs.poa->create_POA("foreign", nullptr, {CORBA::make_reference<Foreign>()}),
      PortableServer::POA::InvalidPolicy);
}

TEST_CASE("components are read only from references whose profile is well-formed") {
  DeskOrbs orbs({.clients = {}, .servers = {}}, Kind::plain, {"-ORBLocalTransports", "none"});
  const ClerkRef clerk = serve_at(orbs, make_poa(orbs, {{first_tag, {7, 7, 7, 7}}}));
  const std::string text = orbs.client->object_to_string(clerk);
  const std::size_t at = text.find("0400000007070707");
  REQUIRE(at != std::string::npos);
  for (const char* const length : {"05000000", "ffffff7f", "ffffffff"}) {
    CAPTURE(length);
    const auto hostile = orbs.client->string_to_object(std::string(text).replace(at, 8, length));
    CHECK_THROWS_AS((void)tagged_components(hostile, first_tag), CORBA::MARSHAL);
  }
  CHECK_THROWS_AS((void)tagged_components(nullptr, first_tag), CORBA::INV_OBJREF);
  CHECK_THROWS_AS((void)tagged_components(make_tagged_components({}), first_tag),
                  CORBA::NO_IMPLEMENT);
}

TEST_CASE("create_policy makes the policy from a list of components, or says why it does not") {
  DeskOrbs orbs({.clients = {}, .servers = {}});
  const auto make = [&](const auto& value) {
    CORBA::Any any;
    any <<= value;
    return orbs.server->create_policy(TAGGED_COMPONENT_POLICY_TYPE, any);
  };
  const IOP::TaggedComponentSeq components{{first_tag, {1, 2}}, {second_tag, {3}}};
  const auto poa = orbs.poa->create_POA("made", orbs.poa->the_POAManager(), {make(components)});
  const ClerkRef clerk = serve_at(orbs, poa);
  CHECK(tagged_components(clerk, first_tag) == IOP::TaggedComponentSeq{components[0]});
  CHECK(tagged_components(clerk, second_tag) == IOP::TaggedComponentSeq{components[1]});

  const std::string policy =
      "TaggedComponentPolicy (type " + std::to_string(TAGGED_COMPONENT_POLICY_TYPE) + "): ";
  CHECK(policy_error([&] { return make(IOP::ServiceContextList{}); }) ==
        std::to_string(CORBA::BAD_POLICY_TYPE) + " " + policy +
            "an IOP::TaggedComponentSeq is needed: <perigee/orb/iop_types_any.h> inserts it");
  CHECK(policy_error([&] { return make(IOP::TaggedComponentSeq{{3, {}}}); }) ==
        std::to_string(CORBA::BAD_POLICY_VALUE) + " " + policy +
            "the component tag 3 belongs to the ORB; choose another tag");
}

}  // namespace perigee::test
