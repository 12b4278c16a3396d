// The program of docs/policies.md: a client that does not wait for ever.
#include "bankC.h"
#include <perigee/corba.h>
#include <perigee/ipc/sock.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy_manager.h>

#include <doctest/doctest.h>

#include <string>

namespace {

using AccountRef = IDL::traits<Bank::Account>::ref_type;

std::string balance(const AccountRef& account) {
  try {
    (void)account->balance();
    return "answered";
  } catch (const CORBA::TIMEOUT& exception) {
    return exception.completed() == CORBA::COMPLETED_MAYBE ? "TIMEOUT, maybe" : "TIMEOUT";
  }
}

CORBA::object_reference<CORBA::Policy> make_timeout(const CORBA::object_reference<CORBA::ORB>& orb,
                                                    TimeBase::TimeT time) {
  CORBA::Any limit;
  limit <<= time;  // in units of 100 ns
  return orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit);
}

void set_for_orb(const CORBA::object_reference<CORBA::ORB>& orb,
                 const CORBA::object_reference<CORBA::Policy>& timeout) {
  auto manager = IDL::traits<CORBA::PolicyManager>::narrow(
      orb->resolve_initial_references("ORBPolicyManager"));
  manager->set_policy_overrides({timeout}, CORBA::SetOverrideType::ADD_OVERRIDE);
}

}  // namespace

TEST_CASE("the program of docs/policies.md gives up after its time") {
  const auto mute = perigee::ipc::sock::Acceptor::open(perigee::ipc::InetAddr::loopback(0));
  std::vector<std::string> arguments;
  auto orb = CORBA::ORB_init(arguments, "policies");
  auto account = IDL::traits<Bank::Account>::unchecked_narrow(
      orb->string_to_object("corbaloc::" + to_string(*mute->local_address()) + "/Account"));

  auto timeout = make_timeout(orb, 300'000);  // 30 ms
  auto quick = IDL::traits<Bank::Account>::unchecked_narrow(
      account->_set_policy_overrides({timeout}, CORBA::SetOverrideType::SET_OVERRIDE));
  CHECK(balance(quick) == "TIMEOUT, maybe");
  CHECK(account->_get_policy_overrides({}).empty());

  set_for_orb(orb, timeout);
  CHECK(balance(account) == "TIMEOUT, maybe");
  orb->destroy();
}
