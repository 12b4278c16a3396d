// Sums by the function FNV-1a of 64 bits, and the choice of the marks that stay.
#include "services/events_nats/event_marks.h"

#include <algorithm>
#include <utility>

namespace perigee::events::nats {

IdSum sum_of_id(std::string_view message_id) {
  if (message_id.empty()) return no_id;
  constexpr IdSum basis = 0xcbf29ce484222325;
  constexpr IdSum prime = 0x100000001b3;
  IdSum sum = basis;
  for (const char character : message_id)
    sum = (sum ^ static_cast<unsigned char>(character)) * prime;
  return sum == no_id ? basis : sum;
}

IdSum sum_of_headers(std::string_view headers) {
  constexpr std::string_view name = "\nNats-Msg-Id:";
  const std::size_t found = headers.find(name);
  if (found == std::string_view::npos) return no_id;
  std::string_view id = headers.substr(found + name.size());
  id = id.substr(0, id.find_first_of("\r\n"));
  id.remove_prefix(std::min(id.find_first_not_of(' '), id.size()));
  return sum_of_id(id);
}

void add_mark(Marks& marks, Mark newest) {
  if (newest.sum == no_id || (!marks.empty() && marks.front().number >= newest.number)) return;
  Marks kept{newest};
  for (std::size_t at = 0; at < marks.size(); ++at) {
    const bool is_oldest = at + 1 == marks.size();
    const SequenceNumber reach = 4 * (newest.number - kept.back().number) + 3;
    // The next mark takes the place of this one, if it is near enough to the mark before.
    if (is_oldest || newest.number - marks[at + 1].number > reach) kept.push_back(marks[at]);
  }
  if (kept.size() > marks_max) kept.resize(marks_max);
  marks = std::move(kept);
}

void remove_marks_behind(Marks& marks, SequenceNumber number) {
  std::erase_if(marks, [number](const Mark& mark) { return mark.number > number; });
}

void KnownEvents::add(SequenceNumber number, IdSum sum) {
  if (!sums_.emplace(number, sum).second) return;
  order_.push_back(number);
  if (order_.size() <= events_max) return;
  sums_.erase(order_.front());
  order_.pop_front();
}

std::optional<IdSum> KnownEvents::sum_of(SequenceNumber number) const {
  const auto found = sums_.find(number);
  if (found == sums_.end()) return std::nullopt;
  return found->second;
}

}  // namespace perigee::events::nats
