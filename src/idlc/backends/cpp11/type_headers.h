// Which headers of the library a client header needs beyond <perigee/orb/mapping.h>: those of types
// that most files do not use, and that cost time to compile.
#pragma once

#include "idlc/frontend/model.h"

#include <set>
#include <string>

namespace perigee::idlc::cpp11 {

/// Their names as in an #include line, sorted.
std::set<std::string> type_headers(const Model& model);

}  // namespace perigee::idlc::cpp11
