// The tables of a file, and the conversion of files of earlier versions.
#pragma once

#include "services/sqlite/database.h"

#include <cstdint>
#include <iterator>
#include <span>

namespace perigee::sqlite {

/// The tables of one kind of file. Each step leads from one version to the next. Steps never
/// change; a new version appends one. The first step sets `application_id`.
struct Schema {
  std::int64_t application_id = 0;
  std::span<const char* const> steps;

  /// The version of the tables that this program writes.
  [[nodiscard]] constexpr std::int64_t version() const noexcept { return std::ssize(steps); }
};

/// Gives the file the present tables: makes them in a new file, or converts those of an earlier
/// version, in one transaction. Errors: `newer`, `corrupt` (a file of another kind), and those of
/// SQLite.
[[nodiscard]] std::expected<void, Error> update_schema(Database& database, const std::string& path,
                                                       const Schema& schema);

}  // namespace perigee::sqlite
