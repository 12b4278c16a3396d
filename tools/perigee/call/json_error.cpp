// Paths of members, for error texts.
#include "call/json_error.h"

#include <perigee/base/printable.h>

#include <utility>

namespace perigee::tool {

void JsonPath::enter(std::string step) {
  constexpr std::size_t depth_max = 120;  // DynAnys allow 128
  if (steps_.size() > depth_max) fail("the value is nested more than 120 levels deep");
  constexpr std::size_t value_octets = 16;  // of a small value in memory
  charge(value_octets + step.size());
  steps_.push_back(std::move(step));
}

void JsonPath::charge(std::size_t octets) {
  constexpr std::size_t octets_max = std::size_t{256} << 20;
  octets_ += octets;
  if (octets_ > octets_max) fail("the JSON would have more than 256 MiB");
}

JsonPath::Step::Step(JsonPath& path, std::string_view member) : path_(path) {
  path.enter('.' + std::string(member));
}

JsonPath::Step::Step(JsonPath& path, std::size_t index) : path_(path) {
  path.enter('[' + std::to_string(index) + ']');
}

void JsonPath::fail(const std::string& text) const {
  std::string place;
  for (const std::string& step : steps_) place += step;
  throw JsonError(printable(place) + ": " + text);
}

}  // namespace perigee::tool
