// Metrics of a service, which are shown together with the metrics of its ORB.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/metrics.h>
#include <perigee/orb/object.h>
#include <perigee/orb/orb.h>

#include <functional>
#include <memory>

namespace perigee::orb {

class MetricsSources;

/// Appends families of metrics to a snapshot. Called on any thread, but on one thread at a time.
/// Must not throw, must not call `_metrics()` of the same ORB, and must not destroy its own
/// AddedMetrics.
using AppendMetrics = std::function<void(MetricsSnapshot&)>;

/// While it exists, each snapshot of the ORB's metrics has the families of `append`, too: the
/// metrics page shows them. The destructor waits for calls of `append` in progress, so its caller
/// must not hold a lock that `append` takes. May outlive the ORB. Any thread.
class PERIGEE_API AddedMetrics {
 public:
  AddedMetrics(const CORBA::object_reference<CORBA::ORB>& orb, AppendMetrics append);
  ~AddedMetrics();
  AddedMetrics(const AddedMetrics&) = delete;
  AddedMetrics& operator=(const AddedMetrics&) = delete;

 private:
  // Shared with the ORB, because either may end first.
  std::shared_ptr<MetricsSources> sources_;
  AppendMetrics append_;
};

}  // namespace perigee::orb
