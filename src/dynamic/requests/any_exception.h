// Exceptions in anys, as exceptions that can be sent.
#pragma once

#include <perigee/orb/any.h>

#include <exception>

namespace perigee::dynamic {

/// A user exception that has the contents of the any, or the system exception that the any has.
/// Raises BAD_PARAM (OMG minor 21) if the value is not an exception.
[[nodiscard]] std::exception_ptr exception_in(CORBA::Any any);

}  // namespace perigee::dynamic
