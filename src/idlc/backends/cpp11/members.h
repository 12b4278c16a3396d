// Classes with members: structs and exceptions have the same accessors, operators and swap.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// The private field of each member: the name and a suffix with which no field is called like a
/// member (IDL may have both `size` and `size_`).
std::vector<std::string> field_names(const std::vector<Member>& members);

/// The parts of a class for the header, in the order in which a class has them.
void declare_constructors(Writer& writer, const Declaration& owner,
                          const std::vector<Member>& members);
void declare_accessors(Writer& writer, const std::vector<Member>& members);
void declare_swap(Writer& writer, const Declaration& owner);
/// `_type_name`, and `_visit(value, visitor)`: calls `visitor("name", member)` for each member, in
/// order, with `const` members if the value is.
void declare_visit(Writer& writer, const Declaration& owner, const std::vector<Member>& members);
void declare_fields(Writer& writer, const std::vector<Member>& members);

/// The whole class of a struct or an exception, without its nested types' operators.
void declare_struct(Writer& writer, const Struct& structure);
void declare_exception(Writer& writer, const Exception& exception);

/// For the source: swap, the CDR operators and, for an exception, what CORBA::Exception asks for.
/// `class_name` is the class as it is called in the namespace ("Item", "Quoter::Item").
void define_struct(Writer& writer, const Struct& structure, const std::string& class_name);
void define_exception(Writer& writer, const Exception& exception, const std::string& class_name);

}  // namespace perigee::idlc::cpp11
