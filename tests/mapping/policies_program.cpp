// The program of docs/policies.md: a client that does not wait for ever.
#include "bankC.h"
#include <perigee/corba.h>
#include <perigee/ipc/sock.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy_manager.h>
#include <perigee/orb/with_policies.h>

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace {

using namespace std::chrono_literals;
using AccountRef = IDL::traits<Bank::Account>::ref_type;

std::string balance(const AccountRef& account) {
  try {
    (void)account->balance();
    return "answered";
  } catch (const CORBA::TIMEOUT& exception) {
    return exception.completed() == CORBA::COMPLETED_MAYBE ? "TIMEOUT, maybe" : "TIMEOUT";
  }
}

// The standard form of perigee::make_timeout.
CORBA::object_reference<CORBA::Policy> make_policy(const CORBA::object_reference<CORBA::ORB>& orb,
                                                   TimeBase::TimeT time) {
  CORBA::Any limit;
  limit <<= time;  // in units of 100 ns
  return orb->create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit);
}

void set_for_orb(const CORBA::object_reference<CORBA::ORB>& orb, std::chrono::milliseconds time) {
  auto manager = IDL::traits<CORBA::PolicyManager>::narrow(
      orb->resolve_initial_references("ORBPolicyManager"));
  manager->set_policy_overrides({perigee::make_timeout(time)},
                                CORBA::SetOverrideType::ADD_OVERRIDE);
}

}  // namespace

TEST_CASE("the program of docs/policies.md gives up after its time limit") {
  const auto mute = perigee::ipc::sock::Acceptor::open(perigee::ipc::InetAddr::loopback(0));
  std::vector<std::string> arguments;
  auto orb = CORBA::ORB_init(arguments, "policies");
  auto account = IDL::traits<Bank::Account>::unchecked_narrow(
      orb->string_to_object("corbaloc::" + to_string(*mute->local_address()) + "/Account"));

  auto quick = perigee::with_timeout(account, 300ms);
  CHECK(balance(quick) == "TIMEOUT, maybe");
  CHECK(account->_get_policy_overrides({}).empty());

  auto timeout = make_policy(orb, 3'000'000);  // 300 ms
  auto limited = IDL::traits<Bank::Account>::unchecked_narrow(
      account->_set_policy_overrides({timeout}, CORBA::SetOverrideType::ADD_OVERRIDE));
  CHECK(balance(limited) == "TIMEOUT, maybe");

  set_for_orb(orb, 300ms);
  CHECK(balance(account) == "TIMEOUT, maybe");
  orb->destroy();
}
