// Writes and reads the values of subscriptions: a line with the version, a line with the number, a
// line with the time of the stream, and the name.
#include "services/events_nats/records.h"

#include <charconv>
#include <optional>

namespace perigee::events::nats {

namespace {

constexpr std::string_view kind = "perigee-subscription ";
constexpr std::string_view version = "1";

/// Takes the text before the next line feed.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::optional<std::uint64_t> to_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string encode(const SubscriptionRecord& record) {
  std::string value(kind);
  value += version;
  value += '\n' + std::to_string(record.acknowledged) + '\n';
  return value + record.stream_made + '\n' + record.name;
}

std::expected<SubscriptionRecord, StoreError::Kind> decode(std::string_view value) {
  const auto first = take_line(value);
  if (!first || !first->starts_with(kind)) return std::unexpected(StoreError::Kind::corrupt);
  const std::string_view found = first->substr(kind.size());
  if (found != version)
    return std::unexpected(to_number(found) ? StoreError::Kind::newer : StoreError::Kind::corrupt);
  const auto number = take_line(value);
  const auto made = take_line(value);
  if (!number || !made || made->empty()) return std::unexpected(StoreError::Kind::corrupt);
  const auto acknowledged = to_number(*number);
  // A second way to write a number would be a record that this program did not write.
  if (!acknowledged || std::to_string(*acknowledged) != *number)
    return std::unexpected(StoreError::Kind::corrupt);
  return SubscriptionRecord{std::string(*made), *acknowledged, std::string(value)};
}

}  // namespace perigee::events::nats
