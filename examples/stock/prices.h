// The price list of the stock server: read from a text file, then looked up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <optional>
#include <string>

/// Prices by symbol. A value: several threads may read it.
class Prices {
 public:
  /// Reads lines of a symbol and a price (0 and up); `#` starts a comment. Throws
  /// std::runtime_error, with `name` and the number of the line, at the first wrong line, or at a
  /// symbol that occurs twice.
  static Prices read(std::istream& input, const std::string& name);
  /// Does the same with a file. Also throws if the file cannot be opened or read.
  static Prices read_file(const std::filesystem::path& file);

  [[nodiscard]] std::optional<std::int32_t> find(const std::string& symbol) const;

 private:
  std::map<std::string, std::int32_t> prices_;
};
