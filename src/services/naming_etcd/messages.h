// Requests to etcd and its answers, as JSON of its gateway. No I/O. Answers are checked: their
// size and depth before they are parsed, and the type of each member that is read.
// Source: etcd 3.4, api_reference_v3 and api_grpc_gateway.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::naming::etcd {

/// Counts the transactions of a cluster. 0: a key that does not exist.
using Revision = std::int64_t;

/// Octets of one answer, or of one line of a watch. Larger answers are refused.
inline constexpr std::size_t answer_size_max = std::size_t{32} << 20;

/// One condition of a transaction, on the keys from `key` to `end`, or on `key` alone.
struct Compare {
  enum class Kind : std::uint8_t {
    exists,
    absent,
    modified_at,      ///< was last changed at `revision`
    modified_before,  ///< was last changed before `revision`, or does not exist
  };
  Kind kind = Kind::exists;
  std::string key;
  std::string end;
  Revision revision = 0;
};

/// One step of a transaction.
struct Operation {
  enum class Kind : std::uint8_t { put, remove, remove_if_unchanged };
  Kind kind = Kind::put;
  std::string key;
  std::string value;      ///< put
  std::string end;        ///< remove: of a range; may be empty
  Revision revision = 0;  ///< remove_if_unchanged: does nothing if the key was changed after it
};

/// Makes all operations if all conditions hold. Otherwise reads the revision of `reads`.
struct Transaction {
  std::vector<Compare> compares;
  std::vector<Operation> operations;
  std::string reads;
};

struct RangeRequest {
  std::string key;
  std::string end;        ///< may be empty: one key
  std::size_t limit = 1;  ///< keys
  Revision revision = 0;  ///< 0: the newest one, confirmed by most members
};

struct WatchRequest {
  std::string key;
  std::string end;
  Revision start = 0;  ///< the first revision
};

[[nodiscard]] std::string to_json(const Transaction& transaction);
[[nodiscard]] std::string to_json(const RangeRequest& request);
[[nodiscard]] std::string to_json(const WatchRequest& request);

struct KeyValue {
  std::string key;
  std::string value;
  Revision modified = 0;
};
struct RangeAnswer {
  Revision revision = 0;
  std::vector<KeyValue> values;
  bool has_more = false;
};
struct TransactionAnswer {
  Revision revision = 0;
  bool succeeded = false;
  Revision read = 0;  ///< failed: the revision of the key `reads`
};
struct Event {
  bool is_removal = false;
  KeyValue value;
};
struct WatchAnswer {
  bool created = false;
  bool canceled = false;
  Revision compacted = 0;    ///< canceled: older revisions do not exist any longer
  std::string reason;        ///< canceled
  bool is_fragment = false;  ///< further events of the same revision follow
  std::vector<Event> events;
};
/// An answer other than success.
struct ErrorAnswer {
  std::int64_t code = 0;  ///< of gRPC
  std::string text;
};

/// Parses an answer. The error says what is wrong, and where: "kvs[3].value: not base64".
[[nodiscard]] std::expected<RangeAnswer, std::string> parse_range(std::string_view json);
[[nodiscard]] std::expected<TransactionAnswer, std::string> parse_transaction(
    std::string_view json);
/// Parses one line of a watch. An error that etcd sends within a watch becomes `canceled`.
[[nodiscard]] std::expected<WatchAnswer, std::string> parse_watch(std::string_view json);
/// Parses the body of an answer with an error. std::nullopt if this is not an error of etcd.
[[nodiscard]] std::optional<ErrorAnswer> parse_error(std::string_view json);

[[nodiscard]] std::string to_base64(std::string_view octets);
/// The opposite of `to_base64`. std::nullopt if the text is not base64 with padding. Source: RFC
/// 4648, 4.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace perigee::naming::etcd
