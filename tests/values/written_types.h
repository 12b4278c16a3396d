// Writes TypeCodes octet by octet: tests also send anys that no program would send.
#pragma once

#include <perigee/cdr/buffer.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/typecode.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

using WriteType = std::function<void(cdr::Encoder&)>;
using Members = std::vector<WriteType>;

/// A TypeCode with parameters. `write` writes them after the byte order.
inline WriteType complex_type(cdr::TypeKind kind, WriteType write) {
  return [kind, write = std::move(write)](cdr::Encoder& encoder) {
    cdr::Buffer buffer;
    cdr::Encoder inner(buffer, std::endian::little);
    inner.write(std::uint8_t{1});  // little endian
    write(inner);
    const Octets octets = buffer.flatten();
    encoder.write(static_cast<std::uint32_t>(kind));
    encoder.write_length(octets.size());
    encoder.write_copied_octets(octets);
  };
}

inline WriteType basic_type(cdr::TypeKind kind) {
  return [kind](cdr::Encoder& encoder) { encoder.write(static_cast<std::uint32_t>(kind)); };
}

/// A valuetype, which can be truncated to `base`, if there is one. All members are public.
inline WriteType value_type(std::string id, Members members = {}, WriteType base = nullptr) {
  return complex_type(cdr::TypeKind::tk_value, [id, members, base](cdr::Encoder& encoder) {
    encoder.write_string(id);
    encoder.write_string("");
    encoder.write(std::int16_t{base ? std::int16_t{3} : std::int16_t{0}});  // modifier
    base ? base(encoder) : encoder.write(static_cast<std::uint32_t>(cdr::TypeKind::tk_null));
    encoder.write_length(members.size());
    for (const WriteType& member : members) {
      encoder.write_string("m");
      member(encoder);
      encoder.write(std::int16_t{1});  // public
    }
  });
}

/// A struct or an exception.
inline WriteType struct_type(cdr::TypeKind kind, std::string id, Members members) {
  return complex_type(kind, [id, members](cdr::Encoder& encoder) {
    encoder.write_string(id);
    encoder.write_string("");
    encoder.write_length(members.size());
    for (const WriteType& member : members) {
      encoder.write_string("m");
      member(encoder);
    }
  });
}

inline WriteType sequence_type(WriteType element) {
  return complex_type(cdr::TypeKind::tk_sequence, [element](cdr::Encoder& encoder) {
    element(encoder);
    encoder.write(std::uint32_t{0});  // no bound
  });
}

inline WriteType fixed_type(std::uint16_t digits) {
  return [digits](cdr::Encoder& encoder) {
    encoder.write(static_cast<std::uint32_t>(cdr::TypeKind::tk_fixed));
    encoder.write(digits);
    encoder.write(std::int16_t{0});  // scale
  };
}

}  // namespace perigee::test
