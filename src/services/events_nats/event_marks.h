// Marks of acknowledged events. They show that a stream has lost its newest events, and has given
// the numbers of these events to other events. No I/O.
#pragma once

#include <perigee/services/events/store.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace perigee::events::nats {

/// The sum of an event's message id. Only chance gives two events the same sum. It is no protection
/// against programs that may publish to the stream.
using IdSum = std::uint64_t;
inline constexpr IdSum no_id = 0;  ///< of an event without a message id, which has no mark

[[nodiscard]] IdSum sum_of_id(std::string_view message_id);
/// The same, from the headers of a message, as the leader of a stream writes them.
[[nodiscard]] IdSum sum_of_headers(std::string_view headers);

/// One event of a stream.
struct Mark {
  SequenceNumber number = 0;
  IdSum sum = no_id;

  bool operator==(const Mark&) const = default;
};

/// Marks of a subscription. The number of each mark is smaller than that of the mark before it.
using Marks = std::vector<Mark>;
inline constexpr std::size_t marks_max = 16;

/// Adds the mark of an event after the marked events, and removes marks so that few are left. Older
/// marks are farther apart: the distance from `newest` to a mark is at most 4 times the distance to
/// the mark before it, plus 3, unless there was no mark between the two. So after a loss, the
/// newest mark before it is not much older than the lost events. Does nothing for an event without
/// a message id.
void add_mark(Marks& marks, Mark newest);
/// Removes the marks of events with a larger number.
void remove_marks_behind(Marks& marks, SequenceNumber number);

/// The sums of events that a channel has got. A stream that has lost events gives their numbers to
/// other events; the sums of the first ones stay. Forgets the sums that came first.
class KnownEvents {
 public:
  void add(SequenceNumber number, IdSum sum);
  [[nodiscard]] std::optional<IdSum> sum_of(SequenceNumber number) const;

  static constexpr std::size_t events_max = 16'384;  // about 1 MiB

 private:
  std::unordered_map<SequenceNumber, IdSum> sums_;
  std::deque<SequenceNumber> order_;  // the keys of sums_, in the order of `add`
};

}  // namespace perigee::events::nats
