// A member with the annotation `@optional` is a `std::optional`.
//
// CORBA's encoding has no optional members. On the wire and in TypeCodes, an optional member is a
// sequence with a bound of 1. Other ORBs read it if their IDL file declares such a sequence.
#pragma once

#include <perigee/cdr/operators.h>
#include <perigee/orb/traits.h>

#include <cstddef>
#include <optional>

namespace IDL {
inline namespace perigee_v1 {
template <typename T>
struct traits<std::optional<T>> : perigee::stub::aggregate_traits<std::optional<T>> {
  using element_traits = traits<T>;
};
}  // namespace perigee_v1
}  // namespace IDL

namespace perigee::stub {
template <typename T>
struct is_written<std::optional<T>> : std::bool_constant<has_text<T>> {};
}  // namespace perigee::stub

namespace perigee::cdr {

template <typename T>
inline constexpr std::size_t wire_size_min<std::optional<T>> = 4;

template <typename T>
Encoder& operator<<(Encoder& encoder, const std::optional<T>& value) {
  encoder.write_length(value.has_value() ? 1 : 0);
  if (value) encoder << *value;
  return encoder;
}

template <typename T>
Decoder& operator>>(Decoder& decoder, std::optional<T>& value) {
  const std::size_t count = decoder.read_length(wire_size_min<T>);
  value.reset();
  if (count > 1) decoder.fail(ErrorKind::bad_value);
  if (count != 1) return decoder;
  decoder.enter();
  decoder >> value.emplace();
  decoder.leave();
  return decoder;
}

}  // namespace perigee::cdr
