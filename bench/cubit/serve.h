// The common part of all servers of the cubit experiment over Perigee.
#pragma once

#include <perigee/corba.h>

#include <string>
#include <vector>

namespace perigee::bench {

struct Serving {
  std::string thread_strategy;  ///< value of -ORBThreadStrategy
  std::string endpoint;
  std::vector<std::string> options;  ///< further options of ORB_init
};

/// Prints the servant's reference, then serves until it is killed.
int serve(const Serving& serving, const CORBA::servant_reference<PortableServer::Servant>& servant);

}  // namespace perigee::bench
