// Making a snapshot of the counters.
#include "orb/context/orb_metrics.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

namespace perigee::orb {

using engine::TrafficTotals;

namespace {

constexpr std::pair<RequestOutcome, std::string_view> request_outcomes[] = {
    {RequestOutcome::no_exception, "no_exception"},
    {RequestOutcome::user_exception, "user_exception"},
    {RequestOutcome::system_exception, "system_exception"},
    {RequestOutcome::forwarded, "forwarded"},
    {RequestOutcome::oneway, "oneway"},
    {RequestOutcome::cancelled, "cancelled"},
    {RequestOutcome::refused, "refused"},
};

constexpr std::pair<CallOutcome, std::string_view> call_outcomes[] = {
    {CallOutcome::no_exception, "no_exception"},
    {CallOutcome::user_exception, "user_exception"},
    {CallOutcome::system_exception, "system_exception"},
    {CallOutcome::oneway, "oneway"},
    {CallOutcome::not_reached, "not_reached"},
    {CallOutcome::connection_lost, "connection_lost"},
    {CallOutcome::timed_out, "timed_out"},
    {CallOutcome::failed, "failed"},
};

using Type = MetricFamily::Type;

struct TrafficFamily {
  std::string_view name;
  std::string_view help;
  Type type;
  std::uint64_t TrafficTotals::* total;
};

constexpr TrafficFamily traffic_families[] = {
    {"perigee_connections", "Connections that are open.", Type::gauge,
     &TrafficTotals::connections_open},
    {"perigee_connections_opened_total", "Connections since the start.", Type::counter,
     &TrafficTotals::connections_opened},
    {"perigee_received_messages_total", "Messages received, fragments put together.", Type::counter,
     &TrafficTotals::messages_received},
    {"perigee_received_bytes_total", "Octets received.", Type::counter,
     &TrafficTotals::octets_received},
    {"perigee_datagrams_dropped_total",
     "Datagrams dropped: full queue, too many clients, not a whole message, or an unexpected "
     "message.",
     Type::counter, &TrafficTotals::datagrams_dropped},
    {"perigee_sent_messages_total", "Messages handed to transports.", Type::counter,
     &TrafficTotals::messages_sent},
    {"perigee_sent_bytes_total", "Octets that transports have taken.", Type::counter,
     &TrafficTotals::octets_sent},
    {"perigee_send_queue_bytes", "Octets that wait for peers that do not read.", Type::gauge,
     &TrafficTotals::octets_queued},
};

MetricLabels on_side(std::string_view side) { return {{"side", std::string(side)}}; }

void add_traffic(MetricsSnapshot& snapshot, const TrafficTotals& client,
                 const TrafficTotals& server) {
  for (const TrafficFamily& traffic : traffic_families)
    snapshot.families.push_back(
        {std::string(traffic.name),
         std::string(traffic.help),
         traffic.type,
         {{on_side("client"), client.*traffic.total}, {on_side("server"), server.*traffic.total}},
         {}});
}

template <typename Kind, std::size_t count>
MetricFamily outcome_family(std::string_view name, std::string_view help,
                            const SpreadCounters<Kind>& counters,
                            const std::pair<Kind, std::string_view> (&outcomes)[count]) {
  static_assert(count == SpreadCounters<Kind>::kind_count);
  MetricFamily family{std::string(name), std::string(help), Type::counter, {}, {}};
  for (const auto& [kind, text] : outcomes)
    family.samples.push_back({{{"outcome", std::string(text)}}, counters.sum(kind)});
  return family;
}

MetricFamily plain_counter(std::string_view name, std::string_view help,
                           const std::atomic<std::uint64_t>& count) {
  return {std::string(name), std::string(help), Type::counter, {{{}, count.load()}}, {}};
}

MetricFamily latency_family(std::string_view name, std::string_view help,
                            const LatencyTable& table) {
  MetricFamily family{std::string(name), std::string(help), Type::histogram, {}, {}};
  for (auto& [operation, latencies] : table.all())
    family.histograms.push_back({{{"operation", operation}}, latencies});
  return family;
}

}  // namespace

CallOutcome outcome_of(FailureCause cause) noexcept {
  switch (cause) {
    case FailureCause::connect:
      return CallOutcome::not_reached;
    case FailureCause::transfer:
    case FailureCause::closed_by_peer:
    case FailureCause::reply_cut:
    case FailureCause::message_error:
    case FailureCause::bad_message:
      return CallOutcome::connection_lost;
    case FailureCause::timed_out:
    case FailureCause::deadline:
      return CallOutcome::timed_out;
    default:
      return CallOutcome::failed;
  }
}

LatencyTable::Recorder& LatencyTable::recorder_of(std::string_view operation) {
  operation = operation.substr(0, name_size_max);
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = recorders_.find(operation); known != recorders_.end())
      return *known->second;
  }
  const std::lock_guard lock(mutex_);
  if (recorders_.size() >= operations_max && !recorders_.contains(operation)) operation = others;
  if (const auto known = recorders_.find(operation); known != recorders_.end())
    return *known->second;
  auto made = std::make_unique<Recorder>();  // before the entry: each entry must have a recorder
  return *recorders_.emplace(std::string(operation), std::move(made)).first->second;
}

