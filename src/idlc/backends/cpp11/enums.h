// Writes enums of IDL as C++.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <cstdint>
#include <string>

namespace perigee::idlc::cpp11 {

/// Whether the value of an enumerator is sent instead of its ordinal: IDL 4.
bool travels_by_value(const Enum& enumeration);

/// The number of bits of such values.
std::uint32_t bit_bound(const Enum& enumeration);

void declare_enum(Writer& writer, const Enum& enumeration);
/// The CDR operators and the names of the enumerators. `type_name` is the name of the enum in its
/// namespace.
void define_enum(Writer& writer, const Enum& enumeration, const std::string& type_name);

}  // namespace perigee::idlc::cpp11
