// Makes links with the programs of Linux, and runs the experiment over them.
#include "links.h"

#include "harness/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace perigee::bench {
namespace {

using Words = std::vector<std::string>;

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

bool is_root() { return geteuid() == 0; }

// A shell whose errors go to its output, so that this program can report them.
Words shell(const std::string& script) { return {"/bin/sh", "-c", "exec 2>&1; " + script}; }

// Starts a process that does nothing, and so keeps a namespace alive. It ends when its input is
// closed.
Process hold(const Words& command) {
  Process holder({command, -1});
  const std::string line = holder.read_line();
  if (line != "ready") throw std::runtime_error("no network namespaces: " + line);
  return holder;
}

constexpr const char* wait_for_end = "echo ready; exec cat";

Words enter(pid_t pid) {
  Words words{find_program("nsenter"), "--target", std::to_string(pid), "--net"};
  return is_root() ? words : words + Words{"--user", "--preserve-credentials"};
}

// Without the rights of root, a user namespace owns both network namespaces.
Process hold_near() {
  const std::string user = is_root() ? "" : "--user --map-root-user ";
  return hold(shell("exec unshare " + user + "--net /bin/sh -c '" + wait_for_end + '\''));
}
Process hold_far(pid_t near) {
  const std::string script = std::string("exec unshare --net /bin/sh -c '") + wait_for_end + '\'';
  return hold(enter(near) + shell(script));
}

void run(const Words& command, const std::string& what) {
  Process process({command, -1});
  std::string output = process.read_rest();
  const int status = process.wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  output.erase(output.find_last_not_of('\n') + 1);
  throw std::runtime_error(what + ": " + (output.empty() ? "failed" : output));
}

std::string shaping(const std::string& device, std::size_t mbit_per_s) {
  if (mbit_per_s == 0) return {};
  return " && tc qdisc add dev " + device + " root tbf rate " + std::to_string(mbit_per_s) +
         "mbit burst " + std::to_string(burst_of(mbit_per_s)) + " latency 50ms";
}

}  // namespace

struct Link::Namespaces {
  Process near_end = hold_near();
  Process far_end = hold_far(near_end.pid());
};

Link::Link(std::size_t mbit_per_s) {
  for (const char* program : {"unshare", "nsenter", "ip", "tc"}) (void)find_program(program);
  namespaces_ = std::make_unique<Namespaces>();
  const std::string far_pid = std::to_string(namespaces_->far_end.pid());
  run(near_prefix() + shell("ip link set lo up && ip link add near type veth peer name far netns " +
                            far_pid + " && ip address add 192.0.2.1/24 dev near" +
                            " && ip link set near up" + shaping("near", mbit_per_s)),
      "the near end of the link");
  run(far_prefix() + shell("ip link set lo up && ip address add " + far_address() +
                           "/24 dev far && ip link set far up" + shaping("far", mbit_per_s)),
      "the far end of the link");
}

Link::~Link() = default;

std::vector<std::string> Link::near_prefix() const { return enter(namespaces_->near_end.pid()); }
std::vector<std::string> Link::far_prefix() const { return enter(namespaces_->far_end.pid()); }

std::size_t burst_of(std::size_t mbit_per_s) {
  constexpr std::size_t burst_min = 32 * 1024;
  constexpr std::size_t bursts_a_second = 250;
  return std::max(burst_min, mbit_per_s * 1'000'000 / 8 / bursts_a_second);
}

std::size_t link_volume(std::size_t volume, std::size_t mbit_per_s) {
  constexpr std::size_t bursts_min = 20;  // so a burst changes the throughput by 5 % at most
  if (mbit_per_s == 0) return volume;
  return std::max(std::min(volume, mbit_per_s * 1'000'000 / 8), bursts_min * burst_of(mbit_per_s));
}

std::vector<std::string> link_ttcp_versions() {
  return {"C TCP", "sock", "ORB octets borrowed", "ORB octets", "ORB string", "omniORB octets"};
}

namespace {

TtcpOptions options_for(TtcpOptions options, std::size_t mbit_per_s) {
  options.volume = link_volume(options.volume, mbit_per_s);
  return options;
}

std::vector<TtcpVersion> versions_over(const Link& link, const TtcpOptions& options) {
  std::vector<TtcpVersion> versions = chosen_versions(options);
  std::erase_if(versions, [](const TtcpVersion& each) { return each.group == TtcpGroup::local; });
  for (TtcpVersion& version : versions) {
    version.receiver = link.far_prefix() + version.receiver;
    version.transmitter = link.near_prefix() + version.transmitter;
  }
  return versions;
}

void measure(TtcpLink& result, const TtcpOptions& options) {
  const Link link(result.mbit_per_s);
  const int cpu = usable_cpus().back();
  result.report.versions = versions_over(link, options);
  run_ttcp(result.report, [cpu](const TtcpVersion& version, std::size_t queue_size) {
    return start_receiver(version, {Link::far_address(), queue_size, cpu});
  });
}

}  // namespace

TtcpLinksReport run_ttcp_links(const TtcpOptions& options,
                               const std::vector<std::size_t>& mbit_per_s) {
  (void)chosen_versions(options);  // an unknown version is an error of the user
  TtcpLinksReport report{options, {}};
  for (const std::size_t rate : mbit_per_s) {
    TtcpLink link{rate, {options_for(options, rate), {}, {}, {}}, {}};
    try {
      measure(link, link.report.options);
    } catch (const std::exception& failure) {
      link.not_run = failure.what();
      link.report.tables.clear();
      std::cerr << "perigee bench ttcp: link of " << rate << " Mbit/s not run: " << link.not_run
                << '\n';
    }
    report.links.push_back(std::move(link));
  }
  return report;
}

}  // namespace perigee::bench
