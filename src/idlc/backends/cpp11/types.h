// How IDL types are spelled in C++, and how they are passed.
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

/// Whether a value of the type can be passed as a view into the octets received: a string or a
/// sequence, both unbounded, of numbers of fixed width.
bool can_be_borrowed(const Type& type);
/// Whether the parameter has the annotation @perigee::borrowed.
bool is_borrowed(const Parameter& parameter);
/// The type of the skeleton's variable for a parameter, which holds what the servant gets.
std::string argument_type(const Parameter& parameter);
/// What a local variable's name is followed by, so that it is never uninitialised: "{}" or "".
std::string initializer(const Type& type);

/// The smallest unsigned type of that many bits.
std::string bits_type(std::uint32_t bit_count);

/// Basic types, enums and bitmasks: as cheap to copy as to refer to, and without a default
/// constructor.
bool is_scalar(const Type& type);
/// Whether the C++ type's copies are those of its octets: it holds scalars only. `visited` has the
/// declarations that were looked at, so that each is once.
bool is_trivially_copied(const Type& type, std::set<const Declaration*>& visited);
/// Whether the application defines the class behind a native type: the header only declares it.
bool is_application_native(const Declaration& native);
bool is_void(const Type& type);

}  // namespace perigee::idlc::cpp11
