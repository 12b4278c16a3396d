// The cubit experiment's server and client over a Perigee with time probes. They measure until
// their input ends, and print their last calls then.
//   whitebox_probed server ENDPOINT MESSAGES CALLS
//   whitebox_probed client IOR MESSAGES CALLS
#include "cubit/perigee.h"
#include "stamps.h"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace perigee::bench {
namespace {

using probe::Point;

// The last calls of the thread that made or served them.
void print_calls(Point last, std::size_t calls) {
  const std::vector<std::vector<Stamp>> all = all_stamps();  // before the next line adds stamps
  const StampClock clock = measure_stamp_clock();
  for (const std::vector<Stamp>& stamps : all)
    std::cout << to_text(last_calls(stamps, last, calls, clock));
  std::cout << std::flush;
}

std::vector<std::string> options_for(const std::string& messages) {
  if (messages == "GIOPlite") return {"-ORBGiopLite", "yes"};
  return {};
}

int run_server(const std::vector<std::string>& words, std::size_t calls) {
  std::thread([calls] {
    for (std::string line; std::getline(std::cin, line);) {
    }
    print_calls(Point::sent, calls);
    std::_Exit(0);  // an orderly exit is not needed
  }).detach();
  return run_perigee_server("thread-per-connection", words.at(1), options_for(words.at(2)));
}

int run_client(const std::vector<std::string>& words, std::size_t calls) {
  const int status = run_perigee_client(words.at(1), options_for(words.at(2)));
  if (status == 0) print_calls(Point::call_ended, calls);
  return status;
}

int run(const std::vector<std::string>& words) {
  const std::size_t calls = std::stoul(words.at(3));
  if (words.front() == "server") return run_server(words, calls);
  if (words.front() == "client") return run_client(words, calls);
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
