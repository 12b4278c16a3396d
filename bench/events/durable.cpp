// Runs the processes that measure durable channels.
#include "durable.h"

#include "harness/process.h"
#include "harness/temporary_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace perigee::bench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Store = DurablePoint::Store;

constexpr std::size_t text_octets = 64;
/// A channel keeps the value in CDR: the type code of a string, the length, and a zero octet.
constexpr std::size_t stored_octets = text_octets + 17;
constexpr std::size_t several = 64;  // pushes at once

/// Service and supplier have a CPU each, if there are two.
int cpu(std::size_t index) {
  const std::vector<int> cpus = usable_cpus();
  return cpus.size() < 2 ? -1 : cpus[index % cpus.size()];
}

/// A server of NATS with JetStream, at a free port.
class NatsServer {
 public:
  NatsServer(const std::string& program, const fs::path& folder)
      : process_({{program, "--addr", "127.0.0.1", "--port", "-1", "--jetstream", "--store_dir",
                   (folder / "nats").string(), "--ports_file_dir", folder.string(), "--log",
                   (folder / "nats.log").string()},
                  -1}),
        ports_file_(folder / fmt::format("nats-server_{}.ports", process_.pid())) {}
  ~NatsServer() {
    process_.terminate();
    process_.wait();
  }
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  /// Waits until the server listens.
  [[nodiscard]] std::string address() const {
    constexpr std::chrono::milliseconds pause(10);
    constexpr std::chrono::seconds time_max(20);
    const auto end = std::chrono::steady_clock::now() + time_max;
    while (std::chrono::steady_clock::now() < end) {
      std::ifstream file(ports_file_);
      const auto ports = nlohmann::json::parse(file, nullptr, false);
      if (ports.is_object() && ports.contains("nats") && !ports["nats"].empty())
        return ports["nats"][0].get<std::string>();
      std::this_thread::sleep_for(pause);
    }
    throw std::runtime_error("nats-server does not start");
  }

 private:
  Process process_;
  const fs::path ports_file_;
};

Words words_of(const DurableOptions& options, Words words) {
  words.insert(words.begin(), options.peers_program);
  const Words orb{"-ORBListenEndpoints", "iiop://127.0.0.1:0",
                  "-ORBLocalTransports", "none",
                  "-ORBThreadStrategy",  "reactive"};
  words.insert(words.end(), orb.begin(), orb.end());
  return words;
}

DurablePass pass_of(const std::string& line) {
  std::istringstream input(line);
  DurablePass pass;
  if (!(input >> pass.rate >> pass.cpu_us >> pass.p99_ms))
    throw std::runtime_error("durable_peers failed");
  return pass;
}

/// Measures pushes to the channel of a new service.
DurablePass measure_channel(const DurableOptions& options, const Words& store,
                            const DurablePoint& point) {
  Process service({words_of(options, {"service", store[0], store[1]}), cpu(0)});
  Process supplier({words_of(options, {"supplier", service.read_line()}), cpu(1)});
  if (supplier.read_line() != "connected")
    throw std::runtime_error("durable_peers: the supplier cannot connect");
  const auto push = [&](std::size_t events) {
    supplier.write_line(fmt::format("{} {} {}", events, text_octets, point.at_once));
    return pass_of(supplier.read_line());
  };
  (void)push(point.events / 10 + 1);
  const auto before = service.cpu_time();
  DurablePass pass = push(point.events);
  const std::chrono::duration<double, std::micro> used = service.cpu_time() - before;
  pass.cpu_us = used.count() / static_cast<double>(point.events);
  supplier.close_input();
  supplier.wait();
  service.terminate();
  service.wait();
  return pass;
}

DurablePass measure_floor(const DurableOptions& options, const Words& floor,
                          const DurablePoint& point) {
  Process process(
      {words_of(options, {floor[0], floor[1], std::to_string(point.events),
                          std::to_string(stored_octets), std::to_string(point.at_once)}),
       cpu(0)});
  const DurablePass pass = pass_of(process.read_line());
  process.wait();
  return pass;
}

DurableSample measure_point(const DurableOptions& options, const DurablePoint& point,
                            std::size_t round) {
  const TemporaryFolder folder;
  std::optional<NatsServer> nats;
  Words store{"sqlite", (folder.path() / "events.db").string()};
  Words floor{"rows", (folder.path() / "rows.db").string()};
  if (point.store == Store::nats) {
    nats.emplace(options.nats_server, folder.path());
    store = {"nats", nats->address()};
    floor = {"messages", nats->address()};
  }
  DurableSample sample;
  if (round % 2 == 0) sample.channel = measure_channel(options, store, point);
  sample.floor = measure_floor(options, floor, point);
  if (round % 2 != 0) sample.channel = measure_channel(options, store, point);
  return sample;
}

}  // namespace

std::vector<DurablePoint> durable_points(const DurableOptions& options) {
  std::vector<DurablePoint> points;
  if (options.events == 0) return points;
  // A push alone waits for the disk, or for the server.
  const std::size_t alone = std::max<std::size_t>(options.events / 10, 1);
  for (const Store store : {Store::sqlite, Store::nats}) {
    if (store == Store::nats && options.nats_server.empty()) continue;
    points.push_back({.store = store, .at_once = 1, .events = alone});
    points.push_back({.store = store, .at_once = several, .events = options.events});
  }
  return points;
}

void measure_durable(const DurableOptions& options, std::size_t round,
                     std::vector<DurablePoint>& points) {
  for (DurablePoint& point : points) point.samples.push_back(measure_point(options, point, round));
}

}  // namespace perigee::bench
