// The C++ names of IDL types, and the ways of passing their values.
#pragma once

#include "idlc/frontend/model.h"

#include <cstdint>
#include <set>
#include <string>

namespace perigee::idlc::cpp11 {

/// The C++ type of values, members and results.
std::string cpp_type(const Type& type);
/// The C++ type of an operation's parameter.
std::string parameter_type(const Parameter& parameter);

/// Whether a value of the type can be passed as a view into the received octets: an unbounded
/// string, or an unbounded sequence of numbers of fixed width.
bool can_be_borrowed(const Type& type);
/// Marks parameters inside the backend. No annotation of an IDL file can have this name, because it
/// contains a space.
inline constexpr std::string_view pinned_annotation = "pinned value";
/// Whether the parameter has the annotation @perigee::borrowed.
bool is_borrowed(const Parameter& parameter);
/// Whether an asynchronous servant gets the parameter as a pinned value. See `pin_borrowed`.
bool is_pinned(const Parameter& parameter);
/// "::perigee::pinned<uint8_t>", for a type that can be borrowed.
std::string pinned_type(const Type& type);
/// The type of the skeleton's variable that holds the servant's argument.
std::string argument_type(const Parameter& parameter);
/// The initial enumerator in C++, also for arrays of an enum. Empty for other types, and if the
/// initial enumerator has the value 0, which `{}` gives.
std::string initial_enumerator(const Type& type);
/// The initialiser that follows the name of a local variable: "{}", "{A::b}" or "".
std::string initializer(const Type& type);

/// The smallest unsigned type with at least `bit_count` bits.
std::string bits_type(std::uint32_t bit_count);

/// Whether the type is a basic type, an enum or a bitmask. A copy then costs as little as a
/// reference, and variables get an initialiser.
bool is_scalar(const Type& type);
/// Whether copying the octets of a C++ value copies the value, because it holds only scalars.
/// `visited` has the declarations that were checked already, so that each is checked once.
bool is_trivially_copied(const Type& type, std::set<const Declaration*>& visited);
/// Whether the application defines the class of a native type: the header only declares it.
bool is_application_native(const Declaration& native);
bool is_void(const Type& type);

}  // namespace perigee::idlc::cpp11
