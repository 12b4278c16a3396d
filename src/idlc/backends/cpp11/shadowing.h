// Compilers warn about a parameter that has the name of an enclosing constant (-Wshadow). IDL
// allows such names. Applications that turn warnings into errors include generated code, so it must
// not warn.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// Turn the warning off before the declarations of a generated file, and on again after them, if
/// the file needs it. `parameters`: the names of parameters of functions that are not in the IDL.
void begin_shadowing(Writer& writer, const Model& model,
                     const std::vector<std::string>& parameters = {});
void end_shadowing(Writer& writer, const Model& model,
                   const std::vector<std::string>& parameters = {});

}  // namespace perigee::idlc::cpp11
