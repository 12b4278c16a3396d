// One exception for each kind of error.
#include "services/events/store_exceptions.h"

namespace perigee::events {

bool may_be_made(const StoreError& error) noexcept {
  return error.kind == StoreError::Kind::failed || error.kind == StoreError::Kind::uncertain;
}

void raise(const StoreError& error) {
  const auto completed = may_be_made(error) ? CORBA::COMPLETED_MAYBE : CORBA::COMPLETED_NO;
  switch (error.kind) {
    case StoreError::Kind::full:
      throw CORBA::NO_RESOURCES(0, completed, error.text);
    case StoreError::Kind::too_large:
      throw CORBA::IMP_LIMIT(0, completed, error.text);
    case StoreError::Kind::busy:
    case StoreError::Kind::unavailable:
    case StoreError::Kind::uncertain:
      throw CORBA::TRANSIENT(0, completed, error.text);
    case StoreError::Kind::no_subscription:
      throw CORBA::OBJECT_NOT_EXIST(0, completed, error.text);
    default:
      throw CORBA::PERSIST_STORE(0, completed, error.text);
  }
}

}  // namespace perigee::events
