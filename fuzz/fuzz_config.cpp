// Configuration files. Errors in a file raise BAD_PARAM with a position and without control
// characters. No other exception is raised.
#include "require.h"
#include "runtime/config_file.h"
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace perigee;
using fuzz::require;

bool is_printable(std::string_view text) {
  return std::ranges::none_of(
      text, [](char octet) { return static_cast<unsigned char>(octet) < 0x20 || octet == 0x7f; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  runtime::Configuration configuration;
  try {
    runtime::read_config_text(
        text, "fuzz.toml",
        [&](const runtime::Option&) -> runtime::Configuration& { return configuration; });
  } catch (const CORBA::BAD_PARAM& exception) {
    require(exception.detail().find("fuzz.toml") != std::string_view::npos);
    require(is_printable(exception.detail()));
  }
  return 0;
}
