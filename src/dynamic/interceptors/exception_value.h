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

/// The exception, or UNKNOWN if it is no CORBA exception.
[[nodiscard]] SeenException see(const std::exception_ptr& exception);
/// The exception as an any. The user exceptions of stubs and skeletons have no TypeCodes here, so
/// their any holds UNKNOWN, OMG minor 1.
[[nodiscard]] CORBA::Any any_of(const SeenException& seen);

}  // namespace perigee::interceptors