void LatencyTable::record(std::string_view operation, std::chrono::nanoseconds latency) {
  Recorder& recorder = recorder_of(operation);
  std::size_t index = 0;
  while (index < LatencyHistogram::bound_count && latency > LatencyHistogram::bound(index)) ++index;
  recorder.counts[index].fetch_add(1, std::memory_order_relaxed);
  recorder.sum_ns.fetch_add(latency.count(), std::memory_order_relaxed);
}

std::vector<std::pair<std::string, LatencyHistogram>> LatencyTable::all() const {
  std::vector<std::pair<std::string, LatencyHistogram>> all;
  const std::shared_lock lock(mutex_);
  for (const auto& [operation, recorder] : recorders_) {
    LatencyHistogram& histogram = all.emplace_back(operation, LatencyHistogram()).second;
    for (std::size_t index = 0; index < histogram.counts.size(); ++index)
      histogram.counts[index] = recorder->counts[index].load(std::memory_order_relaxed);
    histogram.sum = std::chrono::nanoseconds(recorder->sum_ns.load(std::memory_order_relaxed));
  }
  return all;
}

void LatencyTimer::record_now(std::string_view operation) const noexcept {
  try {
    table_->record(operation, std::chrono::steady_clock::now() - start_);
  } catch (const std::exception& exception) {  // no memory: only this measurement is lost
    log::write(log::Level::warning, "metrics", exception.what());
  }
}

MetricsSnapshot OrbMetrics::snapshot(std::uint32_t requests_in_progress,
                                     std::uint64_t datagrams_dropped) const {
  MetricsSnapshot snapshot;
  const TrafficTotals client = client_traffic.totals();
  TrafficTotals server = server_traffic.totals();
  server.datagrams_dropped += datagrams_dropped;
  add_traffic(snapshot, client, server);
  auto& families = snapshot.families;
  families.push_back(outcome_family(
      "perigee_calls_total", "Calls of this ORB's clients that ended.", calls, call_outcomes));
  families.push_back(
      plain_counter("perigee_call_retries_total",
                    "Attempts that failed before the server could execute the request.", retries));
  families.push_back(
      plain_counter("perigee_call_forwards_total", "Location forwards followed.", forwards));
  families.push_back(plain_counter("perigee_handler_calls_failed_total",
                                   "Outcomes that reply handlers in other processes did not get.",
                                   handler_calls_failed));
  families.push_back(plain_counter("perigee_oneways_lost_total",
                                   "Buffered oneways that could not be sent.",
                                   client.oneways_lost));
  families.push_back(outcome_family("perigee_requests_total", "Requests to this ORB's servants.",
                                    requests, request_outcomes));
  families.push_back({"perigee_requests_in_progress",
                      "Requests that have no reply yet.",
                      Type::gauge,
                      {{{}, requests_in_progress}},
                      {}});
  families.push_back(plain_counter(
      "perigee_malformed_messages_total",
      "Malformed messages received. Each one ended its connection; datagrams were only dropped.",
      malformed_messages));
  families.push_back(
      plain_counter("perigee_listen_points_believed_total",
                    "Addresses that clients announced when they offered their connections.",
                    listen_points_believed));
  families.push_back(
      plain_counter("perigee_listen_points_refused_total",
                    "Announced addresses that were refused: not the client's own, or too many.",
                    listen_points_refused));
  if (!measures_latencies_) return snapshot;
  families.push_back(latency_family(
      "perigee_call_duration_seconds",
      "Time of calls, from the start of the stub until the reply has arrived.", call_latencies));
  families.push_back(
      latency_family("perigee_request_duration_seconds",
                     "Time of requests, from the parsed header until the connection has the reply.",
                     request_latencies));
  return snapshot;
}

}  // namespace perigee::orb
