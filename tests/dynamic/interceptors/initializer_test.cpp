// ORB initializers, IOR interceptors and policy factories.
#include "desk.h"
#include <perigee/orb/bidirectional_policy.h>
#include <perigee/orb/protocol_policies.h>
#include <perigee/orb/service_context_policy.h>
#include <perigee/orb/tagged_component_policy.h>

#include <algorithm>

namespace perigee::test {

namespace {

constexpr CORBA::PolicyType own_policy_type = 0x50474001;
constexpr IOP::ComponentId own_component = 0x50474c01;
using PortableInterceptor::ORBInitInfo;

class OwnPolicy final : public CORBA::Policy {
 public:
  explicit OwnPolicy(std::int32_t value) : value_(value) {}
  [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override { return own_policy_type; }
  [[nodiscard]] CORBA::object_reference<CORBA::Policy> copy() const override {
    return CORBA::make_reference<OwnPolicy>(value_);
  }
  [[nodiscard]] std::int32_t value() const noexcept { return value_; }

 private:
  std::int32_t value_;
};

class OwnFactory final : public PortableInterceptor::PolicyFactory {
 public:
  CORBA::object_reference<CORBA::Policy> create_policy(CORBA::PolicyType,
                                                       const CORBA::Any& value) override {
    std::int32_t number = 0;
    if (!(value >>= number)) throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE);
    return CORBA::make_reference<OwnPolicy>(number);
  }
};

/// Publishes the value of OwnPolicy as a component.
class Publisher final : public PortableInterceptor::IORInterceptor {
 public:
  std::string name() override { return "publisher"; }
  void establish_components(Info info) override {
    const auto policy = info->get_effective_policy(own_policy_type);
    if (!policy) return;
    const auto value = static_cast<const OwnPolicy&>(*policy).value();
    info->add_ior_component({own_component, {static_cast<std::uint8_t>(value)}});
  }
};

CORBA::Any any_of(std::int32_t value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

}  // namespace

TEST_CASE("an IOR interceptor publishes a policy of the application, and clients see it") {
  std::vector<std::uint8_t> seen;
  std::int32_t in_server = 0;
  DeskOrbs orbs(
      {.clients = {{{"send_request",
                     [&](const ClientInfoRef& info) {
                       seen = info->get_effective_component(own_component).component_data();
                     }}}},
       .servers = {{{"receive_request",
                     [&](const ServerInfoRef& info) {
                       const auto policy = info->get_server_policy(own_policy_type);
                       in_server = static_cast<const OwnPolicy&>(*policy).value();
                     }}}},
       .server_init = [](const auto& info) {
         info->register_policy_factory(own_policy_type, CORBA::make_reference<OwnFactory>());
         info->add_ior_interceptor(CORBA::make_reference<Publisher>());
       }});
  const auto child = orbs.poa->create_POA("child", orbs.poa->the_POAManager(),
                                          {orbs.server->create_policy(own_policy_type, any_of(5))});
  const auto object =
      child->id_to_reference(child->activate_object(make_clerk(Kind::plain, orbs.noted)));
  const auto clerk = IDL::traits<Desk::Clerk>::narrow(
      orbs.client->string_to_object(orbs.server->object_to_string(object)));
  CHECK(clerk->twice(1) == 2);
  CHECK(seen == std::vector<std::uint8_t>{5});
  CHECK(in_server == 5);
}

TEST_CASE("a policy factory rejects a bad value, and a POA rejects policies without a factory") {
  DeskOrbs orbs({.server_init = [](const auto& info) {
    info->register_policy_factory(own_policy_type, CORBA::make_reference<OwnFactory>());
    CHECK_THROWS_AS(
        info->register_policy_factory(own_policy_type, CORBA::make_reference<OwnFactory>()),
        CORBA::BAD_INV_ORDER);
  }});
  CORBA::Any text;
  text <<= std::string("no number");
  CHECK_THROWS_AS((void)orbs.server->create_policy(own_policy_type, text), CORBA::PolicyError);
  CHECK_THROWS_AS((void)orbs.client->create_policy(own_policy_type, any_of(1)), CORBA::PolicyError);
  const DeskOrbs other;
  CHECK_THROWS_AS(
      (void)other.poa->create_POA("child", nullptr, {CORBA::make_reference<OwnPolicy>(1)}),
      PortableServer::POA::InvalidPolicy);
}

TEST_CASE("an initializer sees the arguments, and registers and resolves references") {
  std::vector<std::string> arguments;
  ORBInitInfo::_ref_type kept;
  const auto orb = make_orb(
      "initialized", {"program", "-ORBGiopVersion", "1.2", "left"},
      [&](const auto& info) {
        arguments = info->arguments();
        CHECK(info->orb_id() == "initialized");
        CHECK(info->codec_factory());
        info->register_initial_reference("Own", CORBA::make_reference<OwnPolicy>(1));
        CHECK_THROWS_AS(
            info->register_initial_reference("Own", CORBA::make_reference<OwnPolicy>(1)),
            ORBInitInfo::InvalidName);
        CHECK_THROWS_AS((void)info->resolve_initial_references("Own"), CORBA::BAD_INV_ORDER);
        kept = info;
      },
      [&](const auto& info) {
        CHECK(info->resolve_initial_references("Own"));
        CHECK_THROWS_AS((void)info->resolve_initial_references("None"), ORBInitInfo::InvalidName);
      });
  CHECK(arguments == std::vector<std::string>{"program", "left"});
  CHECK(orb->resolve_initial_references("Own"));
  CHECK_THROWS_AS((void)kept->orb_id(), CORBA::OBJECT_NOT_EXIST);
  orb->destroy();
}

TEST_CASE("two interceptors of one kind cannot have the same name") {
  Log log;
  const auto orb = make_orb("duplicates", {"program"}, [&](const auto& info) {
    const auto add = [&](const char* name) {
      info->add_client_request_interceptor(
          CORBA::make_reference<PlannedClient>(name, log, std::map<std::string, ClientAction>()));
    };
    add("name");
    CHECK_THROWS_AS(add("name"), ORBInitInfo::DuplicateName);
    add("");
    add("");
  });
  orb->destroy();
}

TEST_CASE("an exception of an initializer ends ORB_init, and a later ORB_init may succeed") {
  CHECK_THROWS_AS(
      make_orb("failed", {"program"}, [](const auto&) { throw CORBA::NO_PERMISSION(); }),
      CORBA::NO_PERMISSION);
  const auto orb = make_orb("failed", {"program"}, nullptr);
  orb->destroy();
}

TEST_CASE("a policy factory cannot take a type that the ORB or the POA knows") {
  int refused = 0;
  const DeskOrbs orbs({.server_init = [&](const auto& info) {
    for (const CORBA::PolicyType type :
         {RTCORBA::SERVER_PROTOCOL_POLICY_TYPE, RTCORBA::CLIENT_PROTOCOL_POLICY_TYPE,
          PortableServer::LIFESPAN_POLICY_ID, BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE,
          SERVICE_CONTEXT_POLICY_TYPE, TAGGED_COMPONENT_POLICY_TYPE}) {
      try {
        info->register_policy_factory(type, CORBA::make_reference<OwnFactory>());
      } catch (const CORBA::BAD_INV_ORDER&) {
        ++refused;
      }
    }
  }});
  CHECK(refused == 6);
}

TEST_CASE("an object that is a client and a server interceptor is destroyed once") {
  class Both final : public PortableInterceptor::ClientRequestInterceptor,
                     public PortableInterceptor::ServerRequestInterceptor {
   public:
    using AtClient = PortableInterceptor::ClientRequestInterceptor::Info;
    using AtServer = PortableInterceptor::ServerRequestInterceptor::Info;
    explicit Both(int& destroyed) : destroyed_(destroyed) {}
    std::string name() override { return "both"; }
    void destroy() override { ++destroyed_; }
    void send_request(AtClient) override {}
    void send_poll(AtClient) override {}
    void receive_reply(AtClient) override {}
    void receive_exception(AtClient) override {}
    void receive_other(AtClient) override {}
    void receive_request_service_contexts(AtServer) override {}
    void receive_request(AtServer) override {}
    void send_reply(AtServer) override {}
    void send_exception(AtServer) override {}
    void send_other(AtServer) override {}

   private:
    int& destroyed_;
  };
  int destroyed = 0;
  auto orb = make_orb("both", {"program"}, [&](const auto& info) {
    const auto both = CORBA::make_reference<Both>(destroyed);
    info->add_client_request_interceptor(both);
    info->add_server_request_interceptor(both);
  });
  orb->destroy();
  CHECK(destroyed == 1);
}

}  // namespace perigee::test
