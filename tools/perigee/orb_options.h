// The options of ORBs on the command line of a tool.
#pragma once

#include <string>
#include <vector>

namespace perigee::tool {

/// Removes all "-ORB<name> <value>" and -ORBHelp from the words, and returns them. A last option
/// without a value is also removed; ORB_init reports it.
std::vector<std::string> take_orb_options(std::vector<std::string>& words);

}  // namespace perigee::tool
