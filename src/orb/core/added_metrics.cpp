// Adds a source to the ORB's list, and removes it.
#include "orb/context/metrics_sources.h"
#include "orb/context/orb_metrics.h"
#include "orb/core/orb_core.h"
#include <perigee/orb/added_metrics.h>

#include <utility>

namespace perigee::orb {

AddedMetrics::AddedMetrics(const CORBA::object_reference<CORBA::ORB>& orb, AppendMetrics append)
    : sources_(orb->_core()->metrics().sources), append_(std::move(append)) {
  sources_->add(append_);
}

AddedMetrics::~AddedMetrics() { sources_->remove(append_); }

}  // namespace perigee::orb
