// Assigns probes to rows of the tables, and rows to layers.
#include "whitebox.h"

#include <algorithm>

namespace perigee::bench {

using probe::Point;

const char* to_string(Layer layer) {
  switch (layer) {
    case Layer::orb:
      return "ORB";
    case Layer::marshalling:
      return "marshalling";
    case Layer::messaging:
      return "messaging";
    case Layer::transport:
      return "transport";
    case Layer::io:
      return "I/O and system";
  }
  return "";
}

// The figures of the paper of 2001: TAO on a Pentium II of 400 MHz.
const std::vector<Activity>& client_activities() {
  static const std::vector<Activity> activities{
      {"Initialization", Layer::orb, {Point::initialised}, 6.30},
      {"Get object reference", Layer::orb, {Point::connection_found}, 15.6},
      {"Parameter marshal", Layer::marshalling, {Point::arguments_encoded}, 0.74},
      {"ORB messaging send",
       Layer::messaging,
       {Point::request_begun, Point::request_finished},
       7.78},
      {"ORB transport send", Layer::transport, {Point::send_begins}, 1.02},
      {"I/O send", Layer::io, {Point::sent}, 8.70},
      {"ORB transport recv", Layer::transport, {Point::receive_begins}, {}},
      {"I/O recv, with waiting", Layer::io, {Point::received}, 50.7},
      {"ORB messaging recv", Layer::messaging, {Point::reply_parsed}, 9.25},
      {"Parameter demarshal", Layer::marshalling, {Point::results_decoded}, {}},
      {"Return", Layer::orb, {Point::call_ended}, {}},
  };
  return activities;
}

const std::vector<Activity>& server_activities() {
  static const std::vector<Activity> activities{
      {"I/O recv, with waiting", Layer::io, {Point::received}, 7.0},
      {"ORB transport recv", Layer::transport, {Point::receive_begins}, 24.8},
      {"ORB messaging recv", Layer::messaging, {Point::request_parsed}, 4.5},
      {"Admission", Layer::orb, {Point::admitted}, {}},
      {"Parsing object key", Layer::orb, {Point::key_parsed}, 4.6},
      {"Servant demux", Layer::orb, {Point::servant_found}, 4.6},
      {"POA demux", Layer::orb, {Point::adapter_found}, 1.39},
      {"POA: gate, upcall's context", Layer::orb, {Point::upcall_prepared}, {}},
      {"Operation demux, demarshal", Layer::marshalling, {Point::upcall_begins}, 4.52},
      {"User upcall", Layer::orb, {Point::upcall_ended}, 3.84},
      {"Return value marshal", Layer::marshalling, {Point::results_encoded}, {}},
      {"ORB messaging send", Layer::messaging, {Point::reply_begun, Point::reply_finished}, 4.56},
      {"ORB transport send", Layer::transport, {Point::send_begins}, {}},
      {"I/O send", Layer::io, {Point::sent}, 93.6},
  };
  return activities;
}

Layer layer_on_server(const Activity& activity, const std::string& strategy) {
  const bool has_loop =
      strategy == "reactive" || strategy == "thread-pool" || strategy == "reactor-per-core";
  const bool waits = activity.points == std::vector{Point::receive_begins};
  return has_loop && waits ? Layer::io : activity.layer;
}

bool is_below_resolution(double ns, const WhiteboxResult& result) { return ns < result.stamp_ns; }

double time_of(const Activity& activity, const Steps& steps) {
  double time = 0;
  for (const Point point : activity.points)
    if (const auto step = steps.find(point); step != steps.end()) time += step->second;
  return time;
}

double time_of(Layer layer, const WhiteboxResult& result) {
  double time = 0;
  if (layer == Layer::io) {
    time = round_trip(result.steps.client);
    for (const Layer other : {Layer::orb, Layer::marshalling, Layer::messaging, Layer::transport})
      time -= time_of(other, result);
    return time;
  }
  for (const Activity& activity : client_activities())
    if (activity.layer == layer) time += time_of(activity, result.steps.client);
  for (const Activity& activity : server_activities())
    if (layer_on_server(activity, result.strategy) == layer)
      time += time_of(activity, result.steps.server);
  return std::max(time, 0.0);  // steps that are shorter than a probe may be below 0
}

}  // namespace perigee::bench
