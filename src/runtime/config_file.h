// Configuration files: TOML, whose keys are those of the option table.
#pragma once

#include "runtime/option_table.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace perigee::runtime {

/// The largest size of a file in octets. Longer files are refused.
inline constexpr std::size_t config_file_size_max = 1u << 20;

/// Chooses the configuration that gets the value of an option.
using ConfigurationFor = std::function<Configuration&(const Option& option)>;

/// Applies all values of the file. Raises CORBA::BAD_PARAM if the file cannot be read or is not
/// TOML, for unknown keys, and for values of a wrong type or out of range. The error has file, line
/// and column, and says what would be right.
void read_config_file(const std::string& path, const ConfigurationFor& configuration_for);
/// The same with a text; `name` is for error messages.
void read_config_text(std::string_view text, const std::string& name,
                      const ConfigurationFor& configuration_for);

}  // namespace perigee::runtime
