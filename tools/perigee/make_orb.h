// Makes the ORB of a command.
#pragma once

#include <perigee/corba.h>

#include <string>
#include <vector>

namespace perigee::tool {

/// An ORB whose identifier is `command`, with the options for the ORB from the command line. Throws
/// UsageError if ORB_init refuses an option or the configuration file.
CORBA::object_reference<CORBA::ORB> make_orb(const std::string& command,
                                             std::vector<std::string> options);

}  // namespace perigee::tool
