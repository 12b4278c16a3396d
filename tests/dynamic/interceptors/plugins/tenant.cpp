// Plug-ins with ORB initializers. The macro PLUGIN_BRINGS selects what a plug-in brings.
#include <perigee/dynamic/initializer_plugin.h>
#include <perigee/orb/make_reference.h>
#include <perigee/orb/policy_manager.h>
#include <perigee/orb/with_policies.h>

#include <stdexcept>

namespace perigee::test {
namespace {

constexpr IOP::ServiceId request_id = 0x48000001;
constexpr IOP::ServiceId reply_id = 0x48000002;
constexpr IOP::ComponentId tag = 0x48000001;

class AddingComponents final : public PortableInterceptor::IORInterceptor {
 public:
  std::string name() override { return "tenant components"; }
  void establish_components(Info info) override { info->add_ior_component({tag, {1, 2}}); }
};

class AddingReplyContexts final : public PortableInterceptor::ServerRequestInterceptor {
 public:
  std::string name() override { return "tenant contexts"; }
  void receive_request_service_contexts(Info) override {}
  void receive_request(Info) override {}
  void send_reply(Info info) override { info->add_reply_service_context({reply_id, {3}}, true); }
  void send_exception(Info) override {}
  void send_other(Info) override {}
};

/// All requests of the ORB carry a context, all replies another context, and all references a
/// component.
class TenantInitializer final : public PortableInterceptor::ORBInitializer {
 public:
  void pre_init(Info) override {}
  void post_init(Info info) override {
    IDL::traits<CORBA::PolicyManager>::narrow(info->resolve_initial_references("ORBPolicyManager"))
        ->set_policy_overrides({make_service_contexts({{request_id, {4, 5}}})},
                               CORBA::SetOverrideType::ADD_OVERRIDE);
    info->add_ior_interceptor(CORBA::make_reference<AddingComponents>());
    info->add_server_request_interceptor(CORBA::make_reference<AddingReplyContexts>());
  }
};

enum class Brings : std::uint8_t { tenant, nothing, exception, number };

CORBA::object_reference<PortableInterceptor::ORBInitializer> make_initializer() {
  switch (Brings::PLUGIN_BRINGS) {
    case Brings::tenant:
      break;
    case Brings::nothing:
      return nullptr;
    case Brings::exception:
      throw std::runtime_error("out of order");
    case Brings::number:
      throw 7;
  }
  return CORBA::make_reference<TenantInitializer>();
}

}  // namespace
}  // namespace perigee::test

PERIGEE_INITIALIZER_PLUGIN(perigee::test::make_initializer)
