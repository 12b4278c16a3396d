// The options of ORBs on the command line of a tool.
#pragma once

#include <string>
#include <vector>

namespace perigee::tool {

/// Takes all "-ORB<name> <value>" out of the words, and -ORBHelp, and returns them. A last one
/// without a value is taken, too: ORB_init complains of it.
std::vector<std::string> take_orb_options(std::vector<std::string>& words);

}  // namespace perigee::tool
