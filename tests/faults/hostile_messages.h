// Messages of attackers, built octet by octet, each with one intended mistake. Such mistakes have
// caused real failures in ORBs and related programs.
#pragma once

#include "orb/server/raw_client.h"

#include <cstdint>
#include <functional>
#include <string>

namespace perigee::test {

/// The first argument of "act", which says what the servant of the hostile tests reads. The reply
/// to a larger number is the number plus one.
enum class Reads : std::uint32_t { any, strings, numbers, text, octets, type_code, count };

using Arguments = std::function<void(Writer&)>;

/// A GIOP 1.2 request whose arguments are written at their true position.
inline Octets request_reading(OctetSpan key, Reads reads, const Arguments& write) {
  constexpr auto order = std::endian::little;
  Writer writer(order);
  begin_message(writer, 2, order, 0);
  writer.ulong(5).octet(3).octet(0).octet(0).octet(0);  // request id, response flags, reserved
  writer.ushort(0).sequence(key).text("act").ulong(0);  // KeyAddr; no contexts
  writer.align(8).ulong(static_cast<std::uint32_t>(reads));
  write(writer);
  return finish(writer, order);
}

/// Kinds of TypeCodes (CORBA 3.0, 15.3.5.1).
enum class Kind : std::uint32_t {
  null_type = 0,
  long_type = 3,
  any = 11,
  type_code = 12,
  objref = 14,
  struct_type = 15,
  union_type = 16,
  enum_type = 17,
  string = 18,
  sequence = 19,
  array = 20,
  alias = 21,
  fixed = 28,
  value = 29,
  indirection = 0xffffffff
};

inline Writer& kind(Writer& writer, Kind of) {
  return writer.ulong(static_cast<std::uint32_t>(of));
}

/// The parameters of a complex TypeCode: an encapsulation.
inline Octets encapsulated(const Arguments& write) {
  Writer inner(std::endian::little);
  inner.octet(1);
  write(inner);
  return inner.octets();
}

inline void struct_type(Writer& writer, std::uint32_t members_count, const Arguments& members) {
  kind(writer, Kind::struct_type).sequence(encapsulated([&](Writer& inner) {
    inner.text("IDL:S:1.0").text("S").ulong(members_count);
    members(inner);
  }));
}

inline void sequence_type(Writer& writer, const Arguments& element) {
  kind(writer, Kind::sequence).sequence(encapsulated([&](Writer& inner) {
    element(inner);
    inner.ulong(0);  // unbounded
  }));
}

/// sequence<sequence<… long>>
inline Octets deep_sequence_type(int depth) {
  Octets type = octets(3, 0, 0, 0);  // tk_long
  for (int level = 0; level < depth; ++level) {
    Writer outer(std::endian::little);
    sequence_type(outer, [&type](Writer& inner) { inner.align(4).raw(type); });
    type = outer.octets();
  }
  return type;
}

/// A piece of a fragmented GIOP 1.2 message: a Request if it is the first piece, else a Fragment.
inline Octets piece(std::uint32_t id, bool first, bool more, const Octets& content = {}) {
  Writer writer(std::endian::little);
  begin_message(writer, 2, std::endian::little, first ? 0 : 7);
  writer.ulong(id).raw(content);
  Octets message = finish(writer, std::endian::little);
  if (more) message[6] |= std::byte{2};
  return message;
}

/// A header that claims `size` octets, without any of them.
inline Octets bare_header(unsigned type, std::uint32_t size, unsigned flags = 1) {
  Writer writer(std::endian::little);
  writer.raw(octets('G', 'I', 'O', 'P', 1, 2, flags, type)).ulong(size);
  return writer.octets();
}

inline Octets repeated(int count, const std::function<Octets(std::uint32_t)>& make) {
  Octets all;
  for (int number = 0; number < count; ++number) {
    const Octets one = make(static_cast<std::uint32_t>(number));
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

}  // namespace perigee::test
