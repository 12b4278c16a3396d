// Starts an ORB with one servant: the common part of all servers of the cubit experiment.
#include "serve.h"

#include <iostream>

namespace perigee::bench {

int serve(const Serving& serving,
          const CORBA::servant_reference<PortableServer::Servant>& servant) {
  std::vector<std::string> arguments{"cubit",
                                     "-ORBListenEndpoints",
                                     serving.endpoint,
                                     "-ORBThreadStrategy",
                                     serving.thread_strategy,
                                     "-ORBLocalTransports",
                                     "none"};
  arguments.insert(arguments.end(), serving.options.begin(), serving.options.end());
  auto orb = CORBA::ORB_init(arguments);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto object = poa->id_to_reference(poa->activate_object(servant));
  poa->the_POAManager()->activate();
  std::cout << orb->object_to_string(object) << std::endl;
  orb->run();
  return 0;
}

}  // namespace perigee::bench
