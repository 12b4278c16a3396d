// What the time probes of this process have noted (perigee/base/probe.h). For the probed program
// only: it defines `probe::stamp`.
#pragma once

#include "steps.h"

#include <vector>

namespace perigee::bench {

/// The last stamps of each thread. To be called while nothing is being measured.
std::vector<std::vector<Stamp>> all_stamps();

/// Measured now; takes some milliseconds.
StampClock measure_stamp_clock();

}  // namespace perigee::bench
