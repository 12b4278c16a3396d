// Streams of JetStream: finds or makes them, and checks that they belong to the store.
#pragma once

#include "services/events_nats/session.h"
#include <perigee/async/task.h>

#include <expected>
#include <string>

namespace perigee::events::nats {

/// Makes the stream unless it exists. A stream that exists keeps its limits and replicas. Errors:
/// `corrupt` (the store needs other subjects, or a stream of another kind), `failed`, `full`,
/// `unavailable`.
[[nodiscard]] task<std::expected<StreamInfo, StoreError>> open_stream(Session& session,
                                                                      StreamRequest request,
                                                                      TimePoint end);
/// The state of a stream that exists, from its leader.
[[nodiscard]] task<std::expected<StreamInfo, StoreError>> stream_info(Session& session,
                                                                      std::string stream,
                                                                      TimePoint end);
/// The number of the first event of `subject` from `number` on, as the leader of the stream has it.
/// 0: it has none. Other replicas may lack events that the leader has.
[[nodiscard]] task<std::expected<SequenceNumber, StoreError>> next_event(Session& session,
                                                                         std::string stream,
                                                                         std::string subject,
                                                                         SequenceNumber number,
                                                                         TimePoint end);
/// The error of a request of JetStream's API.
[[nodiscard]] StoreError to_store_error(const ApiError& error, const std::string& what);

}  // namespace perigee::events::nats
