// Answers of NATS to the event service, records of subscriptions, and names of channels. The first
// octet selects how the other octets are parsed. An accepted record must have the same text when it
// is encoded again.
#include "require.h"
#include "services/events_nats/event_marks.h"
#include "services/events_nats/keys.h"
#include "services/events_nats/messages.h"
#include "services/events_nats/records.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace perigee::events;
using perigee::fuzz::require;

template <typename Value>
void require_result(const nats::Parsed<Value>& answer) {
  require(answer || !answer.error().text.empty());
  if (!answer) static_cast<void>(answer.error().kind());
}

void try_record(std::string_view text) {
  if (const auto record = nats::decode(text)) require(nats::encode(*record) == text);
}

void try_message(std::string_view text) {
  const auto message = nats::parse_leader_message(text);
  require_result(message);
  if (message) static_cast<void>(nats::sum_of_headers(message->headers));
}

/// Different texts must have different encoded parts. A line feed in `text` separates two texts.
void try_parts(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return;
  const std::string_view first = text.substr(0, end);
  const std::string_view second = text.substr(end + 1);
  const std::string part = nats::encode_part(first);
  require((part == nats::encode_part(second)) == (first == second));
  require(!part.empty() && part.size() <= 120);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      require_result(nats::parse_publish(text));
      break;
    case 1:
      require_result(nats::parse_stream(text));
      break;
    case 2:
      require_result(nats::parse_consumer(text));
      try_message(text);
      break;
    case 3:
      require_result(nats::parse_subjects(text));
      break;
    case 4:
      require_result(nats::parse_purge(text));
      break;
    case 5:
      if (const auto place = nats::parse_delivery(text))
        require(place->number > 0 && place->consumer_number > 0);
      break;
    case 6:
      try_record(text);
      break;
    default:
      try_parts(text);
  }
  return 0;
}
