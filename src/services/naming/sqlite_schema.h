// The tables of a file of names, and the conversion of files of earlier versions.
#pragma once

#include "services/naming/sqlite_database.h"

namespace perigee::naming {

/// Gives the file the present tables: makes them in a new file, or converts those of an earlier
/// version, in one transaction. Errors: `newer`, `corrupt` (no file of names), and those of SQLite.
[[nodiscard]] std::expected<void, StoreError> update_schema(Database& database,
                                                            const std::string& path);

/// The version of the tables that this code writes.
[[nodiscard]] std::int64_t schema_version() noexcept;

}  // namespace perigee::naming
