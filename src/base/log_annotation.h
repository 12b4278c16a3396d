// Texts that a library adds to each line of the log.
#pragma once

#include <perigee/base/export.h>

#include <string>

namespace perigee::log {

/// Appends to the text of a line. Runs on the thread that logs. Must not log. May throw: then the
/// line is written without the addition.
using Annotate = void (*)(std::string& text);
/// Applies to all lines that the process logs from now on. `annotate` must stay valid. Any thread.
PERIGEE_INTERNAL_API void set_annotation(Annotate annotate) noexcept;

}  // namespace perigee::log
