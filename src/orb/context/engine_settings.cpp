// Converts the settings of an ORB to the settings of its engine.
#include "orb/context/engine_settings.h"

#include "event/cpus.h"

#include <algorithm>

namespace perigee::orb {

engine::EngineSettings engine_settings_of(const Settings& settings) {
  engine::EngineSettings made;
  made.busy_poll = settings.busy_poll;
  made.poller = settings.poller;
  made.accept_shards = settings.accept_shards;
  made.read_buffer_size = settings.server_read_buffer_size;
  made.write_queue_size_max = settings.write_queue_size_max;
  made.server_connections_max = settings.server_connections_max;
  made.idle_timeout = settings.idle_timeout;
  made.client_idle_timeout = settings.client_idle_timeout;
  made.send_timeout = settings.send_timeout;
  made.open_timeout = settings.open_timeout;
  made.first_reply_timeout = settings.first_reply_timeout;
  made.output_pace = {settings.pace_octets_per_second,
                      std::max(settings.pace_grace, settings.send_timeout)};
  made.nested_upcall_depth_max = settings.nested_upcall_depth_max;
  made.cpus = event::usable_cpus();
  made.request_order = settings.request_order;
  made.requests_per_connection_max = settings.requests_per_connection_max;
  made.requests_in_flight_max = settings.requests_in_flight_max;
  made.parked_requests_max = settings.held_requests_max;
  made.messages_per_turn_max = settings.messages_per_turn_max;
  made.octets_per_turn_max = settings.octets_per_turn_max;
  made.accept_retry_delay = settings.accept_retry_delay;
  made.drain_idle_timeout = settings.drain_idle_timeout;
  made.drain_timeout = settings.drain_timeout;
  return made;
}

}  // namespace perigee::orb
