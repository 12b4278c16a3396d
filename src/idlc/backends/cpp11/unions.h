// Unions: a class over std::variant. It has one alternative for each branch in the order of the
// IDL. If some values select no branch, a last alternative stands for no member.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>

namespace perigee::idlc::cpp11 {

/// The whole class, without the operators of its nested types.
void declare_union(Writer& writer, const Union& declared);

/// Writes all functions that are not inline, and the CDR operators, into the source. `class_name`
/// is the name of the class in its namespace.
void define_union(Writer& writer, const Union& declared, const std::string& class_name);

}  // namespace perigee::idlc::cpp11
