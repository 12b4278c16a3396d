// Describes the machine of a measurement in one line.
#pragma once

#include <string>

namespace perigee::bench {

/// CPU model, number of CPUs, kernel, compiler and build type.
std::string machine_description();

}  // namespace perigee::bench
