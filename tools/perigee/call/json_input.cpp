// Counts values and members while the text is parsed.
#include "call/json_input.h"

#include "call/json_error.h"
#include <perigee/base/printable.h>

#include <array>
#include <string_view>
#include <vector>

namespace perigee::tool {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t mib = std::size_t{1} << 20;

class Counter {
 public:
  Counter(const std::string& name, const JsonLimits& limits) : name_(name), limits_(limits) {}

  void count(json::parse_event_t event) {
    using Event = json::parse_event_t;
    if (event == Event::object_start) members_.push_back(0);
    if (event == Event::object_end) members_.pop_back();
    if (event == Event::key && ++members_.back() > limits_.members_max)
      throw JsonError(name_ + ": an object has more than " + std::to_string(limits_.members_max) +
                      " members");
    const bool is_value =
        event == Event::value || event == Event::object_start || event == Event::array_start;
    if (is_value && ++values_ > limits_.values_max)
      throw JsonError(name_ + ": the JSON has more than " + std::to_string(limits_.values_max) +
                      " values; send it by a program");
  }

 private:
  const std::string& name_;
  const JsonLimits& limits_;
  std::vector<std::size_t> members_;  // of the objects around the present place
  std::size_t values_ = 0;
};

}  // namespace

std::string read_json_text(std::istream& input, const std::string& name, const JsonLimits& limits) {
  std::string text;
  std::array<char, 65'536> part{};
  while (input.read(part.data(), part.size()), input.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(input.gcount()));
    if (text.size() > limits.octets_max)
      throw JsonError(name + ": the JSON has more than " + std::to_string(limits.octets_max / mib) +
                      " MiB; send it by a program");
  }
  return text;
}

json parse_json(const std::string& text, const std::string& name, const JsonLimits& limits) {
  Counter counter(name, limits);
  const auto count = [&counter](int /*depth*/, json::parse_event_t event, const json& /*parsed*/) {
    counter.count(event);
    return true;
  };
  try {
    return json::parse(text, count);
  } catch (const json::exception& error) {  // not JSON, or a number that is too large
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …"
    const std::string_view what = error.what();
    const std::size_t begin = what.find("] ");
    throw JsonError(name + ": " +
                    printable(begin == std::string_view::npos ? what : what.substr(begin + 2)));
  }
}

}  // namespace perigee::tool
