// ClientProtocolPolicy and ServerProtocolPolicy over real sockets.
#include "runtime/process.h"
#include "support/log_lines.h"
#include "support/temporary_folder.h"
#include <perigee/iop/components.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/policy_manager.h>
#include <perigee/orb/protocol_policies.h>
#include <perigee/poa/peer_current.h>
#include <perigee/transport/local.h>

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <future>
#include <string>
#include <vector>

namespace perigee::test {
namespace {

using PolicyRef = CORBA::object_reference<CORBA::Policy>;
using enum CORBA::SetOverrideType;

RTCORBA::RTORB::_ref_type rt_orb(const CORBA::object_reference<CORBA::ORB>& orb) {
  return IDL::traits<RTCORBA::RTORB>::narrow(orb->resolve_initial_references("RTORB"));
}

/// A send queue of a size that only this test uses, and the other properties of TCP.
RTCORBA::Protocol tcp(std::int32_t send_buffer_size = 0) {
  RTCORBA::TCPProtocolProperties::Values values;
  values.send_buffer_size = send_buffer_size;
  values.keep_alive = true;
  values.dscp = 46;
  return {iop::tag_internet_iop, nullptr,
          CORBA::make_reference<RTCORBA::TCPProtocolProperties>(values)};
}
RTCORBA::Protocol local(std::int32_t send_buffer_size = 0) {
  return {transport::tag_perigee_local, nullptr,
          CORBA::make_reference<RTCORBA::UnixDomainProtocolProperties>(send_buffer_size, 0)};
}

PolicyRef client_policy(const CORBA::object_reference<CORBA::ORB>& orb,
                        const RTCORBA::ProtocolList& protocols) {
  return rt_orb(orb)->create_client_protocol_policy(protocols);
}

template <typename Manager>
auto manager(const CORBA::object_reference<CORBA::ORB>& orb, const char* name) {
  return IDL::traits<Manager>::narrow(orb->resolve_initial_references(name));
}

/// The sockets of this process, of clients and servers, whose send queue has this size.
std::vector<int> sockets_with_queue(int size) {
  std::vector<int> found;
  for (int handle = 0; handle < 1024; ++handle) {
    int value = 0;
    socklen_t value_size = sizeof(value);
    // Linux doubles the size for its own needs.
    if (::getsockopt(handle, SOL_SOCKET, SO_SNDBUF, &value, &value_size) == 0 && value == 2 * size)
      found.push_back(handle);
  }
  return found;
}

int option_of(int handle, int level, int number) {
  int value = -1;
  socklen_t size = sizeof(value);
  REQUIRE(::getsockopt(handle, level, number, &value, &size) == 0);
  return value;
}

/// A server at a TCP port and at a socket file, and a client of it.
class Setup {
 public:
  Setup() {
    const auto current =
        IDL::traits<PeerCurrent>::narrow(server.orb->resolve_initial_references("PeerCurrent"));
    server.servant->on_stop = [this, current] { peer = current->peer(); };
    echo = client.echo(server.reference);
  }
  ~Setup() { server.servant->on_stop = nullptr; }
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  /// The scheme over which a call through the reference reaches the server.
  [[nodiscard]] std::string way(const Echo::Ref& reference) {
    reference->stop();
    return peer.substr(0, peer.find(':'));
  }
  [[nodiscard]] Echo::Ref with(const RTCORBA::ProtocolList& protocols) const {
    return stub::interface_traits<Echo>::unchecked_narrow(
        echo->_set_policy_overrides({client_policy(client.orb, protocols)}, SET_OVERRIDE));
  }

