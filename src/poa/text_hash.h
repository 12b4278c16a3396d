// The hash of maps whose keys are strings, and are looked up by views.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace perigee::poa {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>()(text);
  }
};

}  // namespace perigee::poa
