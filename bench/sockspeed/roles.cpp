// The processes of parents and children, which the experiment starts and controls.
#include "sockspeed.h"
#include <perigee/ipc/fifo.h>

#include <iostream>
#include <sstream>
#include <stdexcept>

namespace perigee::bench {
namespace {

Version parse_version(const std::string& text) {
  if (text == "c") return Version::c;
  if (text == "wrapper") return Version::wrapper;
  throw std::runtime_error("'" + text + "' is not a version: write c or wrapper");
}

void print_line(const Outcome& outcome) {
  std::cout << outcome.transfers << ' ' << outcome.begin.count() << ' ' << outcome.end.count()
            << ' ' << outcome.cpu.count() << std::endl;
}

}  // namespace

std::unique_ptr<Parent> accept_child(Rendezvous& rendezvous, Medium medium) {
  if (medium == Medium::pipe) {  // a line reports that the child has opened the pipe
    std::string line;
    std::getline(std::cin, line);
  }
  return rendezvous.accept();
}

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

}  // namespace perigee::bench
