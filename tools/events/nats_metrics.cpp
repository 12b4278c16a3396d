// Names and help texts of the numbers: docs/metrics.md lists them.
#include "nats_metrics.h"

#include <cstdint>

namespace perigee::tool {

void append_nats_metrics(const events::NatsStatus& status, orb::MetricsSnapshot& snapshot) {
  using Type = orb::MetricFamily::Type;
  const auto add = [&](const char* name, const char* help, Type type, std::uint64_t value) {
    snapshot.families.push_back({name, help, type, {{{}, value}}, {}});
  };
  add("perigee_events_nats_connected", "1 if there is a connection to a server of NATS.",
      Type::gauge, status.is_connected ? 1 : 0);
  add("perigee_events_nats_connections_total", "Connections to NATS that were made.", Type::counter,
      status.connections_made);
  add("perigee_events_nats_requests_waiting",
      "Requests of channels to NATS that wait for a result.", Type::gauge, status.requests_waiting);
  add("perigee_events_nats_events_sent_again_total",
      "Events that were sent again because no acknowledgement came.", Type::counter,
      status.events_sent_again);
  add("perigee_events_nats_consumers_total", "Consumers of streams that were made.", Type::counter,
      status.consumers_made);
  add("perigee_events_nats_messages_dropped_total",
      "Messages from NATS that were dropped because too many waited. The service asks for them "
      "again.",
      Type::counter, status.messages_dropped);
}

}  // namespace perigee::tool
