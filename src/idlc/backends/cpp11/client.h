// Writes the two files of the client's side. Declares functions that their parts share.
#pragma once

#include "idlc/backends/cpp11/generate.h"
#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>

namespace perigee::idlc::cpp11 {

/// The C++ scope of a declaration: an interface or a struct is a class, a module is a namespace.
enum class Scope { namespace_scope, class_scope };

/// Declares the types and constants among `declarations`, in their order, without operators.
void declare_types(Writer& writer, const Declarations& declarations, Scope scope);

/// The types inside an interface, struct or exception.
const Declarations& nested_declarations(const Declaration& declaration);

/// The name of the class or enum in its namespace: "Item", "Quoter::Item".
std::string name_in_namespace(const Declaration& declaration);

std::string client_header_text(const Model& model, const FileNames& names);
std::string client_source_text(const Model& model, const FileNames& names);

}  // namespace perigee::idlc::cpp11
