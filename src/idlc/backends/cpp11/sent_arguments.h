// The arguments of a call that goes on when the function that makes it has returned.
#pragma once

#include "idlc/backends/cpp11/callables.h"
#include "idlc/backends/cpp11/writer.h"

namespace perigee::idlc::cpp11 {

/// What becomes of the function's parameters.
enum class Taking { copied, moved };

/// A lambda that owns the arguments and writes them, or `{}` if there are none, and a comma. All
/// parameters are arguments; none is called like a capture.
void write_sent_arguments(Writer& writer, const Callable& arguments, Taking taking);

}  // namespace perigee::idlc::cpp11
