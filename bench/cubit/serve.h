// How every server of the cubit experiment serves.
#pragma once

#include <perigee/corba.h>

#include <string>
#include <vector>

namespace perigee::bench {

struct Serving {
  std::string thread_strategy;  ///< as -ORBThreadStrategy
  std::string endpoint;
  std::vector<std::string> options;  ///< further ones of ORB_init
};

/// Prints the servant's reference, then serves until killed.
int serve(const Serving& serving, const CORBA::servant_reference<PortableServer::Servant>& servant);

}  // namespace perigee::bench
