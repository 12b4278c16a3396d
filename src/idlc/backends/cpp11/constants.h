// Constants and enums.
#pragma once

#include "idlc/backends/cpp11/client.h"
#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>

namespace perigee::idlc::cpp11 {

/// A constant's value as a C++ expression.
std::string value_text(const Constant& constant);
void declare_constant(Writer& writer, const Constant& constant, Scope scope);

void declare_enum(Writer& writer, const Enum& enumeration);
/// The CDR operators. `type_name` is the enum as it is called in the namespace.
void define_enum(Writer& writer, const Enum& enumeration, const std::string& type_name);

}  // namespace perigee::idlc::cpp11
