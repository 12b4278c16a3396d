// A line that says on what a measurement was made.
#pragma once

#include <string>

namespace perigee::bench {

/// CPU model, number of CPUs, kernel, compiler and build type.
std::string machine_description();

}  // namespace perigee::bench
