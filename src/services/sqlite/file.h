// A file of one kind, which one service at a time has open.
#pragma once

#include "services/sqlite/schema.h"

namespace perigee::sqlite {

/// The connections to a file. Statements refer to their connection, so the owner of the statements
/// does not move this object.
struct File {
  Database lock;  // holds a lock on <file>.lock, so that no second service opens the file
  Database writing;
  Database reading;
};

/// Opens the file for a service, and makes it if it does not exist, with its folders. The file has
/// the tables of the schema, a write-ahead log, and full synchronisation: a transaction is durable
/// when `COMMIT` returns. `service` is the noun for the error text, such as "naming service".
[[nodiscard]] std::expected<File, Error> open_file(const std::string& path, const Schema& schema,
                                                   const char* service);

}  // namespace perigee::sqlite
