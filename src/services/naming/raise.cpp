// Exceptions of the naming service.
#include "services/naming/raise.h"

#include <perigee/base/log.h>

#include <utility>

namespace perigee::naming {

void raise(const StoreError& error, CORBA::CompletionStatus completed) {
  // The store has logged that its servers do not answer. This is not logged again for each request.
  if (error.kind != StoreError::Kind::unavailable)
    log::write(log::Level::error, "naming", error.text);
  switch (error.kind) {
    case StoreError::Kind::full:
      throw CORBA::NO_RESOURCES(0, completed, error.text);
    case StoreError::Kind::busy:
    case StoreError::Kind::unavailable:
    case StoreError::Kind::uncertain:
      throw CORBA::TRANSIENT(0, completed, error.text);
    default:
      throw CORBA::PERSIST_STORE(0, completed, error.text);
  }
}

void raise_not_found(Reason reason, const Name& name, std::size_t from) {
  throw CosNaming::NamingContext::NotFound(
      reason, Name(name.begin() + static_cast<std::ptrdiff_t>(from), name.end()));
}

void raise_limit(const std::string& what, std::size_t limit) {
  throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO,
                         what + "; the naming service accepts at most " + std::to_string(limit));
}

}  // namespace perigee::naming
