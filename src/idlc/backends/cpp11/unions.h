// Unions: a class over std::variant, with one alternative for each branch in the order of the IDL
// and, behind them, one for no member if labels leave values over.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>

namespace perigee::idlc::cpp11 {

/// The whole class, without its nested types' operators.
void declare_union(Writer& writer, const Union& declared);

/// For the source: all that is not inline, and the CDR operators. `class_name` is the class as it
/// is called in the namespace.
void define_union(Writer& writer, const Union& declared, const std::string& class_name);

}  // namespace perigee::idlc::cpp11
