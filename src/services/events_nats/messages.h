// Requests to JetStream and its answers, as JSON. No I/O. Answers are checked: their size and depth
// before they are parsed, and the type of each member that is read.
// Source: nats-server 2.9, the JSON API of JetStream (ADR-1, ADR-31).
#pragma once

#include "services/events_nats/nats_options.h"
#include <perigee/services/events/store.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::events::nats {

/// Octets of one answer. Larger answers are refused.
inline constexpr std::size_t answer_size_max = std::size_t{32} << 20;

/// Codes of errors in answers: nats-server, errors.json.
enum class ErrorCode : std::uint16_t {
  account_limit = 10002,
  no_peers = 10005,
  cluster_not_available = 10008,
  insufficient_resources = 10023,
  memory_exceeded = 10028,
  no_message = 10037,
  not_enabled_for_account = 10039,
  storage_exceeded = 10047,
  message_too_large = 10054,
  name_in_use = 10058,
  stream_not_found = 10059,
  subject_in_use = 10065,
  wrong_last_sequence = 10071,
  duplicate_in_progress = 10158,
  not_enabled = 10076,
  store_failed = 10077,
};

/// The error that an answer reports.
struct ApiError {
  std::uint64_t status = 0;  ///< as of HTTP: 503 is often temporary
  std::uint64_t code = 0;    ///< an ErrorCode, or another one
  std::string text;          ///< printable

  [[nodiscard]] bool is(ErrorCode which) const { return code == static_cast<std::uint64_t>(which); }
  /// Whether a later attempt may succeed without a change by an operator.
  [[nodiscard]] bool is_temporary() const;
  /// The kind of the error, when NATS keeps nothing of the request.
  [[nodiscard]] StoreError::Kind kind() const;
};

/// An answer that is no JSON of JetStream has the code 0.
template <typename Answer>
using Parsed = std::expected<Answer, ApiError>;

struct PublishAnswer {
  /// 0: the event is a duplicate, and its first copy is still being stored.
  SequenceNumber number = 0;
};

struct StreamInfo {
  std::string made;  ///< the time at which the stream was made
  std::vector<std::string> subjects;
  bool keeps_until_limits = false;  ///< the retention policy of our streams
  bool is_in_files = false;
  bool has_direct_get = false;
  bool is_sealed = false;
  bool is_copy = false;  ///< of other streams: a mirror, or one with sources
  bool acknowledges = false;
  std::int64_t events_per_subject_max = -1;
  std::int64_t duplicate_window_ns = 0;
  std::int64_t events_max = -1;    ///< -1: no limit
  std::int64_t octets_max = -1;    ///< -1: no limit
  std::int64_t age_max_ns = 0;     ///< 0: no limit
  bool keeps_from_purges = false;  ///< it refuses to remove messages
  std::uint64_t replicas = 1;
  SequenceNumber first = 0;
  SequenceNumber last = 0;
  std::uint64_t events = 0;
};

/// A message of a stream, from its leader.
struct LeaderMessage {
  SequenceNumber number = 0;
  std::string octets;
  std::string headers;  ///< lines, as NATS sends them; may be empty
};

/// One page of the subjects of a stream.
struct SubjectList {
  std::vector<std::string> subjects;
  std::uint64_t total = 0;  ///< of all pages
};

struct StreamRequest {
  std::string name;
  std::string subject;  ///< may have wildcards
  std::size_t replicas = 1;
  StreamLimits limits;
  bool keeps_one_of_subject = false;  ///< only the newest message of each subject
  std::chrono::milliseconds duplicate_window{0};
};

/// An ordered consumer, which pushes the events from `first` on to `deliver_subject`.
struct ConsumerRequest {
  std::string stream;
  std::string deliver_subject;
  SequenceNumber first = 1;
  std::chrono::milliseconds heartbeat{1'000};
};

[[nodiscard]] std::string to_json(const StreamRequest& request);
[[nodiscard]] std::string to_json(const ConsumerRequest& request);
/// Asks for one event: exactly `number`, or the first event of `subject` from `number` on.
[[nodiscard]] std::string get_json(SequenceNumber number);
[[nodiscard]] std::string get_next_json(const std::string& subject, SequenceNumber number);
[[nodiscard]] std::string get_last_json(const std::string& subject);
/// Removes the messages of `subject` up to `number`.
[[nodiscard]] std::string purge_subject_json(const std::string& subject, SequenceNumber number);
/// Removes the events before `number`.
[[nodiscard]] std::string purge_before_json(SequenceNumber number);
[[nodiscard]] std::string subjects_json(const std::string& filter, std::uint64_t offset);

[[nodiscard]] Parsed<PublishAnswer> parse_publish(std::string_view text);
[[nodiscard]] Parsed<StreamInfo> parse_stream(std::string_view text);
[[nodiscard]] Parsed<LeaderMessage> parse_leader_message(std::string_view text);
/// The name of the consumer, which can be a part of a subject.
[[nodiscard]] Parsed<std::string> parse_consumer(std::string_view text);
[[nodiscard]] Parsed<SubjectList> parse_subjects(std::string_view text);
/// How many messages were removed.
[[nodiscard]] Parsed<std::uint64_t> parse_purge(std::string_view text);
/// Only whether the answer is an error.
[[nodiscard]] Parsed<bool> parse_any(std::string_view text);

/// The place of a message that a consumer has pushed.
struct Delivery {
  std::uint64_t consumer_number = 0;  ///< counts the messages of the consumer, from 1
  SequenceNumber number = 0;
};

/// Takes the subject for replies to a pushed message apart.
[[nodiscard]] std::optional<Delivery> parse_delivery(std::string_view reply_subject);
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);
/// Whether a text of another program can be sent as a subject. Blanks and line ends would begin
/// another part of the protocol of NATS.
[[nodiscard]] bool is_subject(std::string_view text);

}  // namespace perigee::events::nats
