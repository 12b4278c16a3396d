// The headers of the library that a client header needs besides <perigee/orb/mapping.h>: headers of
// types that most files do not use, and that cost compile time.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <set>
#include <string>

namespace perigee::idlc::cpp11 {

/// The names of the headers as in an #include line, sorted.
std::set<std::string> type_headers(const Model& model);
/// Whether the main file declares or passes valuetypes.
bool uses_values(const Model& model);
/// Writes into a source the #include lines for the functions that marshal valuetypes, if the main
/// file passes valuetypes, or several anys, which may hold them.
void include_values(Writer& writer, const Model& model);

}  // namespace perigee::idlc::cpp11
