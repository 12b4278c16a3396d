// A server that calls a client back over the client's own connection.
#pragma once

#include "orb/context/orb_metrics.h"
#include "orb/server/server_fixture.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/bidirectional_policy.h>
#include <perigee/orb/stub.h>

#include <cstdint>
#include <utility>

namespace perigee::test {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
using PolicyRef = CORBA::object_reference<CORBA::Policy>;

inline PolicyRef bidirectional_policy(orb::OrbCore& core,
                                      BiDirPolicy::BidirectionalPolicyValue value) {
  CORBA::Any any;
  any <<= value;
  return core.create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, any);
}

inline orb::Settings accepting(ThreadStrategy strategy) {
  orb::Settings settings = server_settings(strategy);
  settings.accept_bidirectional = true;
  return settings;
}

/// Settings of a client whose references name a port at which nothing listens. Only connections
/// that the client opens lead to the client.
inline orb::Settings offering(ThreadStrategy strategy) {
  orb::Settings settings = server_settings(strategy);
  settings.offer_bidirectional = true;
  settings.listen_endpoints = {{"iiop", "127.0.0.1:0?publish=127.0.0.1:1"}};
  return settings;
}

inline std::uint32_t act(const ObjectRef& target, std::uint32_t argument) {
  static constexpr stub::Operation operation{"act", stub::Operation::Kind::twoway, {}};
  std::uint32_t result = 0;
  stub::invoke(
      *target, operation, [argument](cdr::Encoder& encoder) { encoder << argument; },
      [&result](cdr::Decoder& decoder) { decoder >> result; });
  return result;
}

/// Whether the loop of a reactive client runs, as in a program that serves.
enum class Runs : bool { no, yes };

/// A client with a POA that has the policy BOTH.
class CalledBack {
 public:
  explicit CalledBack(orb::Settings settings, ActingServant::Action action = add_one,
                      Runs runs = Runs::yes)
      : orb(std::move(settings)),
        poa(orb.root()->create_POA("callbacks", orb.root()->the_POAManager(),
                                   {bidirectional_policy(orb.core(), BiDirPolicy::BOTH)})),
        object(activate(std::move(action))) {
    if (runs == Runs::yes) orb.serve();
  }

  [[nodiscard]] ObjectRef activate(ActingServant::Action action) {
    return poa->id_to_reference(poa->activate_object(make_servant(std::move(action))));
  }
  /// A reference of the client's ORB to an object of another ORB.
  [[nodiscard]] ObjectRef see(const ObjectRef& other) const {
    return orb.core().make_object(other->_reference()->ior());
  }

  TestOrb orb;
  TestOrb::PoaRef poa;
  ObjectRef object;
};

}  // namespace perigee::test
