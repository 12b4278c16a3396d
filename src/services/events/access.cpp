// Each operation of a supplier or consumer checks the rules, because clients can guess object keys.
#include "services/events/access.h"

#include <perigee/orb/exceptions.h>
#include <perigee/poa/poa.h>

#include <algorithm>
#include <utility>

namespace perigee::events {

std::expected<void, std::string> add_access_rule(std::string_view text,
                                                 std::vector<AccessRule>& rules) {
  return services::add_rule(text, rules);
}

Access::Access(CORBA::ORB& orb, const Options& options)
    : current_(IDL::traits<PeerCurrent>::narrow(orb.resolve_initial_references("PeerCurrent"))),
      supply_(prepare(options.may_supply)),
      consume_(prepare(options.may_consume)) {}

Access::Rules Access::prepare(const std::vector<AccessRule>& rules) {
  const bool admits_all = std::ranges::any_of(
      rules, [](const AccessRule& rule) { return rule.kind == AccessRule::Kind::any; });
  return {rules, admits_all};
}

void Access::require_supply() const { require(supply_, "supplier", "--allow-supply"); }

void Access::require_consume() const { require(consume_, "consumer", "--allow-consume"); }

void Access::require(const Rules& rules, const char* role, const char* option) const {
  if (rules.admits_all) return;
  services::Client caller{.address = address(), .identity = {}, .certificate = {}};
  if (services::is_admitted(rules.rules, caller)) return;
  caller.identity = current_->identity();
  caller.certificate = current_->certificate();
  if (services::is_admitted(rules.rules, caller)) return;
  throw CORBA::NO_PERMISSION(
      0, CORBA::COMPLETED_NO,
      "the event service does not admit this client (" + caller.address + ") as a " + role +
          "; add an access rule, as with perigee-events " + option + " <rule>");
}

std::string Access::client_name() const {
  std::string caller = address();
  if (caller.empty()) return caller;
  return services::name_of({.address = std::move(caller),
                            .identity = current_->identity(),
                            .certificate = current_->certificate()});
}

std::string Access::address() const {
  try {
    return current_->peer();
  } catch (const PortableServer::Current::NoContext&) {
    return {};  // outside of a request: a caller in this process
  }
}

}  // namespace perigee::events
