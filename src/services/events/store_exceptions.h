// Errors of a store as exceptions of CORBA.
#pragma once

#include <perigee/orb/exceptions.h>
#include <perigee/services/events/store.h>

#include <expected>
#include <type_traits>
#include <utility>

namespace perigee::events {

/// Raises NO_RESOURCES if the store is full, IMP_LIMIT for an event that is too large, TRANSIENT if
/// the request can be repeated later, OBJECT_NOT_EXIST without the subscription, and otherwise
/// PERSIST_STORE. COMPLETED_MAYBE says that
/// the change may have been made.
[[noreturn]] void raise(const StoreError& error);

/// Whether the change may have been made.
[[nodiscard]] bool may_be_made(const StoreError& error) noexcept;

/// The value, or an exception.
template <typename Value>
Value value_of(std::expected<Value, StoreError>&& result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<Value>) return std::move(*result);
}

}  // namespace perigee::events
