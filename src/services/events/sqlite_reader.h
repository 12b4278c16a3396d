// Reads stored events with a connection of its own. Used by one thread at a time.
#pragma once

#include "services/sqlite/database.h"
#include <perigee/services/events/store.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace perigee::events {

struct ReadRequest {
  std::string channel;
  std::string subscription;
  SequenceNumber after = 0;
  std::size_t events_max = 1;
  std::size_t octets_max = 0;
};

class SqliteReader {
 public:
  using Events = std::vector<StoredEvent>;

  /// `database` must live longer.
  [[nodiscard]] static std::expected<SqliteReader, sqlite::Error> make(sqlite::Database& database);

  /// None: the channel has no such subscription.
  [[nodiscard]] std::expected<std::optional<Events>, sqlite::Error> read(
      const ReadRequest& request);

 private:
  SqliteReader() = default;

  sqlite::Statement subscription_;
  sqlite::Statement events_;
};

}  // namespace perigee::events
