// The program perigee-events: event channels in memory, or durable channels in a file or in NATS.
#include "client_options.h"
#include "end_orb.h"
#include "make_orb.h"
#include "nats_metrics.h"
#include "orb_options.h"
#include "store_options.h"
#include "usage.h"
#include <perigee/corba.h>
#include <perigee/orb/added_metrics.h>
#include <perigee/services/events/service.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using perigee::events::Overflow;

constexpr const char* default_endpoint = "iiop://:11169";

struct Arguments {
  std::vector<std::string> channels{"EventChannel"};
  std::vector<std::string> endpoints;
  std::uint32_t call_time_ms = 5'000;
  perigee::tool::ClientArguments clients;
  perigee::events::Options options;
  perigee::tool::StoreArguments store;
};
using Subscriptions = std::vector<perigee::tool::NamedSubscription>;

const std::map<std::string, Overflow> overflow_names = {{"drop-oldest", Overflow::drop_oldest},
                                                        {"drop-newest", Overflow::drop_newest},
                                                        {"block", Overflow::block},
                                                        {"disconnect", Overflow::disconnect}};

void add_options(CLI::App& program, Arguments& arguments) {
  constexpr std::size_t number_max = 1'000'000'000;
  program
      .add_option("--channel", arguments.channels,
                  "The key of a channel; may be repeated (default: EventChannel)")
      ->type_name("KEY")
      ->allow_extra_args(false);
  program
      .add_option("--endpoint", arguments.endpoints,
                  "Where to listen; may be repeated (default: iiop://:11169)")
      ->type_name("scheme://address")
      ->allow_extra_args(false);
  program
      .add_option("--overflow", arguments.options.overflow,
                  "What happens to an event if the queue of a consumer is full: drop-oldest (the "
                  "default), drop-newest, block (the supplier waits) or disconnect")
      ->transform(CLI::CheckedTransformer(overflow_names))
      ->type_name("POLICY");
  program
      .add_option("--queue-events-max", arguments.options.queue_events_max,
                  "Events in the queue of a consumer")
      ->check(CLI::Range(std::size_t{1}, number_max))
      ->capture_default_str();
  program
      .add_option("--queue-octets-max", arguments.options.queue_octets_max,
                  "Octets of the events in the queue of a consumer; one event always fits")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 40))
      ->capture_default_str();
  program
      .add_option("--waiting-octets-max", arguments.options.waiting_octets_max,
                  "Octets of all events that wait")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
      ->capture_default_str();
  program
      .add_option("--event-octets-max", arguments.options.event_octets_max, "Octets of one event")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 31))
      ->capture_default_str();
  program
      .add_option("--proxies-max", arguments.options.proxies_max,
                  "Suppliers and consumers of all channels")
      ->check(CLI::Range(std::size_t{1}, number_max))
      ->capture_default_str();
  program
      .add_option("--call-time-max", arguments.call_time_ms,
                  "Milliseconds for one call of a consumer or a supplier")
      ->check(CLI::Range(1u, 86'400'000u))
      ->capture_default_str();
  program
      .add_option("--failures-max", arguments.options.failures_max,
                  "Failed calls in a row after which a consumer or supplier is disconnected")
      ->check(CLI::Range(1u, 1'000u))
      ->capture_default_str();
  program.add_flag("--allow-destroy", arguments.options.may_destroy,
                   "Clients may destroy channels");
}

void check_channels(std::vector<std::string> keys) {
  std::ranges::sort(keys);
  const auto twice = std::ranges::adjacent_find(keys);
  if (twice != keys.end())
    throw perigee::tool::UsageError("perigee-events: --channel: '" + *twice + "' is given twice");
}

std::vector<std::string> orb_options(const Arguments& arguments, std::vector<std::string> options) {
  const auto has = [&options](const char* name) {
    return std::ranges::find(options, name) != options.end();
  };
  if (!has("-ORBThreadStrategy")) {
    options.emplace_back("-ORBThreadStrategy");
    options.emplace_back("reactive");
  }
  std::vector<std::string> endpoints = arguments.endpoints;
  if (endpoints.empty() && !has("-ORBListenEndpoints")) endpoints.emplace_back(default_endpoint);
  for (std::string& endpoint : endpoints) {
    options.emplace_back("-ORBListenEndpoints");
    options.push_back(std::move(endpoint));
  }
  return options;
}

/// The references of the channels and subscriptions. Without a store, events are in memory.
std::vector<std::string> add_channels(perigee::events::EventService& service,
                                      perigee::events::EventStore* store,
                                      const Arguments& arguments,
                                      const Subscriptions& subscriptions) {
  std::vector<CORBA::object_reference<CORBA::Object>> objects;
  for (const std::string& key : arguments.channels)
    objects.push_back(store == nullptr ? service.add_channel(key)
                                       : service.add_durable_channel(key, *store));
  for (const auto& [channel, name] : subscriptions)
    objects.push_back(service.add_subscription(channel, name, perigee::events::Begin::next_event));
  std::vector<std::string> references;
  for (const auto& object : objects)
    references.push_back(object->_get_orb()->object_to_string(object));
  return references;
}

void serve(const Arguments& arguments, std::vector<std::string> options,
           const Subscriptions& subscriptions) {
  const perigee::tool::OpenStore opened = perigee::tool::open_store(arguments.store);
  const auto orb = perigee::tool::make_orb("perigee-events", std::move(options));
  perigee::events::EventService service(orb, arguments.options);
  std::optional<perigee::orb::AddedMetrics> metrics;  // ends before the store, which it reads
  if (opened.nats != nullptr)
    metrics.emplace(orb, [nats = opened.nats](perigee::orb::MetricsSnapshot& snapshot) {
      perigee::tool::append_nats_metrics(nats->status(), snapshot);
    });
  const perigee::tool::EndOrb end("perigee-events", orb);  // after the service: the ORB ends first
  const std::vector<std::string> references =
      add_channels(service, opened.store.get(), arguments, subscriptions);
  IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))
      ->the_POAManager()
      ->activate();
  const auto print = [&references] {
    for (const std::string& reference : references) std::cout << reference << '\n';
    std::cout << std::flush;
  };
  perigee::serve_until_signal(orb, print, [&service] { service.end(); });
}

