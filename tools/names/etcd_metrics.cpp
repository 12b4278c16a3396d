// Gives each number of a store in etcd a name and a help text. docs/metrics.md lists them.
#include "etcd_metrics.h"

#include <algorithm>
#include <cstdint>

namespace perigee::tool {

void append_etcd_metrics(const naming::EtcdStatus& status, orb::MetricsSnapshot& snapshot) {
  using Type = orb::MetricFamily::Type;
  const auto add = [&](const char* name, const char* help, Type type, std::uint64_t value) {
    snapshot.families.push_back({name, help, type, {{{}, value}}, {}});
  };
  const auto staleness = std::max<std::int64_t>(status.staleness.count(), 0);
  add("perigee_names_etcd_staleness_milliseconds",
      "Greatest possible age of the copy of the names.", Type::gauge,
      static_cast<std::uint64_t>(staleness));
  add("perigee_names_etcd_revision", "Revision of the newest change of names.", Type::gauge,
      static_cast<std::uint64_t>(status.revision));
  add("perigee_names_etcd_bindings", "Bindings in the copy.", Type::gauge, status.bindings);
  add("perigee_names_etcd_copy_bytes", "Approximate memory of the copy.", Type::gauge, status.size);
  add("perigee_names_etcd_changes_waiting", "Changes that have no result yet.", Type::gauge,
      status.changes_waiting);
  add("perigee_names_etcd_reads_waiting", "Reads that wait for the newest changes.", Type::gauge,
      status.reads_waiting);
  add("perigee_names_etcd_failed_requests_total", "Requests that failed at a member.",
      Type::counter, status.failed_requests);
  add("perigee_names_etcd_watches_total", "Watches that were started.", Type::counter,
      status.watches_started);
  add("perigee_names_etcd_copies_total", "Copies of all names that were made.", Type::counter,
      status.copies_made);
}

}  // namespace perigee::tool
