// The numbers of channels for operators: a table on the metrics page, and metrics.
#pragma once

#include <perigee/orb/metrics.h>
#include <perigee/orb/status_section.h>
#include <perigee/services/events/statistics.h>

#include <string>
#include <vector>

namespace perigee::events {

struct NumbersOfChannel {
  std::string key;
  ChannelStatistics numbers;
};
/// A list in the order of the keys.
using NumbersOfChannels = std::vector<NumbersOfChannel>;

/// The part of the table for `query`. `channels` begins after `query.after`. It has one channel
/// more than the part has rows, unless the table ends with this part.
[[nodiscard]] orb::StatusTable table_of_channels(const NumbersOfChannels& channels,
                                                 const orb::StatusQuery& query);
/// Adds families with a sample for each channel. docs/metrics.md lists them.
void append_channel_metrics(const NumbersOfChannels& channels, orb::MetricsSnapshot& snapshot);

}  // namespace perigee::events
