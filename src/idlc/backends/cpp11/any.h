// Writes "stockA.h" and "stockA.cpp": TypeCodes, and insertion into CORBA::Any.
#pragma once

#include "idlc/backends/cpp11/generate.h"
#include "idlc/frontend/model.h"

#include <string>

namespace perigee::idlc::cpp11 {

std::string any_header_text(const Model& model, const FileNames& names);
std::string any_source_text(const Model& model, const FileNames& names);

}  // namespace perigee::idlc::cpp11
