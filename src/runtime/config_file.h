// Configuration files: TOML, whose keys are those of the option table.
#pragma once

#include "runtime/option_table.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace perigee::runtime {

/// Octets of a file; longer ones are refused.
inline constexpr std::size_t config_file_size_max = 1u << 20;

/// Says where the value for an option goes.
using ConfigurationFor = std::function<Configuration&(const Option& option)>;

/// Applies all that the file says. Raises CORBA::BAD_PARAM, with file, line and column and what
/// would be right: for a file that cannot be read or is no TOML, for keys that do not exist, and
/// for values of a wrong type or out of range.
void read_config_file(const std::string& path, const ConfigurationFor& configuration_for);
/// The same with a text; `name` is for error messages.
void read_config_text(std::string_view text, const std::string& name,
                      const ConfigurationFor& configuration_for);

}  // namespace perigee::runtime
