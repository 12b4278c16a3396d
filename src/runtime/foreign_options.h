// The counterparts of the options of omniORB and TAO, for error texts.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace perigee::runtime {

struct OmniorbOption {
  std::string_view name;         ///< after "-ORB"
  std::string_view counterpart;  ///< the end of the sentence "omniORB's -ORBendPoint ..."
};

/// The usual options of omniORB. Options that Perigee has, too, have no row.
[[nodiscard]] std::span<const OmniorbOption> omniorb_option_table() noexcept;

/// The counterpart of an option of omniORB or TAO, as a sentence: "omniORB's -ORBendPoint
/// corresponds to Perigee's -ORBListenEndpoints". Empty for other options. `name`: after "-ORB".
[[nodiscard]] std::string describe_foreign_option(std::string_view name);

}  // namespace perigee::runtime
