// Reads the JSON report of an experiment, and finds values in it.
#include "document.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace perigee::bench {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw std::runtime_error(name + ": " + why);
}

std::vector<std::string_view> split_path(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string condition_text(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool meets(const json& element, std::string_view condition) {
  const std::size_t sign = condition.find_first_of("=!~");
  if (sign == std::string_view::npos || !element.is_object()) return false;
  const auto field = element.find(std::string(condition.substr(0, sign)));
  if (field == element.end()) return false;
  const std::string text = condition_text(*field);
  const std::string_view rest = condition.substr(sign + 1);
  if (condition[sign] == '=') return text == rest;
  if (condition[sign] == '~') return text.find(rest) != std::string::npos;
  return rest.starts_with('=') && text != rest.substr(1);
}

bool meets_all(const json& element, std::string_view conditions) {
  for (const std::string_view condition : split_path(conditions, ';'))
    if (!meets(element, condition)) return false;
  return true;
}

void add_elements(const json& array, std::string_view step, std::vector<const json*>& found) {
  for (const json& element : array)
    if (step == "*" || meets_all(element, step)) found.push_back(&element);
}

void add_fields(const json& object, std::string_view step, std::vector<const json*>& found) {
  const bool others = step.starts_with('!');
  for (const auto& [name, value] : object.items())
    if (others ? name != step.substr(1) : name == step) found.push_back(&value);
}

// The parser calls this function for each value. `depth` counts the arrays and objects around the
// value.
bool check_depth(int depth, json::parse_event_t /*event*/, json& /*value*/) {
  if (depth > report_depth_max)
    throw std::runtime_error("is nested deeper than " + std::to_string(report_depth_max) +
                             " levels");
  return true;
}

std::string content_of(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) refuse(file, "cannot be read: " + error.message());
  if (size > report_size_max)
    refuse(file, "is larger than " + std::to_string(report_size_max >> 20) + " MiB");
  std::ifstream input(file, std::ios::binary);
  std::string text(size, '\0');
  if (!input.read(text.data(), static_cast<std::streamsize>(size)))
    refuse(file, std::string("cannot be read: ") + std::strerror(errno));
  return text;
}

}  // namespace

json parse_report(const std::string& text, const std::string& name) {
  json document;
  try {
    document = json::parse(text, check_depth);
  } catch (const json::exception& error) {
    refuse(name, std::string("is not valid JSON: ") + error.what());
  } catch (const std::runtime_error& error) {
    refuse(name, error.what());
  }
  if (!document.is_object() || !document.contains("experiment") ||
      !document["experiment"].is_string())
    refuse(name, "is not a report of perigee bench: the field \"experiment\" is missing");
  return document;
}

json read_report(const std::string& file) { return parse_report(content_of(file), file); }

std::vector<const json*> values_at(const json& document, std::string_view path) {
  std::vector<const json*> values{&document};
  for (const std::string_view step : split_path(path, '|')) {
    std::vector<const json*> found;
    for (const json* value : values) {
      if (value->is_array()) add_elements(*value, step, found);
      if (value->is_object()) add_fields(*value, step, found);
    }
    values = std::move(found);
  }
  return values;
}

}  // namespace perigee::bench
