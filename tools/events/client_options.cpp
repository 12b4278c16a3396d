// The defaults are those of events::Options.
#include "client_options.h"

#include "usage.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstddef>

namespace perigee::tool {

namespace {

constexpr std::size_t number_max = 1'000'000'000;
constexpr std::size_t pushes_max = 256;
constexpr std::uint32_t minute_ms = 60'000;
constexpr std::uint32_t day_ms = 86'400'000;
constexpr std::uint32_t year_s = 31'536'000;

void add_rules(CLI::App& program, const char* name, std::vector<std::string>& rules,
               const char* help) {
  program.add_option(name, rules, help)->type_name("RULE")->allow_extra_args(false);
}

void add_number(CLI::App& program, const char* name, std::size_t& number, const char* help) {
  program.add_option(name, number, help)
      ->check(CLI::Range(std::size_t{1}, number_max))
      ->capture_default_str();
}

void add_time(CLI::App& program, const char* name, std::uint32_t& time, std::uint32_t max,
              const char* help) {
  program.add_option(name, time, help)->check(CLI::Range(1u, max))->capture_default_str();
}

std::vector<events::AccessRule> rules_of(const std::vector<std::string>& texts, const char* name) {
  std::vector<events::AccessRule> rules;
  for (const std::string& text : texts)
    if (const auto added = events::add_access_rule(text, rules); !added)
      throw UsageError("perigee-events: " + std::string(name) + ": " + added.error());
  return rules;
}

}  // namespace

void add_client_options(CLI::App& program, ClientArguments& arguments, events::Options& options) {
  add_rules(program, "--allow-supply", arguments.may_supply,
            "Clients that may supply events; may be repeated: any, none, local, user=<number>, "
            "subject=<name>, dns=<name>, fingerprint=<digits> (default: local)");
  add_rules(program, "--allow-consume", arguments.may_consume,
            "Clients that may consume events, in the same forms (default: any)");
  add_number(program, "--proxies-per-client-max", options.proxies_per_client_max,
             "Suppliers and consumers of one client: a user of a local socket, the subject of a "
             "certificate, or a host");
  program
      .add_option(
          "--pushes-per-consumer-max", options.pushes_per_consumer_max,
          "Calls of push in progress to one consumer; with more than 1, the consumer must execute "
          "the requests of a connection in order")
      ->check(CLI::Range(std::size_t{1}, pushes_max))
      ->capture_default_str();
  add_number(program, "--waiting-pushes-max", options.waiting_pushes_max,
             "Pushes in progress, with --overflow block");
  add_number(program, "--waiting-pulls-max", options.waiting_pulls_max,
             "Calls of pull that wait for events");
  add_number(program, "--pulls-per-consumer-max", options.pulls_per_proxy_max,
             "Calls of pull of one consumer that wait");
  add_time(program, "--pull-wait-max", arguments.pull_wait_ms, day_ms,
           "Milliseconds after which a call of pull without an event raises TRANSIENT");
  add_time(program, "--pull-interval", arguments.pull_interval_ms, day_ms,
           "Milliseconds between calls of a pull supplier without events");
  add_time(program, "--block-time-max", arguments.block_time_ms, day_ms,
           "Milliseconds for which a consumer may let suppliers wait, with --overflow block");
  add_time(program, "--unconnected-max", arguments.unconnected_s, year_s,
           "Seconds after which a proxy without a peer may give its place to others");
  add_time(program, "--idle-max", arguments.idle_s, year_s,
           "The same for a peer that does not call its proxy");
  add_time(program, "--end-time-max", arguments.end_time_ms, minute_ms,
           "Milliseconds for telling suppliers and consumers that the service ends");
}

void apply(const ClientArguments& arguments, events::Options& options) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  if (!arguments.may_supply.empty())
    options.may_supply = rules_of(arguments.may_supply, "--allow-supply");
  if (!arguments.may_consume.empty())
    options.may_consume = rules_of(arguments.may_consume, "--allow-consume");
  options.block_max = milliseconds(arguments.block_time_ms);
  options.pull_wait_max = milliseconds(arguments.pull_wait_ms);
  options.pull_interval = milliseconds(arguments.pull_interval_ms);
  options.unconnected_max = seconds(arguments.unconnected_s);
  options.idle_max = seconds(arguments.idle_s);
  options.end_time_max = milliseconds(arguments.end_time_ms);
}

}  // namespace perigee::tool
