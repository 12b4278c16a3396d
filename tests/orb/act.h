// Calls the operation "act" of an object, and waits for the reply.
#pragma once

#include <perigee/cdr/operators.h>
#include <perigee/orb/object.h>
#include <perigee/orb/stub.h>

#include <cstdint>

namespace perigee::test {

inline std::uint32_t act(const CORBA::object_reference<CORBA::Object>& target,
                         std::uint32_t argument) {
  static constexpr stub::Operation operation{"act", stub::Operation::Kind::twoway, {}};
  std::uint32_t result = 0;
  stub::invoke(
      *target, operation, [argument](cdr::Encoder& encoder) { encoder << argument; },
      [&result](cdr::Decoder& decoder) { decoder >> result; });
  return result;
}

}  // namespace perigee::test
