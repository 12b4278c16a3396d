// IDL 4: bitmasks and bitsets. On the wire each is an unsigned integer: docs/mapping.md.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>

namespace perigee::idlc::cpp11 {

void declare_bitmask(Writer& writer, const Bitmask& bitmask);
void declare_bitset(Writer& writer, const Bitset& bitset);

/// Writes the CDR operators into the source. `class_name` is the name of the class in its
/// namespace.
void define_bitmask(Writer& writer, const Bitmask& bitmask, const std::string& class_name);
void define_bitset(Writer& writer, const Bitset& bitset, const std::string& class_name);

}  // namespace perigee::idlc::cpp11
