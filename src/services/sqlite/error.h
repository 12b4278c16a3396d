// Why a file of SQLite cannot be used.
#pragma once

#include <cstdint>
#include <string>

namespace perigee::sqlite {

/// `text` is for operators: it has the file, the cause and a remedy.
struct Error {
  enum class Kind : std::uint8_t {
    failed,     ///< an error of the system or of the database
    full,       ///< no space is left for the file
    read_only,  ///< the file or its folder cannot be written
    corrupt,    ///< the file is not a database, belongs to another program, or is damaged
    newer,      ///< a later version of Perigee has written the file
    busy,       ///< another program uses the file
  };
  Kind kind = Kind::failed;
  std::string text;
};

}  // namespace perigee::sqlite
