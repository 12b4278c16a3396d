// Errors of SQLite as errors of a service's storage interface.
#pragma once

#include "services/sqlite/error.h"

#include <expected>
#include <type_traits>
#include <utility>

namespace perigee::sqlite {

/// `StoreError` has a text, and kinds of the same names.
template <typename StoreError>
[[nodiscard]] StoreError store_error(Error error) {
  auto kind = StoreError::Kind::failed;
  switch (error.kind) {
    case Error::Kind::failed:
      break;
    case Error::Kind::full:
      kind = StoreError::Kind::full;
      break;
    case Error::Kind::read_only:
      kind = StoreError::Kind::read_only;
      break;
    case Error::Kind::corrupt:
      kind = StoreError::Kind::corrupt;
      break;
    case Error::Kind::newer:
      kind = StoreError::Kind::newer;
      break;
    case Error::Kind::busy:
      kind = StoreError::Kind::busy;
      break;
  }
  return {kind, std::move(error.text)};
}

/// The result with an error of the service's interface.
template <typename StoreError, typename Value>
[[nodiscard]] std::expected<Value, StoreError> as_stored(std::expected<Value, Error> result) {
  if (!result) return std::unexpected(store_error<StoreError>(std::move(result.error())));
  if constexpr (std::is_void_v<Value>)
    return {};
  else
    return std::move(*result);
}

}  // namespace perigee::sqlite
