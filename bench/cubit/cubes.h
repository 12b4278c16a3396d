// The results of the cubit experiment's servants, for all kinds of servants.
#pragma once

#include "cubitC.h"
#include "workloads.h"
#include <perigee/corba.h>

#include <cstdint>

namespace cubit {

inline Cubit::Many cube(const Cubit::Many& value) {
  return Cubit::Many(cube(value.o()), cube(value.l()), cube(value.s()));
}

inline Cubit::OneOf cube(const Cubit::OneOf& value) {
  Cubit::OneOf result;
  result.m(cube(value.m()));
  return result;
}

inline CORBA::Any cube(const CORBA::Any& value) {
  std::int32_t number = 0;
  value >>= number;
  CORBA::Any result;
  result <<= cube(number);
  return result;
}

}  // namespace cubit
