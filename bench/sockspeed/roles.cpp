// Parents and children as processes: commanded by the experiment, or started by hand.
#include "sockspeed.h"
#include <perigee/ipc/fifo.h>

#include <fmt/format.h>

#include <iostream>
#include <sstream>
#include <stdexcept>

namespace perigee::bench {
namespace {

Version parse_version(const std::string& text) {
  if (text == "c") return Version::c;
  if (text == "wrapper") return Version::wrapper;
  throw std::runtime_error("'" + text + "' is no version");
}

void print_line(const Outcome& outcome) {
  std::cout << outcome.transfers << ' ' << outcome.begin.count() << ' ' << outcome.end.count()
            << ' ' << outcome.cpu.count() << std::endl;
}

void print_for_people(const Run& run, const Outcome& outcome) {
  const double seconds = std::chrono::duration<double>(outcome.end - outcome.begin).count();
  const auto transfers = static_cast<double>(outcome.transfers);
  const double cpu_us = std::chrono::duration<double, std::micro>(outcome.cpu).count();
  std::cout << fmt::format(
                   "{:>9} octets, {:<9} {:>10} transfers {:>10.1f} MiB/s {:>10.3f} us CPU a "
                   "transfer\n",
                   run.size, to_text(run.memory), outcome.transfers,
                   transfers * static_cast<double>(run.size) / seconds / 1024 / 1024,
                   cpu_us / transfers)
            << std::flush;
}

std::unique_ptr<Parent> accept_child(Rendezvous& rendezvous, Medium medium) {
  if (medium == Medium::pipe) {  // a line reports that the child has opened the pipe
    std::string line;
    std::getline(std::cin, line);
  }
  return rendezvous.accept();
}

}  // namespace

std::string to_text(Memory memory) { return memory == Memory::touched ? "touched" : "untouched"; }

int run_sockspeed_parent(const std::string& channel_text, const std::string& version) {
  ipc::ignore_sigpipe();
  const Channel channel = parse_channel(channel_text);
  const auto rendezvous = open_rendezvous(channel, parse_version(version), "");
  std::cout << rendezvous->address() << std::endl;
  const auto parent = accept_child(*rendezvous, channel.medium);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    Run run;
    std::int64_t us = 0;
    bool touched = false;
    if (!(words >> run.size >> us >> touched))
      throw std::runtime_error("expected \"<octets> <microseconds> <touched>\", found: " + line);
    run.time = std::chrono::microseconds(us);
    run.memory = touched ? Memory::touched : Memory::untouched;
    print_line(parent->send(run));
  }
  return 0;
}

int run_sockspeed_child(const std::string& channel, const std::string& version,
                        const std::string& address) {
  const auto child = join(parse_channel(channel), parse_version(version), address);
  std::cout << "joined" << std::endl;
  while (const auto received = child->receive()) print_line(received->outcome);
  return 0;
}

void run_parent_by_hand(const SockspeedByHand& options) {
  ipc::ignore_sigpipe();
  const auto rendezvous = open_rendezvous(options.channel, options.version, options.address);
  std::cout << "waiting for: perigee bench sockspeed --child " << to_text(options.channel)
            << " --at " << rendezvous->address() << std::endl;
  if (options.channel.medium == Medium::pipe)
    std::cout << "press Enter when the child has started" << std::endl;
  const auto parent = accept_child(*rendezvous, options.channel.medium);
  for (const std::size_t size : options.sizes) {
    const Run run{size, options.memory, options.time};
    print_for_people(run, parent->send(run));
  }
}

void run_child_by_hand(const SockspeedByHand& options) {
  const auto child = join(options.channel, options.version, options.address);
  while (const auto received = child->receive()) print_for_people(received->run, received->outcome);
  std::cout << "nothing was lost or changed\n";
}

}  // namespace perigee::bench
