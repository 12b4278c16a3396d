// The `-ORB…` options of ORB_init and the configuration file. Changes values only; what is made of
// them is decided in assembly.
#pragma once

#include "runtime/configuration.h"

#include <string>
#include <vector>

namespace perigee::runtime {

/// One line for each option, for people.
[[nodiscard]] std::string describe_options();

/// Applies the options among `arguments` and removes them, with their values; other arguments stay.
/// Then applies what the configuration file says that the arguments do not: the file of
/// -ORBConfigFile, else that of the environment variable PERIGEE_CONFIG.
/// Raises CORBA::BAD_PARAM for an option that does not exist (and lists those that do), that lacks
/// its value, or whose value cannot be used; for the file, with line and column. -ORBHelp writes
/// the list and ends the process.
void take_options(std::vector<std::string>& arguments, Configuration& configuration);

}  // namespace perigee::runtime
