// The numbers of a store in NATS, for the metrics page.
#pragma once

#include "services/events_nats/nats_options.h"
#include <perigee/orb/added_metrics.h>

namespace perigee::tool {

void append_nats_metrics(const events::NatsStatus& status, orb::MetricsSnapshot& snapshot);

}  // namespace perigee::tool
