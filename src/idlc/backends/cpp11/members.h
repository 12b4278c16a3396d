// Writes classes with members. Structs and exceptions have the same accessors, operators and swap.
#pragma once

#include "idlc/backends/cpp11/writer.h"
#include "idlc/frontend/model.h"

#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// The name of the private field of each member: the name of the member and a suffix. The suffix is
/// chosen so that no field has the name of a member (IDL may have both `size` and `size_`).
std::vector<std::string> field_names(const std::vector<Member>& members);

/// The parts of a class for the header, in their usual order.
void declare_constructors(Writer& writer, const Declaration& owner,
                          const std::vector<Member>& members);
enum class FunctionsIn { header, source };
void declare_accessors(Writer& writer, const std::vector<Member>& members, FunctionsIn place);
void declare_swap(Writer& writer, const Declaration& owner);
/// `_type_name`, and `_visit(value, visitor)`. The latter calls `visitor("name", member)` for each
/// member, in order. The members are `const` if the value is.
void declare_visit(Writer& writer, const Declaration& owner, const std::vector<Member>& members);
void declare_fields(Writer& writer, const std::vector<Member>& members);

/// The whole class of a struct or an exception, without the operators of its nested types.
void declare_struct(Writer& writer, const Struct& structure);
void declare_exception(Writer& writer, const Exception& exception);

/// Writes into the source: swap, the CDR operators and, for an exception, the functions that
/// CORBA::Exception requires. `class_name` is the name of the class in its namespace ("Item",
/// "Quoter::Item").
void define_struct(Writer& writer, const Struct& structure, const std::string& class_name);
void define_exception(Writer& writer, const Exception& exception, const std::string& class_name);

}  // namespace perigee::idlc::cpp11
