// Exceptions of the naming service.
#pragma once

#include <perigee/orb/exceptions.h>
#include <perigee/services/naming/store.h>

#include <CosNamingC.h>

#include <cstddef>
#include <string>

namespace perigee::naming {

using CosNaming::Name;
using Reason = CosNaming::NamingContext::NotFoundReason;

/// PERSIST_STORE for an error of the store. NO_RESOURCES if it is full, TRANSIENT if it is
/// busy, or its servers do not answer.
[[noreturn]] void raise(const StoreError& error, CORBA::CompletionStatus completed);
/// NotFound, with the part of the name from `from` on.
[[noreturn]] void raise_not_found(Reason reason, const Name& name, std::size_t from);
/// IMP_LIMIT. `what` is a clause: "the name has too many components".
[[noreturn]] void raise_limit(const std::string& what, std::size_t limit);

}  // namespace perigee::naming
