// Starts a bridge that has no target, and prints why the bridge refuses.
#include <perigee/bridge/bridge.h>
#include <perigee/corba.h>
#include <perigee/orb/protocols.h>

#include <iostream>

int main(int argc, char* argv[]) {
  auto orb = CORBA::ORB_init(argc, argv);
  perigee::bridge::Options options;
  options.listen = {{"iiop", "127.0.0.1:0"}};
  const auto bridge = perigee::bridge::Bridge::start(perigee::protocols(*orb), options);
  std::cout << (bridge ? "started" : bridge.error().endpoint) << '\n';
  orb->destroy();
}
