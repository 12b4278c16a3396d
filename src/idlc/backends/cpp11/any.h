// The two files of TypeCodes and of insertion into any.
#pragma once

#include "idlc/backends/cpp11/generate.h"
#include "idlc/frontend/diagnostics.h"
#include "idlc/frontend/model.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// An error for each type of the main file that has C++, but no TypeCode: enums that are not their
/// ordinals on the wire.
std::vector<Diagnostic> unsupported_in_any(const Model& model);

std::string any_header_text(const Model& model, const FileNames& names);
std::string any_source_text(const Model& model, const FileNames& names);

}  // namespace perigee::idlc::cpp11
