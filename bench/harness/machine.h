// Describes the machine and the run of a measurement.
#pragma once

#include <string>
#include <vector>

namespace perigee::bench {

/// CPU model, number of CPUs, kernel, compiler and build type.
std::string machine_description();

/// Version, time and command of a measurement, so that a reader can repeat it.
struct Measurement {
  std::string version;  ///< of Perigee
  std::string date;     ///< UTC: "2026-11-27 06:30 UTC"
  std::string command;  ///< the command line, quoted for a shell
};
/// This process, now.
Measurement this_run();
/// "Perigee 0.1.0, 2026-11-27 06:30 UTC: perigee bench cubit --quick".
std::string run_description();

/// The words as a command line for a shell. The first word loses its folder.
std::string command_line(const std::vector<std::string>& words);

}  // namespace perigee::bench
