// Exceptions as values of anys.
#include "dynamic/interceptors/exception_value.h"

#include "dynamic/requests/any_exception.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/known_exception.h>

namespace perigee::interceptors {

namespace {

CORBA::Any any_of_system(const CORBA::SystemException& exception) {
  CORBA::Any any;
  any <<= exception;
  return any;
}

// CORBA 3.0, 21.3.13 and 21.3.14: the any holds UNKNOWN, OMG minor 1, if the ORB does not know the
// type.
CORBA::Any any_of_user(const CORBA::UserException& exception) {
  if (const CORBA::Any* const contents = dynamic::contents_of(exception)) return *contents;
  CORBA::Any inserted;
  if (any::KnownException::insert(inserted, exception)) return inserted;
  return any_of_system(CORBA::UNKNOWN(orb::minor_unlisted_user_exception, CORBA::COMPLETED_YES));
}

}  // namespace

SeenException see(const std::exception_ptr& exception) {
  using PortableInterceptor::SYSTEM_EXCEPTION;
  using PortableInterceptor::USER_EXCEPTION;
  try {
    std::rethrow_exception(exception);
  } catch (const CORBA::UserException& user) {
    const CORBA::Any* const contents = dynamic::contents_of(user);
    return {exception, contents != nullptr ? contents->type()->id() : user._rep_id(),
            USER_EXCEPTION};
  } catch (const CORBA::SystemException& system) {
    return {exception, system._rep_id(), SYSTEM_EXCEPTION};
  } catch (const std::exception& other) {
    const CORBA::UNKNOWN unknown(0, CORBA::COMPLETED_MAYBE, other.what());
    return {std::make_exception_ptr(unknown), unknown._rep_id(), SYSTEM_EXCEPTION};
  } catch (...) {
    const CORBA::UNKNOWN unknown(0, CORBA::COMPLETED_MAYBE);
    return {std::make_exception_ptr(unknown), unknown._rep_id(), SYSTEM_EXCEPTION};
  }
}

CORBA::Any any_of(const SeenException& seen) {
  try {
    std::rethrow_exception(seen.exception);
  } catch (const CORBA::SystemException& system) {
    return any_of_system(system);
  } catch (const CORBA::UserException& user) {
    return any_of_user(user);
  } catch (...) {
    return any_of_system(CORBA::UNKNOWN(orb::minor_unlisted_user_exception, CORBA::COMPLETED_YES));
  }
}

}  // namespace perigee::interceptors
