// The size of an event is checked before its octets are read.
#include "services/events/sqlite_reader.h"

#include <limits>
#include <utility>

namespace perigee::events {

std::expected<SqliteReader, sqlite::Error> SqliteReader::make(sqlite::Database& database) {
  SqliteReader reader;
  const std::pair<sqlite::Statement*, const char*> texts[] = {
      {&reader.subscription_,
       "SELECT channel FROM subscriptions WHERE name = ?2 AND channel ="
       " (SELECT channel FROM channels WHERE name = ?1)"},
      {&reader.events_,
       "SELECT number, length(octets), octets FROM events WHERE channel = ?1 AND number > ?2"
       " ORDER BY number LIMIT ?3"},
  };
  for (const auto& [statement, text] : texts) {
    auto prepared = database.prepare(text);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return reader;
}

std::expected<std::optional<SqliteReader::Events>, sqlite::Error> SqliteReader::read(
    const ReadRequest& request) {
  constexpr auto number_max = static_cast<SequenceNumber>(std::numeric_limits<std::int64_t>::max());
  std::int64_t channel = 0;
  {
    const sqlite::ResetAtEnd reset(subscription_);
    const auto row = subscription_.bind(1, request.channel).bind(2, request.subscription).step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return std::nullopt;
    channel = subscription_.number(0);
  }
  Events events;
  if (request.after >= number_max) return events;
  std::size_t octets = 0;
  const sqlite::ResetAtEnd reset(events_);
  events_.bind(1, channel)
      .bind(2, request.after)
      .bind(3, static_cast<std::uint64_t>(request.events_max));
  while (true) {
    const auto row = events_.step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return events;
    octets += static_cast<std::size_t>(events_.number(1));
    if (!events.empty() && octets > request.octets_max) return events;
    events.push_back({static_cast<SequenceNumber>(events_.number(0)), events_.octets(2)});
  }
}

}  // namespace perigee::events
