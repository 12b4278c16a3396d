// Writes constants of IDL as C++.
#pragma once

#include "idlc/backends/cpp11/client.h"
#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>

namespace perigee::idlc::cpp11 {

/// The value as a C++ expression of the type.
std::string value_text(const Value& value, const Type& type);
void declare_constant(Writer& writer, const Constant& constant, Scope scope);

}  // namespace perigee::idlc::cpp11
