// The options of TAO: the rows for -ORBTaoOptions, and for the error texts without it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace perigee::runtime {

struct TaoOption {
  std::string_view name;   ///< after "-ORB"; upper and lower case are equal
  std::size_t values = 1;  ///< arguments that follow it
  std::string_view
      replacement;  ///< the option that replaces it, after "-ORB"; empty: it is ignored
  /// The value of the replacing option. Null: the same value.
  std::string (*translate)(const std::string& value) = nullptr;
  std::string_view why = {};  ///< for an ignored option: the end of its warning
  /// The end of the sentence "TAO's -ORBSvcConf ..." for programs without -ORBTaoOptions. Empty: it
  /// is made of the other members.
  std::string_view hint = {};
};

/// In names of TAO's options, upper and lower case are equal.
[[nodiscard]] bool equal_in_any_case(std::string_view first, std::string_view second) noexcept;

[[nodiscard]] std::span<const TaoOption> tao_option_table() noexcept;

/// "corresponds to Perigee's -ORBListenEndpoints": the end of a sentence. Empty if Perigee has
/// an option with the same name, or no counterpart.
[[nodiscard]] std::string hint_of(const TaoOption& option);

/// `name`: after "-ORB", in upper or lower case. Null: TAO has no such option.
[[nodiscard]] const TaoOption* find_tao_option(std::string_view name) noexcept;

/// Whether a command line has "-ORBTaoOptions yes", at any place.
[[nodiscard]] bool accepts_tao_options(std::span<const std::string> arguments) noexcept;

}  // namespace perigee::runtime
