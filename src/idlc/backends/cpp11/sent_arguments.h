// Writes the arguments of a call that continues after its function has returned.
#pragma once

#include "idlc/backends/cpp11/callables.h"
#include "idlc/backends/cpp11/writer.h"

namespace perigee::idlc::cpp11 {

/// How the lambda takes the function's parameters.
enum class Taking { copied, moved };

/// Writes a lambda that owns the arguments and encodes them, or `{}` if there are none, then a
/// comma. All parameters are arguments. No parameter may have the name of a capture.
void write_sent_arguments(Writer& writer, const Callable& arguments, Taking taking);

}  // namespace perigee::idlc::cpp11
