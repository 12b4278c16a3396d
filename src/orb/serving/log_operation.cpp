// Without memory for the line, a fixed text is logged in its place.
#include "orb/serving/log_operation.h"

#include <perigee/base/printable.h>

#include <string>

namespace perigee::orb {

void log_operation(log::Level level, std::string_view operation,
                   std::initializer_list<std::string_view> text) noexcept {
  if (!log::enabled(level)) return;
  try {
    std::string line = printable(operation) + ": ";
    for (const std::string_view part : text) line += part;
    log::write(level, "orb", line);
  } catch (...) {
    log::write(level, "orb", "no memory for a line of the log about an operation");
  }
}

}  // namespace perigee::orb