int run(int argc, char* argv[]) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<std::string> given = perigee::tool::take_orb_options(words);
  CLI::App program(
      "An event service (CosEventChannelAdmin). It also takes the options of an ORB: -ORBHelp.");
  program.name("perigee-events");
  program.set_version_flag("--version", std::string("perigee-events ") + PERIGEE_VERSION);
  Arguments arguments;
  add_options(program, arguments);
  perigee::tool::add_client_options(program, arguments.clients, arguments.options);
  perigee::tool::add_store_options(program, arguments.store);
  std::ranges::reverse(words);  // CLI11 takes words from the end
  try {
    program.parse(words);
  } catch (const CLI::ParseError& error) {
    return perigee::tool::report(program, error);
  }
  check_channels(arguments.channels);
  arguments.options.call_time_max = std::chrono::milliseconds(arguments.call_time_ms);
  arguments.options.channels_max = arguments.channels.size();
  perigee::tool::apply(arguments.clients, arguments.options);
  const Subscriptions subscriptions =
      perigee::tool::check_store_options(program, arguments.store, arguments.channels);
  serve(arguments, orb_options(arguments, std::move(given)), subscriptions);
  return perigee::tool::exit_done;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    return run(argc, argv);
  } catch (const perigee::tool::UsageError& mistake) {
    std::cerr << mistake.what() << '\n';
    return perigee::tool::exit_usage;
  } catch (const std::exception& failure) {
    std::cerr << "perigee-events: " << failure.what() << '\n';
    return perigee::tool::exit_failed;
  }
}
