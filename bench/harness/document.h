// Reads the JSON report of an experiment, and finds values in it. Reports may come from any source:
// errors say what is wrong with the file.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::bench {

/// The largest report that is read, in octets.
inline constexpr std::size_t report_size_max = 256u << 20;
/// The deepest nesting of arrays and objects that is read.
inline constexpr int report_depth_max = 64;
/// The most samples of a value: as many as the rounds that --rounds allows.
inline constexpr std::size_t report_samples_max = 100'000;

/// Reads the report in `file`: an object with the field `experiment`. Throws std::runtime_error
/// with the name of the file if the file cannot be read, is too large, is nested too deeply, or is
/// not a report.
nlohmann::json read_report(const std::string& file);
/// The same for a text. `name` stands for it in errors.
nlohmann::json parse_report(const std::string& text, const std::string& name);

/// The values at `path`, which point into `document`. Steps of a path are separated by '|':
/// - a name chooses a field of an object, and "!name" all its other fields;
/// - "*" chooses all elements of an array;
/// - conditions, separated by ';', choose the elements of an array that meet all of them:
///   "field=text", "field!=text", and "field~text" for a text that contains `text`. A number is
///   compared as JSON shows it.
/// A step that fits nothing gives no value.
std::vector<const nlohmann::json*> values_at(const nlohmann::json& document, std::string_view path);

}  // namespace perigee::bench
