// The processes of the part of the events experiment that measures durable channels. Words that
// begin with -ORB are options of the ORB. Numbers of a measurement are one line: events per second,
// microseconds of CPU for each event, and the 99th percentile of the time in milliseconds.
// clang-format off: a table
//   durable_peers service sqlite <file>     prints the reference of a channel; ends with SIGTERM
//   durable_peers service nats <server>     the same
//   durable_peers supplier <channel>        reads lines "<events> <octets> <at once>", and answers
//                                           each with numbers; ends with its input
//   durable_peers rows <file> <events> <octets> <at once>       the floor: prints numbers
//   durable_peers messages <server> <events> <octets> <at once> the same
// clang-format on
#include "durable_floors.h"
#include "harness/run_peer.h"
#include "services/events_nats/nats_store.h"
#include <perigee/async.h>
#include <perigee/corba.h>
#include <perigee/services/events/service.h>
#include <perigee/services/events/sqlite_store.h>

#include <CosEventChannelAdminAsync.h>

#include <algorithm>
#include <chrono>
#include <expected>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using perigee::bench::DurableLoad;
using perigee::bench::DurablePass;
using Words = std::vector<std::string>;
using OrbRef = CORBA::object_reference<CORBA::ORB>;
using SupplierRef = IDL::traits<CosEventChannelAdmin::ProxyPushConsumer>::ref_type;
using StorePtr = std::unique_ptr<perigee::events::EventStore>;

void print(const DurablePass& pass) {
  std::cout << pass.rate << ' ' << pass.cpu_us << ' ' << pass.p99_ms << std::endl;
}

// --- Service ---

template <typename Store>
StorePtr value_of(std::expected<std::unique_ptr<Store>, perigee::events::StoreError> opened) {
  if (!opened) throw std::runtime_error(opened.error().text);
  return std::move(*opened);
}

StorePtr open_store(const std::string& kind, const std::string& place) {
  if (kind == "sqlite") return value_of(perigee::events::open_sqlite_event_store(place));
  perigee::events::NatsStoreOptions options;
  options.servers = {place};
  return value_of(perigee::events::open_nats_store(std::move(options)));
}

void serve(const OrbRef& orb, const Words& words) {
  const StorePtr store = open_store(words.at(1), words.at(2));
  perigee::events::EventService service(orb);
  const std::string channel = orb->object_to_string(service.add_durable_channel("bench", *store));
  IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))
      ->the_POAManager()
      ->activate();
  perigee::serve_until_signal(orb, [&] { std::cout << channel << std::endl; });
  orb->destroy();
}

// --- Supplier ---

CORBA::Any event_of(std::size_t size) {
  CORBA::Any event;
  event <<= std::string(size, 'x');
  return event;
}

/// Pushes one event after the other, until the shared number of events is pushed.
perigee::task<void> push_some(SupplierRef supplier, CORBA::Any event, std::size_t& left,
                              std::vector<double>& times_ms) {
  while (left > 0) {
    --left;
    const auto begin = std::chrono::steady_clock::now();
    co_await supplier->_async().push(event);
    times_ms.push_back(perigee::bench::ms_since(begin));
  }
}

perigee::task<void> push_all(SupplierRef supplier, DurableLoad load,
                             std::vector<double>& times_ms) {
  std::size_t left = load.events;
  perigee::scope pushes;
  for (std::size_t each = 0; each < load.at_once; ++each)
    pushes.start(push_some(supplier, event_of(load.octets), left, times_ms));
  co_await pushes.join();
}

DurablePass push(const OrbRef& orb, const SupplierRef& supplier, const DurableLoad& load) {
  std::vector<double> times_ms;
  times_ms.reserve(load.events);
  const perigee::bench::DurablePassTimer timer;
  perigee::run(perigee::reactor_of(orb), push_all(supplier, load, times_ms));
  return timer.pass(load.events, std::move(times_ms));
}

void supply(const OrbRef& orb, const Words& words) {
  const auto channel = IDL::traits<CosEventChannelAdmin::EventChannel>::unchecked_narrow(
      orb->string_to_object(words.at(1)));
  const SupplierRef supplier = channel->for_suppliers()->obtain_push_consumer();
  supplier->connect_push_supplier(nullptr);
  std::cout << "connected" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream input(line);
    DurableLoad load;
    if (!(input >> load.events >> load.octets >> load.at_once))
      throw std::runtime_error("a malformed command: " + line);
    print(push(orb, supplier, load));
  }
  orb->destroy();
}

// --- Floors ---

DurableLoad load_of(const Words& words) {
  return {std::stoul(words.at(2)), std::stoul(words.at(3)),
          std::max<std::size_t>(std::stoul(words.at(4)), 1)};
}

/// Makes the file of a channel without events.
void make_file(const std::string& file) {
  const auto opened = open_store("sqlite", file)->open_channel("bench", {});
  if (!opened) throw std::runtime_error(opened.error().text);
}

void run(const OrbRef& orb, const Words& words) {
  const std::string& role = words.at(0);
  if (role == "service") return serve(orb, words);
  if (role == "supplier") return supply(orb, words);
  if (role == "messages") return print(perigee::bench::publish_events(words.at(1), load_of(words)));
  if (role != "rows") throw std::runtime_error("unknown role " + role);
  make_file(words.at(1));
  print(perigee::bench::insert_events(words.at(1), load_of(words)));
}

}  // namespace

int main(int argc, char* argv[]) {
  return perigee::bench::run_peer("durable_peers", argc, argv, run);
}
