// The random types as contents of random anys.
#pragma once

#include "propertiesA.h"
#include "properties_types.h"
#include "random_value.h"

namespace perigee::test {

inline std::span<const AnyType> property_types() {
#define PERIGEE_ANY_TYPE(Type, type_code, operation, features, memory) \
  {features, &put_any<Type, &type_code>},
  static constexpr AnyType types[] = {PROPERTIES_FOR_EACH(PERIGEE_ANY_TYPE)};
#undef PERIGEE_ANY_TYPE
  return types;
}

}  // namespace perigee::test
