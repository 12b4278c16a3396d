// The hash of maps whose keys are strings, and are looked up by views.
#pragma once

#include "base/keyed_hash.h"

#include <cstddef>
#include <string_view>

namespace perigee::poa {

/// Keyed, since clients choose object ids.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return keyed_hash(text); }
};

}  // namespace perigee::poa
