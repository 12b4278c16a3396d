// The `-ORB…` options of ORB_init: a table of small handlers. Changes values only; what is made of
// them is decided in assembly.
#pragma once

#include "orb/settings.h"
#include <perigee/base/log.h>
#include <perigee/messaging/protocol.h>

#include <optional>
#include <string>
#include <vector>

namespace perigee::runtime {

/// All that options can say.
struct Configuration {
  orb::Settings settings;
  messaging::Limits limits;
  std::optional<log::Level> log_level;
  std::string pcap_file;  ///< empty: nothing is recorded
};

/// One line for each option, for people.
[[nodiscard]] std::string describe_options();

/// Applies the options among `arguments` and removes them, with their values; other arguments stay.
/// Raises CORBA::BAD_PARAM for an option that does not exist (and lists those that do), that lacks
/// its value, or whose value cannot be used. -ORBHelp writes the list and ends the process.
void take_options(std::vector<std::string>& arguments, Configuration& configuration);

}  // namespace perigee::runtime
