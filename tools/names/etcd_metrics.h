// The numbers of a store in etcd, for the metrics page.
#pragma once

#include "services/naming_etcd/etcd_options.h"
#include <perigee/orb/added_metrics.h>

namespace perigee::tool {

void append_etcd_metrics(const naming::EtcdStatus& status, orb::MetricsSnapshot& snapshot);

}  // namespace perigee::tool
