// The value that NATS keeps for a subscription. No I/O.
#pragma once

#include "services/events_nats/event_marks.h"
#include <perigee/services/events/store.h>

#include <expected>
#include <string>
#include <string_view>

namespace perigee::events::nats {

struct SubscriptionRecord {
  /// When the stream of the channel was made. A subscription to an earlier stream of the same name
  /// begins again.
  std::string stream_made;
  SequenceNumber acknowledged = 0;
  std::string name;  ///< any octets
  Marks marks = {};  ///< of acknowledged events; at most `marks_max`

  bool operator==(const SubscriptionRecord&) const = default;
};

/// `stream_made` must have no line feed.
[[nodiscard]] std::string encode(const SubscriptionRecord& record);
/// Errors: only the kind, `corrupt` or `newer`. The caller adds the text that names the record.
[[nodiscard]] std::expected<SubscriptionRecord, StoreError::Kind> decode(std::string_view value);

}  // namespace perigee::events::nats
