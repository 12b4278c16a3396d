// The crowd: other clients of the server. The sizes of their requests change all the time, so the
// server allocates blocks of many sizes.
#include "connections/raw_giop.h"
#include "jitter.h"

#include <poll.h>
#include <unistd.h>

#include <iostream>
#include <random>

namespace perigee::bench {
namespace {

constexpr std::size_t request_count = 509;  // a prime, so each client sends all sizes in turn
constexpr std::size_t octets_max = 8192;

std::vector<std::string> make_requests(const RawTarget& target) {
  std::mt19937 random(2002);
  std::uniform_int_distribution<std::size_t> octets(1, octets_max);
  std::vector<std::string> requests;
  for (std::size_t index = 0; index < request_count; ++index)
    requests.push_back(make_raw_request(target, "echo_octets", octets(random)));
  return requests;
}

}  // namespace

int run_jitter_crowd(const std::string& reference, std::size_t connections) {
  const RawTarget target = parse_raw_target(reference);
  const std::vector<std::string> requests = make_requests(target);
  std::vector<int> fds;
  for (std::size_t index = 0; index < connections; ++index) fds.push_back(connect_raw(target.port));
  std::size_t next = 0;
  const auto call_all = [&] {
    for (const int fd : fds) send_raw(fd, requests[next++ % request_count]);
    for (const int fd : fds) receive_raw_reply(fd);
  };
  call_all();
  std::cout << "ready" << std::endl;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (poll(&input, 1, 1) == 0) call_all();
  for (const int fd : fds) close(fd);
  return 0;
}

}  // namespace perigee::bench
