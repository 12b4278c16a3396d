// JSON from users, with limits of memory and time, also for a text without an end.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

namespace perigee::tool {

struct JsonLimits {
  std::size_t octets_max = std::size_t{256} << 20;
  std::size_t values_max = std::size_t{16} << 20;  ///< a value takes up to 100 octets of memory
  std::size_t members_max = 10'000;                ///< of one object
  /// Limits the comparisons of member names, in all objects together: each name is compared with
  /// the earlier names of its object. A comparison counts once more for each 64 octets of the name.
  /// The default number takes a few seconds.
  std::uint64_t comparisons_max = 1'000'000'000;
};

/// The rest of the stream, up to the limit. `name` is the beginning of error texts. Throws
/// JsonError.
[[nodiscard]] std::string read_json_text(std::istream& input, const std::string& name,
                                         const JsonLimits& limits = {});
/// Keeps the order of members. Throws JsonError.
[[nodiscard]] nlohmann::ordered_json parse_json(const std::string& text, const std::string& name,
                                                const JsonLimits& limits = {});

}  // namespace perigee::tool
