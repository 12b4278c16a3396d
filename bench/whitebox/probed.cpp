// The cubit experiment's server and client over a Perigee with time probes. They measure until
// their input ends. Then they print the cost of a stamp and their last calls, or for CALLS = 0 the
// points of all stamps.
//   whitebox_probed server STRATEGY ENDPOINT MESSAGES CALLS
//   whitebox_probed client IOR MESSAGES CALLS
#include "counts.h"
#include "cubit/perigee.h"
#include "steps.h"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace perigee::bench {
namespace {

using probe::Point;

// Only one call is made at a time, but different threads may handle it.
void print_calls(Point last, std::size_t calls) {
  const std::vector<Stamp> stamps = merged(probe::stamps());  // before the clock adds stamps
  if (calls == 0) {
    std::cout << points_text(stamps) << std::flush;
    return;
  }
  const StampClock clock = probe::measure_clock();
  std::cout << "stamp " << clock.stamp_ns << '\n'
            << to_text(last_calls(stamps, last, calls, clock)) << std::flush;
}

std::vector<std::string> options_for(const std::string& messages) {
  if (messages == "GIOPlite") return {"-ORBGiopLite", "yes"};
  return {};
}

int run_server(const std::vector<std::string>& words) {
  const std::size_t calls = std::stoul(words.at(4));
  std::thread([calls] {
    for (std::string line; std::getline(std::cin, line);) {
    }
    print_calls(Point::sent, calls);
    std::_Exit(0);  // an orderly exit is not needed
  }).detach();
  return run_perigee_server(words.at(1), words.at(2), options_for(words.at(3)));
}

int run_client(const std::vector<std::string>& words) {
  const int status = run_perigee_client(words.at(1), options_for(words.at(2)));
  if (status == 0) print_calls(Point::call_ended, std::stoul(words.at(3)));
  return status;
}

int run(const std::vector<std::string>& words) {
  if (words.front() == "server") return run_server(words);
  if (words.front() == "client") return run_client(words);
  return 1;
}

}  // namespace
}  // namespace perigee::bench

int main(int argc, char* argv[]) {
  try {
    return perigee::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::cerr << "whitebox_probed: " << failure.what() << '\n';
    return 1;
  }
}
