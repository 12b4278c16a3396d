// The program tls_peers: one peer for each command line.
#include "peers.h"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

int run(const std::vector<std::string>& words) {
  using namespace perigee::bench;
  const std::string& role = words.at(0);
  if (role == "floor-server") return run_tls_floor_server(words.at(1), words.at(2));
  if (role == "floor-client")
    return run_tls_floor_client(words.at(1), words.at(2), words.at(3),
                                {words.at(4), std::stoul(words.at(5)), std::stoul(words.at(6))});
  if (role == "perigee-handshakes")
    return run_perigee_handshakes(words.at(1), words.at(2), words.at(3));
  return 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::cerr << "tls_peers: " << failure.what() << '\n';
    return 1;
  }
}
