// Adds the options --store… and --subscription…, and checks that they fit together.
#include "store_options.h"

#include "nats_arguments.h"
#include "usage.h"

#include <algorithm>
#include <chrono>
#include <expected>
#include <map>
#include <stdexcept>
#include <utility>

namespace perigee::tool {

namespace {

using events::AtLimit;

constexpr const char* memory = "memory";
constexpr const char* nats = "nats";

const std::map<std::string, AtLimit> full_names = {{"remove-oldest", AtLimit::remove_oldest},
                                                   {"refuse", AtLimit::refuse}};

void add_limits(CLI::App& program, StoreArguments& arguments) {
  events::SqliteEventStoreOptions& options = arguments.sqlite;
  program.add_option("--store-events-max", options.events_max, "Events that a channel keeps")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
      ->capture_default_str();
  program
      .add_option("--store-octets-max", options.octets_max,
                  "Octets of the events that a channel keeps")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 50))
      ->capture_default_str();
  program
      .add_option("--store-age-max", arguments.age_max_s,
                  "Seconds that a channel keeps an event; 0: no limit")
      ->check(CLI::Range(0u, 4'000'000'000u))
      ->capture_default_str();
  program
      .add_option("--store-full", options.at_limit,
                  "What happens to a new event if the channel keeps as many as it may: "
                  "remove-oldest (the default: subscriptions may miss the oldest events) or refuse "
                  "(the supplier gets NO_RESOURCES)")
      ->transform(CLI::CheckedTransformer(full_names))
      ->type_name("POLICY");
  program
      .add_option("--subscriptions-max", options.subscriptions_max, "Subscriptions of a channel")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1'000'000}))
      ->capture_default_str();
}

/// Without this check, a service would silently keep events in memory, although the user gave an
/// option of durable channels.
void require_file(const CLI::App& program, const StoreArguments& arguments) {
  if (arguments.store != memory) return;
  for (const CLI::Option* option : program.get_options()) {
    const std::string name = option->get_name();
    const bool needs_file = name.starts_with("--store-") || name.starts_with("--subscription");
    if (needs_file && option->count() > 0)
      throw UsageError("perigee-events: " + name + " needs --store FILE or --store nats");
  }
}

events::NatsStoreOptions nats_options(const StoreArguments& arguments) {
  events::NatsStoreOptions options = arguments.nats;
  options.limits.events_max = arguments.sqlite.events_max;
  options.limits.octets_max = arguments.sqlite.octets_max;
  options.limits.age_max = std::chrono::seconds(arguments.age_max_s);
  options.limits.when_full = arguments.sqlite.at_limit == AtLimit::refuse
                                 ? events::WhenFull::refuse_new
                                 : events::WhenFull::remove_oldest;
  options.subscriptions_max = arguments.sqlite.subscriptions_max;
  return options;
}

template <typename Store>
std::unique_ptr<Store> value_of(std::expected<std::unique_ptr<Store>, events::StoreError> opened) {
  if (!opened) throw std::runtime_error(opened.error().text);
  return std::move(*opened);
}

}  // namespace

void add_store_options(CLI::App& program, StoreArguments& arguments) {
  program
      .add_option("--store", arguments.store,
                  "'memory', 'nats', or the file that keeps the events of all channels")
      ->capture_default_str();
  program
      .add_option("--subscription", arguments.subscriptions,
                  "A subscription of a channel, served under the key CHANNEL/NAME; may be repeated")
      ->type_name("CHANNEL/NAME")
      ->allow_extra_args(false);
  add_limits(program, arguments);
  add_nats_options(program, arguments.nats);
}

std::vector<NamedSubscription> check_store_options(const CLI::App& program,
                                                   const StoreArguments& arguments,
                                                   const std::vector<std::string>& channels) {
  require_file(program, arguments);
  check_nats_options(program, arguments.store);
  if (arguments.store.empty())
    throw UsageError("perigee-events: --store: the name of the file is empty");
  std::vector<NamedSubscription> subscriptions;
  for (const std::string& key : arguments.subscriptions) {
    const std::size_t slash = key.rfind('/');
    const std::string channel = key.substr(0, slash);
    if (slash == std::string::npos || std::ranges::find(channels, channel) == channels.end())
      throw UsageError("perigee-events: --subscription: '" + key +
                       "' does not begin with the key of a --channel and a slash");
    subscriptions.push_back({channel, key.substr(slash + 1)});
  }
  return subscriptions;
}

OpenStore open_store(const StoreArguments& arguments) {
  if (arguments.store == memory) return {};
  if (arguments.store == nats) {
    auto store = value_of(events::open_nats_store(nats_options(arguments)));
    const events::NatsStore* const opened = store.get();
    return {std::move(store), opened};
  }
  events::SqliteEventStoreOptions options = arguments.sqlite;
  options.age_max = std::chrono::seconds(arguments.age_max_s);
  return {value_of(events::open_sqlite_event_store(arguments.store, options)), nullptr};
}

}  // namespace perigee::tool
