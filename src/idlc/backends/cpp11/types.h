// How IDL types are spelled in C++, and how they are passed.
#pragma once

#include "idlc/frontend/model.h"

#include <string>

namespace perigee::idlc::cpp11 {

/// The C++ type of values, members and results.
std::string cpp_type(const Type& type);
/// The C++ type of an operation's parameter.
std::string parameter_type(const Type& type, Direction direction);
/// What a local variable's name is followed by, so that it is never uninitialised: "{}" or "".
std::string initializer(const Type& type);

/// Basic types and enums: as cheap to copy as to refer to, and without a default constructor.
bool is_scalar(const Type& type);
/// Whether the application defines the class behind a native type: the header only declares it.
bool is_application_native(const Declaration& native);
bool is_void(const Type& type);

}  // namespace perigee::idlc::cpp11
