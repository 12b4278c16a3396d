// The program of docs/policies.md: a client that chooses and configures its protocols.
#include <perigee/corba.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/protocol_policies.h>
#include <perigee/transport/local.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

CORBA::object_reference<CORBA::Policy> make_preference(
    const CORBA::object_reference<CORBA::ORB>& orb) {
  auto rt_orb = IDL::traits<RTCORBA::RTORB>::narrow(orb->resolve_initial_references("RTORB"));
  RTCORBA::TCPProtocolProperties::Values values;
  values.send_buffer_size = 256 * 1024;
  values.keep_alive = true;
  values.dscp = 46;  // expedited forwarding
  auto tcp = CORBA::make_reference<RTCORBA::TCPProtocolProperties>(values);
  return rt_orb->create_client_protocol_policy(
      {{perigee::iop::tag_internet_iop, nullptr, tcp},               // TCP first, then
       {perigee::transport::tag_perigee_local, nullptr, nullptr}});  // UNIX-domain sockets
}

}  // namespace

TEST_CASE("the preference of docs/policies.md can be set, and is the reference's policy then") {
  std::vector<std::string> arguments;
  auto orb = CORBA::ORB_init(arguments, "protocols");
  auto account = orb->string_to_object("corbaloc::localhost:1/Account");
  auto preferring =
      account->_set_policy_overrides({make_preference(orb)}, CORBA::SetOverrideType::SET_OVERRIDE);
  const auto policy = IDL::traits<RTCORBA::ClientProtocolPolicy>::narrow(
      preferring->_get_policy(RTCORBA::CLIENT_PROTOCOL_POLICY_TYPE));
  REQUIRE(policy);
  CHECK(policy->protocols().size() == 2);
  CHECK_FALSE(account->_get_policy(RTCORBA::CLIENT_PROTOCOL_POLICY_TYPE));
  orb->destroy();
}
