// The `-ORB…` options of ORB_init and the configuration file. Only fills in a Configuration, from
// which the assembly makes the parts of the ORB.
#pragma once

#include "runtime/configuration.h"

#include <string>
#include <vector>

namespace perigee::runtime {

/// The list that -ORBHelp prints: for each option its value, meaning, default, and key in a file.
[[nodiscard]] std::string describe_options();

/// Applies the options among `arguments` and removes them, with their values; other arguments stay.
/// Then applies the values of the configuration file, except for options that the arguments set.
/// -ORBConfigFile names the file, or else the environment variable PERIGEE_CONFIG.
/// Raises CORBA::BAD_PARAM for an unknown option (and proposes the nearest one), for a missing
/// value, and for a value that cannot be used. For the file, the error has line and column.
/// -ORBHelp prints the list and ends the process.
void take_options(std::vector<std::string>& arguments, Configuration& configuration);

}  // namespace perigee::runtime
