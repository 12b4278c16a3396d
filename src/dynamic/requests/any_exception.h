// Exceptions in anys, as exceptions that can be sent.
#pragma once

#include <perigee/orb/any.h>
#include <perigee/orb/exceptions.h>

#include <exception>

namespace perigee::dynamic {

/// A user exception that has the contents of the any, or the system exception that the any holds.
/// Raises BAD_PARAM (OMG minor 21) if the value is not an exception.
[[nodiscard]] std::exception_ptr exception_in(CORBA::Any any);

/// The any that has the contents of an exception of a dynamic call or a dynamic servant. Null for
/// other exceptions. Lives as long as the exception.
[[nodiscard]] const CORBA::Any* contents_of(const CORBA::UserException& exception) noexcept;

}  // namespace perigee::dynamic
