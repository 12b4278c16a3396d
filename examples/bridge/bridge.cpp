// Starts a bridge to the object whose reference is the first argument. The bridge listens at a port
// of TCP, and refuses all operations whose names begin with `_set_`. Prints the bridge's reference
// to the object.
#include <perigee/bridge/bridge.h>
#include <perigee/corba.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/protocols.h>

#include <exception>
#include <iostream>
#include <utility>

int main(int argc, char* argv[]) try {
  const auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: bridge <reference>\n";
    return 2;
  }
  const auto target = perigee::iop::parse_ior_string(argv[1]);
  if (!target) {
    std::cerr << "bridge: " << target.error().text << '\n';
    return 1;
  }
  perigee::bridge::Options options;
  options.listen = {{"iiop", "127.0.0.1:0"}};
  options.references = {*target};
  options.rules.operations_denied = {"_set_*"};
  const auto bridge = perigee::bridge::Bridge::start(perigee::protocols(*orb), std::move(options));
  if (!bridge) {
    std::cerr << "bridge: " << to_string(bridge.error()) << '\n';
    return 1;
  }
  const auto served = (*bridge)->serve_until_signal(
      [&] { std::cout << to_ior_string((*bridge)->references().front()) << std::endl; });
  if (!served) {
    std::cerr << "bridge: " << to_string(served.error()) << '\n';
    return 1;
  }
} catch (const std::exception& error) {
  std::cerr << "bridge: " << error.what() << '\n';
  return 1;
}
