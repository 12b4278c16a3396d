// Serves one Outside::Counter and prints its reference. Shuts down in order on SIGINT and SIGTERM.
#include "counterS.h"
#include <perigee/base/probe.h>
#include <perigee/corba.h>

#include <iostream>
#include <numeric>

class Counter final : public CORBA::servant_traits<Outside::Counter>::base_type {
 public:
  int32_t sum(const Outside::Numbers& numbers, int32_t& count) override {
    // Only libraries that are built with probes note the time.
    perigee::probe::stamp(perigee::probe::application_point(0));
    if (numbers.empty()) throw Outside::Empty("nothing to add");
    count = static_cast<int32_t>(numbers.size());
    return std::accumulate(numbers.begin(), numbers.end(), 0);
  }
};

int main(int argc, char* argv[]) {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto counter = CORBA::make_reference<Counter>();
  const std::string reference = orb->object_to_string(counter->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
}
