// The CDR operators of structs and exceptions. Members of fixed size are marshalled in runs, and
// structs with only such members by their layout: see layout.h and <perigee/cdr/run.h>.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>

namespace perigee::idlc::cpp11 {

/// Writes the declarations that the operators of the class need, if any, into its public part.
void declare_wire_layout(Writer& writer, const Struct& structure);
void declare_wire_layout(Writer& writer, const Exception& exception);

/// Writes the functions that marshal many structs in one call, after the class and beside its
/// operators.
void declare_all_functions(Writer& writer, const Struct& structure, const std::string& class_name);

/// Writes the layout and all operators into the source. `class_name` is the name of the class in
/// its namespace.
void define_operators(Writer& writer, const Struct& structure, const std::string& class_name);
void define_operators(Writer& writer, const Exception& exception, const std::string& class_name);

}  // namespace perigee::idlc::cpp11
