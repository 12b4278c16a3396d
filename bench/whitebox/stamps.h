// The stamps of the time probes in this process (perigee/base/probe.h). Only for the probed
// program: it defines `probe::stamp`.
#pragma once

#include "steps.h"

#include <vector>

namespace perigee::bench {

/// The last stamps of each thread. Call it only while nothing is measured.
std::vector<std::vector<Stamp>> all_stamps();

/// Measures the clock now; takes some milliseconds.
StampClock measure_stamp_clock();

}  // namespace perigee::bench
