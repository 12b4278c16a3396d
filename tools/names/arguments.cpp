// Completes the command line of perigee-names with defaults, and converts it to options.
#include "arguments.h"

#include "usage.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace perigee::tool {

namespace {

constexpr const char* default_endpoint = "iiop://:2809";

/// A relative path in the variable does not count: XDG Base Directory Specification 0.8.
std::string folder_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : std::string();
}

bool has(const std::vector<std::string>& options, const char* name) {
  return std::ranges::find(options, name) != options.end();
}

}  // namespace

std::string default_store() {
  const std::string state = folder_in("XDG_STATE_HOME");
  if (!state.empty()) return state + "/perigee/names.db";
  const std::string home = folder_in("HOME");
  return home.empty() ? home : home + "/.local/state/perigee/names.db";
}

std::vector<std::string> orb_options(const NamesArguments& arguments,
                                     std::vector<std::string> given) {
  std::vector<std::string> options = std::move(given);
  if (!has(options, "-ORBThreadStrategy")) {
    options.emplace_back("-ORBThreadStrategy");
    options.emplace_back("reactive");
  }
  std::vector<std::string> endpoints = arguments.endpoints;
  if (endpoints.empty() && !has(options, "-ORBListenEndpoints"))
    endpoints.emplace_back(default_endpoint);
  for (std::string& endpoint : endpoints) {
    options.emplace_back("-ORBListenEndpoints");
    options.push_back(std::move(endpoint));
  }
  return options;
}

naming::EtcdStoreOptions etcd_options(const NamesArguments& arguments) {
  naming::EtcdStoreOptions options = arguments.etcd;
  if (options.members.empty())
    throw UsageError("perigee-names: --store etcd needs --etcd http://<host>:<port>");
  options.contexts_max = arguments.contexts_max;
  options.staleness_max = std::chrono::milliseconds(
      static_cast<std::chrono::milliseconds::rep>(arguments.staleness_max_s * 1'000));
  return options;
}

std::vector<naming::AccessRule> access_rules(const NamesArguments& arguments) {
  std::vector<naming::AccessRule> rules;
  if (arguments.rules.empty()) rules.emplace_back();
  for (const std::string& text : arguments.rules)
    if (const auto added = naming::add_access_rule(text, rules); !added)
      throw UsageError("perigee-names: --allow-bind: " + added.error());
  return rules;
}

}  // namespace perigee::tool
