// JSON from users, with limits: also a text of many members or without an end costs little.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <istream>
#include <string>

namespace perigee::tool {

struct JsonLimits {
  std::size_t octets_max = std::size_t{256} << 20;
  std::size_t values_max = std::size_t{16} << 20;  ///< a value takes up to 100 octets of memory
  /// Of one object. The time for an object grows with the square of this number.
  std::size_t members_max = 10'000;
};

/// The rest of the stream, up to the limit. `name` is the beginning of error texts. Throws
/// JsonError.
[[nodiscard]] std::string read_json_text(std::istream& input, const std::string& name,
                                         const JsonLimits& limits = {});
/// Keeps the order of members. Throws JsonError.
[[nodiscard]] nlohmann::ordered_json parse_json(const std::string& text, const std::string& name,
                                                const JsonLimits& limits = {});

}  // namespace perigee::tool
