// TypeCodes as generated constants: nodes (perigee::cdr::TypeNode), which point to each other.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// Whether the declaration is a type with a TypeCode of its own.
bool has_type_code(const Declaration& declaration);

/// The namespace of the nodes of the declaration's scope: "perigee::types::Stock::Quoter".
std::string node_namespace(const Declaration& declaration);
/// "_type_Quote", or "_forward_Quote" for an interface that this compilation only declares. Each
/// generated source defines a "_forward_" node of its own. An IDL name cannot begin with an
/// underscore.
std::string node_name(const Declaration& declaration);

/// The definition of the declaration's node and of the table of its members.
void define_node(Writer& writer, const Declaration& declaration);

}  // namespace perigee::idlc::cpp11
