// Counts values and members before the JSON is made, because making it can be slow.
#include "call/json_input.h"

#include "call/json_error.h"
#include <perigee/base/printable.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace perigee::tool {

using json = nlohmann::ordered_json;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t octets_per_comparison = 64;  // of a name

/// Reads the text without making JSON, and throws JsonError at the first limit or mistake. The
/// time is proportional to the text. A callback of json::parse would not do: at the end of each
/// object, json::parse would search the object or array around it.
class Counter final : public nlohmann::json_sax<json> {
 public:
  Counter(const std::string& name, const JsonLimits& limits) : name_(name), limits_(limits) {}

  bool null() override { return count_value(); }
  bool boolean(bool /*value*/) override { return count_value(); }
  bool number_integer(number_integer_t /*value*/) override { return count_value(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return count_value(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return count_value();
  }
  bool string(string_t& /*value*/) override { return count_value(); }
  bool binary(binary_t& /*value*/) override { return count_value(); }

  bool start_object(std::size_t /*size*/) override {
    members_.push_back(0);
    return count_value();
  }
  bool end_object() override {
    members_.pop_back();
    return true;
  }
  bool start_array(std::size_t /*size*/) override { return count_value(); }
  bool end_array() override { return true; }

  bool key(string_t& member) override {
    comparisons_ += members_.back() * (1 + member.size() / octets_per_comparison);
    if (++members_.back() > limits_.members_max)
      throw JsonError(name_ + ": an object has more than " + std::to_string(limits_.members_max) +
                      " members");
    if (comparisons_ > limits_.comparisons_max)
      throw JsonError(name_ + ": the objects need more than " +
                      std::to_string(limits_.comparisons_max) +
                      " comparisons of the names of their members; send them by a program");
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const json::exception& error) override {  // also a number that is too large
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …"
    const std::string_view what = error.what();
    const std::size_t begin = what.find("] ");
    throw JsonError(name_ + ": " +
                    printable(begin == std::string_view::npos ? what : what.substr(begin + 2)));
  }

 private:
  bool count_value() {
    if (++values_ > limits_.values_max)
      throw JsonError(name_ + ": the JSON has more than " + std::to_string(limits_.values_max) +
                      " values; send it by a program");
    return true;
  }

  const std::string& name_;
  const JsonLimits& limits_;
  std::vector<std::uint64_t> members_;  // of the objects around the present place
  std::uint64_t comparisons_ = 0;
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
  static_cast<void>(json::sax_parse(text, &counter));
  return json::parse(text);
}

}  // namespace perigee::tool
