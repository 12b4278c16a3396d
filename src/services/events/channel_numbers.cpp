// The page and the metrics escape the keys of channels.
#include "services/events/channel_numbers.h"

#include <cstdint>
#include <utility>

namespace perigee::events {

namespace {

using Type = orb::MetricFamily::Type;

/// The columns of the table and the families of the metrics, in the same order.
struct Number {
  const char* column;
  const char* family;
  const char* help;
  Type type;
  std::uint64_t (*value)(const ChannelStatistics& numbers);
};

constexpr Number all_numbers[] = {
    {"received", "perigee_events_received_total", "Events that the channel has accepted.",
     Type::counter, [](const ChannelStatistics& numbers) { return numbers.received; }},
    {"refused", "perigee_events_refused_total", "Events that the channel has not accepted.",
     Type::counter, [](const ChannelStatistics& numbers) { return numbers.refused; }},
    {"delivered", "perigee_events_delivered_total",
     "Events that consumers have got: each consumer counts.", Type::counter,
     [](const ChannelStatistics& numbers) { return numbers.delivered; }},
    {"dropped", "perigee_events_dropped_total",
     "Events that consumers have missed: each consumer counts.", Type::counter,
     [](const ChannelStatistics& numbers) { return numbers.dropped; }},
    {"disconnected", "perigee_events_disconnected_total",
     "Suppliers and consumers that the channel has disconnected.", Type::counter,
     [](const ChannelStatistics& numbers) { return numbers.disconnected; }},
    {"suppliers", "perigee_events_suppliers", "Suppliers that are connected.", Type::gauge,
     [](const ChannelStatistics& numbers) { return std::uint64_t{numbers.suppliers}; }},
    {"consumers", "perigee_events_consumers", "Consumers that are connected.", Type::gauge,
     [](const ChannelStatistics& numbers) { return std::uint64_t{numbers.consumers}; }},
    {"waiting octets", "perigee_events_waiting_bytes", "Octets of the events that wait.",
     Type::gauge,
     [](const ChannelStatistics& numbers) { return std::uint64_t{numbers.waiting_octets}; }},
};

}  // namespace

orb::StatusTable table_of_channels(const NumbersOfChannels& channels,
                                   const orb::StatusQuery& query) {
  orb::StatusTable table{.columns = {"channel"}, .rows = {}, .next = "", .note = ""};
  for (const Number& number : all_numbers) table.columns.emplace_back(number.column);
  for (const NumbersOfChannel& channel : channels) {
    if (table.rows.size() == query.rows_max) {
      table.next = table.rows.back().cells.front();
      break;
    }
    orb::StatusRow row{.key = "", .cells = {channel.key}};
    for (const Number& number : all_numbers)
      row.cells.push_back(std::to_string(number.value(channel.numbers)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void append_channel_metrics(const NumbersOfChannels& channels, orb::MetricsSnapshot& snapshot) {
  for (const Number& number : all_numbers) {
    orb::MetricFamily family{number.family, number.help, number.type, {}, {}};
    for (const NumbersOfChannel& channel : channels)
      family.samples.push_back({{{"channel", channel.key}}, number.value(channel.numbers)});
    snapshot.families.push_back(std::move(family));
  }
}

}  // namespace perigee::events
