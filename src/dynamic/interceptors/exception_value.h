// Exceptions as interceptors see them: as values of anys, and by their repository ids.
#pragma once

#include <perigee/dynamic/interceptor.h>
#include <perigee/orb/any.h>

#include <exception>
#include <string>

namespace perigee::interceptors {

/// The data of an exception that interceptors can read.
struct SeenException {
  std::exception_ptr exception;
  std::string repository_id;
  PortableInterceptor::ReplyStatus status = PortableInterceptor::SYSTEM_EXCEPTION;
};

/// The exception, or UNKNOWN if it is not a CORBA exception.
[[nodiscard]] SeenException see(const std::exception_ptr& exception);
/// The exception as an any. Holds UNKNOWN, OMG minor 1, for a user exception whose TypeCode this
/// program does not have: `perigee-idl --any` generates TypeCodes. Throws std::bad_alloc.
[[nodiscard]] CORBA::Any any_of(const SeenException& seen);

}  // namespace perigee::interceptors