  TemporaryFolder folder;
  EchoServer server{{}, "iiop://127.0.0.1:0;uiop://" + folder.file("s")};
  EchoClient client;
  Echo::Ref echo;
  std::string peer;
};

}  // namespace

TEST_CASE("a client uses the protocols of its policy in their order, even if others are nearer") {
  Setup setup;
  CHECK(setup.way(setup.echo) == "uiop");
  CHECK(setup.way(setup.with({tcp(), local()})) == "iiop");
  CHECK(setup.way(setup.with({local(), tcp()})) == "uiop");
}

TEST_CASE("a reference's protocol policy overrides the thread's, which overrides the ORB's") {
  Setup setup;
  const auto orb = manager<CORBA::PolicyManager>(setup.client.orb, "ORBPolicyManager");
  const auto thread = manager<CORBA::PolicyCurrent>(setup.client.orb, "PolicyCurrent");
  orb->set_policy_overrides({client_policy(setup.client.orb, {tcp()})}, SET_OVERRIDE);
  CHECK(setup.way(setup.echo) == "iiop");
  thread->set_policy_overrides({client_policy(setup.client.orb, {local()})}, SET_OVERRIDE);
  CHECK(setup.way(setup.echo) == "uiop");
  CHECK(std::async(std::launch::async, [&] { return setup.way(setup.echo); }).get() == "iiop");
  CHECK(setup.way(setup.with({tcp()})) == "iiop");
  thread->set_policy_overrides({}, SET_OVERRIDE);
  orb->set_policy_overrides({}, SET_OVERRIDE);
  CHECK(setup.way(setup.echo) == "uiop");
}

TEST_CASE("a call raises INV_POLICY if its reference has none of the policy's protocols") {
  Setup setup;
  const auto none = setup.with({RTCORBA::Protocol(4711, nullptr, nullptr)});
  CHECK_THROWS_AS(none->stop(), CORBA::INV_POLICY);
  CHECK(setup.way(setup.echo) == "uiop");
}

TEST_CASE("the TCP properties of the policy are set on the client's socket") {
  Setup setup;
  CHECK(setup.way(setup.with({tcp(21'111)})) == "iiop");
  const auto sockets = sockets_with_queue(21'111);
  REQUIRE(sockets.size() == 1);
  CHECK(option_of(sockets[0], SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(option_of(sockets[0], IPPROTO_TCP, TCP_NODELAY) == 1);
  CHECK(option_of(sockets[0], IPPROTO_IP, IP_TOS) == 46 * 4);
}

TEST_CASE("calls with different properties use different connections; equal ones share") {
  Setup setup;
  CHECK(setup.way(setup.with({local(21'112)})) == "uiop");
  CHECK(setup.way(setup.with({local(21'112)})) == "uiop");
  CHECK(setup.way(setup.with({local(21'113)})) == "uiop");
  CHECK(sockets_with_queue(21'112).size() == 1);
  CHECK(sockets_with_queue(21'113).size() == 1);
}

TEST_CASE("a server listens by the protocols of its policy only, with their properties") {
  const TemporaryFolder folder;
  using Tags = std::vector<std::uint32_t>;
  const auto listen = [&](const RTCORBA::ProtocolList& protocols) {
    auto orb = make_orb({"-ORBListenEndpoints", "iiop://127.0.0.1:0;uiop://" + folder.file("s")});
    manager<CORBA::PolicyManager>(orb, "ORBPolicyManager")
        ->set_policy_overrides({rt_orb(orb)->create_server_protocol_policy(protocols)},
                               SET_OVERRIDE);
    const auto root =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto object = root->create_reference("IDL:Echo:1.0");
    Tags tags;
    const auto ior = iop::parse_ior_string(orb->object_to_string(object)).value();
    for (const auto& profile : ior.profiles) tags.push_back(profile.tag);
    const std::size_t sockets = sockets_with_queue(21'114).size();
    orb->destroy();
    return std::pair(tags, sockets);
  };
  CHECK(listen({local(), tcp(21'114)}) ==
        std::pair(Tags{transport::tag_perigee_local, iop::tag_internet_iop}, 1UL));
  CHECK(listen({tcp()}) == std::pair(Tags{iop::tag_internet_iop}, 0UL));
}

namespace {

/// The tags of the profiles in references of a POA with this policy.
std::vector<std::uint32_t> tags_of_poa(const CORBA::object_reference<CORBA::ORB>& orb,
                                       const std::string& name,
                                       const RTCORBA::ProtocolList& protocols) {
  const auto root =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  CORBA::PolicyList policies;
  if (!protocols.empty())
    policies.emplace_back(rt_orb(orb)->create_server_protocol_policy(protocols));
  const auto poa = root->create_POA(name, nullptr, policies);
  const auto ior =
      iop::parse_ior_string(orb->object_to_string(poa->create_reference("IDL:Echo:1.0"))).value();
  std::vector<std::uint32_t> tags;
  for (const auto& profile : ior.profiles) tags.push_back(profile.tag);
  return tags;
}

}  // namespace

TEST_CASE("a POA's protocol policy says which profiles its references have, in its order") {
  using Tags = std::vector<std::uint32_t>;
  const TemporaryFolder folder;
  const auto orb =
      make_orb({"-ORBListenEndpoints", "iiop://127.0.0.1:0;uiop://" + folder.file("s")});
  constexpr auto by_tcp = iop::tag_internet_iop;
  constexpr auto by_file = transport::tag_perigee_local;
  CHECK(tags_of_poa(orb, "any", {}) == Tags{by_tcp, by_file});
  CHECK(tags_of_poa(orb, "tcp", {tcp()}) == Tags{by_tcp});
  CHECK(tags_of_poa(orb, "file", {local()}) == Tags{by_file});
  CHECK(tags_of_poa(orb, "both", {local(), tcp()}) == Tags{by_file, by_tcp});
  CHECK_THROWS_AS((void)tags_of_poa(orb, "none", {RTCORBA::Protocol(4711, nullptr, nullptr)}),
                  CORBA::INV_POLICY);
  orb->destroy();
}

TEST_CASE("a POA without the socket protocol publishes no socket for omniORB either") {
  const TemporaryFolder folder;
  const auto orb = make_orb({"-ORBListenEndpoints",
                             "iiop://127.0.0.1:0;uiop://" + folder.file("s") + "?publish=omniorb"});
  const auto root =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto poa =
      root->create_POA("tcp", nullptr, {rt_orb(orb)->create_server_protocol_policy({tcp()})});
  const auto sockets_of = [&](const CORBA::object_reference<CORBA::Object>& object) {
    const auto ior = iop::parse_ior_string(orb->object_to_string(object)).value();
    REQUIRE(ior.profiles.size() == 1);
    const auto profile = iop::decode_iiop_profile(ior.profiles.front()).value();
    return std::ranges::count(profile.components, iop::tag_omniorb_unix_address,
                              &iop::TaggedComponent::tag);
  };
  CHECK(sockets_of(root->create_reference("IDL:Echo:1.0")) == 1);
  CHECK(sockets_of(poa->create_reference("IDL:Echo:1.0")) == 0);
  orb->destroy();
}

TEST_CASE("an object of a POA with a protocol policy is called by those protocols") {
  Setup setup;
  const auto orb = setup.server.orb;
  const auto root =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto poa = root->create_POA("tcp", root->the_POAManager(),
                                    {rt_orb(orb)->create_server_protocol_policy({tcp()})});
  const auto object = poa->id_to_reference(poa->activate_object(setup.server.servant));
  CHECK(setup.way(setup.client.echo(orb->object_to_string(object))) == "iiop");
}

TEST_CASE("setting a policy with a class of service of more than six bits raises BAD_PARAM") {
  const EchoClient client;
  const auto properties = CORBA::make_reference<RTCORBA::TCPProtocolProperties>();
  properties->dscp(64);
  const auto policy =
      client_policy(client.orb, {RTCORBA::Protocol(iop::tag_internet_iop, nullptr, properties)});
  const auto thread = manager<CORBA::PolicyCurrent>(client.orb, "PolicyCurrent");
  CHECK_THROWS_AS(thread->set_policy_overrides({policy}, SET_OVERRIDE), CORBA::BAD_PARAM);
  properties->dscp(63);
  thread->set_policy_overrides({policy}, SET_OVERRIDE);
  CHECK(thread->get_policy_overrides({}).size() == 1);
  thread->set_policy_overrides({}, SET_OVERRIDE);
}

TEST_CASE("setting a policy with a negative buffer size raises BAD_PARAM, whose text names it") {
  const EchoClient client;
  const auto thread = manager<CORBA::PolicyCurrent>(client.orb, "PolicyCurrent");
  const auto refused = [&](const RTCORBA::Protocol& protocol) -> std::string {
    try {
      thread->set_policy_overrides({client_policy(client.orb, {protocol})}, SET_OVERRIDE);
    } catch (const CORBA::BAD_PARAM& exception) {
      return exception.detail();
    }
    return "accepted";
  };
  const auto tcp = CORBA::make_reference<RTCORBA::TCPProtocolProperties>();
  tcp->send_buffer_size(-5);
  CHECK(
      refused({iop::tag_internet_iop, nullptr, tcp}) ==
      "send_buffer_size cannot be -5 in the properties of a protocol: a size in octets is needed, "
      "or 0");
  const auto local = CORBA::make_reference<RTCORBA::UnixDomainProtocolProperties>();
  local->recv_buffer_size(-1);
  CHECK(refused({transport::tag_perigee_local, nullptr, local})
            .starts_with("receive_buffer_size cannot be -1"));
}

TEST_CASE("a server's protocol policy can be set only for the ORB") {
  const EchoClient client;
  const PolicyRef policy = rt_orb(client.orb)->create_server_protocol_policy({tcp()});
  const auto thread = manager<CORBA::PolicyCurrent>(client.orb, "PolicyCurrent");
  CHECK_THROWS_AS(thread->set_policy_overrides({policy}, SET_OVERRIDE), CORBA::InvalidPolicies);
  CHECK_THROWS_AS((void)rt_orb(client.orb)->create_client_protocol_policy({}), CORBA::BAD_PARAM);
}

}  // namespace perigee::test
