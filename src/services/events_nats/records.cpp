// Writes and reads the values of subscriptions: a line with the version, a line with the number, a
// line with the time of the stream, and the name. Before the name, version 2 has a line with marks:
// numbers, each with ':' and 16 hexadecimal digits. A record without marks has version 1.
#include "services/events_nats/records.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace perigee::events::nats {

namespace {

constexpr std::string_view kind = "perigee-subscription ";
constexpr std::string_view version_without_marks = "1";
constexpr std::string_view version = "2";
constexpr std::size_t sum_digits = 16;

/// Takes the text before the next separator.
std::optional<std::string_view> take_until(char separator, std::string_view& text) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::optional<std::uint64_t> to_number(std::string_view text, int base = 10) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string sum_text(IdSum sum) {
  constexpr std::string_view hex_digits = "0123456789abcdef";
  std::string text(sum_digits, '0');
  for (std::size_t at = sum_digits; at-- > 0; sum >>= 4U) text[at] = hex_digits[sum & 0xfU];
  return text;
}

std::string text_of(const Marks& marks) {
  std::string text;
  for (const Mark& mark : marks) {
    if (!text.empty()) text += ' ';
    text += std::to_string(mark.number) + ':' + sum_text(mark.sum);
  }
  return text;
}

std::optional<Mark> to_mark(std::string_view text) {
  const auto number = take_until(':', text);
  if (!number) return std::nullopt;
  const auto value = to_number(*number);
  const auto sum = to_number(text, 16);
  if (!value || *value == 0 || !sum || *sum == no_id) return std::nullopt;
  return Mark{*value, *sum};
}

/// std::nullopt: this program has not written the text. Each list of marks has only one text.
std::optional<Marks> to_marks(std::string_view text) {
  Marks marks;
  std::string rest = std::string(text) + ' ';
  std::string_view left = rest;
  while (const auto word = take_until(' ', left)) {
    const auto mark = to_mark(*word);
    if (!mark || marks.size() == marks_max) return std::nullopt;
    if (!marks.empty() && mark->number >= marks.back().number) return std::nullopt;
    marks.push_back(*mark);
  }
  if (text_of(marks) != text) return std::nullopt;
  return marks;
}

}  // namespace

std::string encode(const SubscriptionRecord& record) {
  std::string value(kind);
  value += record.marks.empty() ? version_without_marks : version;
  value += '\n' + std::to_string(record.acknowledged) + '\n' + record.stream_made + '\n';
  if (!record.marks.empty()) value += text_of(record.marks) + '\n';
  return value + record.name;
}

std::expected<SubscriptionRecord, StoreError::Kind> decode(std::string_view value) {
  const auto first = take_until('\n', value);
  if (!first || !first->starts_with(kind)) return std::unexpected(StoreError::Kind::corrupt);
  const std::string_view found = first->substr(kind.size());
  if (found != version && found != version_without_marks)
    return std::unexpected(to_number(found) ? StoreError::Kind::newer : StoreError::Kind::corrupt);
  const auto number = take_until('\n', value);
  const auto made = take_until('\n', value);
  if (!number || !made || made->empty()) return std::unexpected(StoreError::Kind::corrupt);
  const auto acknowledged = to_number(*number);
  // A second way to write a number would be a record that this program did not write.
  if (!acknowledged || std::to_string(*acknowledged) != *number)
    return std::unexpected(StoreError::Kind::corrupt);
  SubscriptionRecord record{std::string(*made), *acknowledged, {}, {}};
  if (found == version) {
    const auto line = take_until('\n', value);
    auto marks = line ? to_marks(*line) : std::nullopt;
    if (!marks || marks->front().number > record.acknowledged)
      return std::unexpected(StoreError::Kind::corrupt);
    record.marks = std::move(*marks);
  }
  record.name = value;
  return record;
}

}  // namespace perigee::events::nats
