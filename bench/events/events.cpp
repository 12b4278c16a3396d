// Runs the processes of the events experiment.
#include "events.h"

#include "harness/process.h"
#include "harness/progress.h"
#include "harness/usage.h"

#include <fmt/format.h>
#include <signal.h>  // NOLINT: <csignal> has no kill()

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace perigee::bench {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t stopped_size = 1'024;  // octets of an event with a stopped consumer
/// The limits of queues, in events. The first pass with a stopped consumer fills `stopped_queue`.
constexpr std::size_t stopped_queue = 10;
constexpr std::size_t usual_queue = 1'000;
constexpr std::size_t large_size = 16'384;  // octets of an event when memory is measured
constexpr std::size_t unlimited = 1 << 30;  // more than is pushed

/// Service and clients have a CPU each, if there are two.
int cpu(std::size_t index) {
  const std::vector<int> cpus = usable_cpus();
  return cpus.size() < 2 ? -1 : cpus[index % cpus.size()];
}

Words words_of(const EventsOptions& options, const Words& words) {
  Words all{options.peers_program};
  all.insert(all.end(), words.begin(), words.end());
  const Words common{
      "-ORBListenEndpoints", "iiop://127.0.0.1:0", "-ORBLocalTransports", "none",
      "-ORBThreadStrategy", "reactive",
      // All calls use one connection, even several calls to each of 19,000 consumers.
      "-ORBRequestsInFlightMax", "500000", "-ORBSendQueueSizeMax", "268435456"};
  all.insert(all.end(), common.begin(), common.end());
  return all;
}

/// A process with a channel, and with a fan, which is the floor.
class Service {
 public:
  Service(const EventsOptions& options, const Words& words)
      : process_({words_of(options, words), cpu(0)}),
        channel_(process_.read_line()),
        fan_(process_.read_line()) {}
  ~Service() {
    process_.terminate();
    process_.wait();
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  [[nodiscard]] const std::string& channel() const { return channel_; }
  [[nodiscard]] const std::string& fan() const { return fan_; }
  [[nodiscard]] double own_octets() const { return usage_of(process_.pid()).own_octets; }

 private:
  Process process_;
  std::string channel_;
  std::string fan_;
};

/// A process with consumers and a supplier.
class Clients {
 public:
  Clients(const EventsOptions& options, const Service& service, std::size_t consumers)
      : process_({words_of(options, {"clients", service.channel(), service.fan(),
                                     std::to_string(consumers)}),
                  cpu(1)}) {
    if (process_.read_line() != "connected") throw std::runtime_error("events_peers: no consumers");
  }
  ~Clients() {
    process_.close_input();
    process_.wait();
  }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  /// The result of one command.
  double number_of(const char* kind, std::size_t events, std::size_t size) {
    process_.write_line(fmt::format("{} {} {}", kind, events, size));
    return std::stod(process_.read_line());
  }

 private:
  Process process_;
};

/// A process with one consumer, which can be stopped.
class OneConsumer {
 public:
  OneConsumer(const EventsOptions& options, const Service& service)
      : process_({words_of(options, {"consumer", service.channel()}), -1}) {
    if (process_.read_line() != "connected") throw std::runtime_error("events_peers: no consumer");
  }
  ~OneConsumer() {
    go_on();
    process_.close_input();
    process_.wait();
  }
  OneConsumer(const OneConsumer&) = delete;
  OneConsumer& operator=(const OneConsumer&) = delete;

  void stop() const { ::kill(process_.pid(), SIGSTOP); }
  void go_on() const { ::kill(process_.pid(), SIGCONT); }

 private:
  Process process_;
};

std::size_t events_of(const EventsOptions& options, const EventsPoint& point) {
  const std::size_t by_volume = options.volume / point.size;
  const std::size_t deliveries = std::min(options.deliveries, by_volume);
  return std::max<std::size_t>(deliveries / point.consumers, 2);
}

EventsSample measure_round(const EventsOptions& options, const EventsPoint& point,
                           std::size_t round) {
  const Service service(options, {"service"});
  Clients clients(options, service, point.consumers);
  const Service other_service(
      options, {"service", std::to_string(usual_queue), std::to_string(several_at_once)});
  Clients other_clients(options, other_service, point.consumers);
  struct Kind {
    Clients& clients;
    const char* command;
    double EventsSample::* result;
  };
  const std::array<Kind, 5> kinds{{{clients, "events", &EventsSample::events},
                                   {clients, "oneways", &EventsSample::oneways},
                                   {other_clients, "events", &EventsSample::several},
                                   {clients, "calls", &EventsSample::calls},
                                   {clients, "oneways", &EventsSample::null}}};
  const std::size_t events = events_of(options, point);
  for (const Kind& kind : kinds)
    (void)kind.clients.number_of(kind.command, std::max<std::size_t>(events / 10, 2), point.size);
  EventsSample sample;
  for (std::size_t index = 0; index < kinds.size(); ++index) {
    const Kind& kind = kinds[(index + round) % kinds.size()];
    sample.*kind.result = kind.clients.number_of(kind.command, events, point.size);
  }
  return sample;
}

/// The memory in MiB by which a service grows while one of its two consumers is stopped.
double growth_with_stopped(const EventsOptions& options, std::size_t queue_octets) {
  constexpr std::size_t events = pushed_octets / large_size;
  const Service service(options,
                        {"service", std::to_string(unlimited), "1", std::to_string(queue_octets)});
  Clients clients(options, service, 1);
  const OneConsumer other(options, service);
  (void)clients.number_of("events", events / 8, large_size);  // allocates what usual work needs
  const double before = service.own_octets();
  other.stop();
  (void)clients.number_of("events", events, large_size);
  return (service.own_octets() - before) / (1 << 20);
}

StoppedSample measure_stopped(const EventsOptions& options) {
  const Service service(options, {"service", std::to_string(stopped_queue)});
  Clients clients(options, service, options.stopped_consumers - 1);
  const OneConsumer other(options, service);
  const auto pass = [&] {
    return clients.number_of("latencies", options.stopped_events, stopped_size);
  };
  StoppedSample sample;
  (void)pass();
  sample.running_p99_ms = pass();
  other.stop();
  (void)pass();  // fills the queue
  sample.stopped_p99_ms = pass();
  sample.growth_mib = growth_with_stopped(options, limited_octets);
  sample.control_mib = growth_with_stopped(options, unlimited);
  return sample;
}

std::vector<EventsPoint> points_of(const EventsOptions& options) {
  std::vector<EventsPoint> points;
  for (const std::size_t size : options.sizes) points.push_back({main_consumers, size, {}});
  for (const std::size_t consumers : options.consumers)
    if (consumers != main_consumers ||
        std::ranges::find(options.sizes, main_size) == options.sizes.end())
      points.push_back({consumers, main_size, {}});
  return points;
}

}  // namespace

EventsReport run_events(const EventsOptions& options) {
  EventsReport report{options, points_of(options), {}, durable_points(options.durable)};
  Progress progress("events", options.rounds * (report.points.size() + 2));
  for (std::size_t round = 0; round < options.rounds; ++round) {
    for (EventsPoint& point : report.points) {
      progress.step(fmt::format("{} consumers, {} octets", point.consumers, point.size));
      point.samples.push_back(measure_round(options, point, round));
    }
    progress.step("one consumer is stopped");
    if (options.stopped_consumers > 1) report.stopped.push_back(measure_stopped(options));
    progress.step("durable channels");
    measure_durable(options.durable, round, report.durable);
  }
  return report;
}

}  // namespace perigee::bench
