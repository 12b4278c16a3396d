// Anys and TypeCodes from the network. The first octet selects the byte order, the position at
// which the value begins, and whether it is an any or a TypeCode. An accepted value must be
// unchanged after it was copied, and after it was written and read again.
#include "require.h"
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any_operators.h>

#include <cstdint>
#include <cstdlib>

namespace {

using namespace perigee;
using cdr::Decoder;
using cdr::Encoder;
using fuzz::require;

constexpr std::endian orders[] = {std::endian::little, std::endian::big};

/// Encodes with `write`. False if it fails, for example for types that exceed the limits when they
/// are unrolled.
template <typename Write>
bool encode(Octets& octets, std::endian order, std::size_t start, Write write) {
  cdr::Buffer buffer;
  Encoder encoder(buffer, order, Encoder::Borrowing::no, start);
  write(encoder);
  octets.assign(start, std::byte{0});
  const Octets written = buffer.flatten();
  octets.insert(octets.end(), written.begin(), written.end());
  return encoder.ok();
}

void try_type(Decoder decoder) {
  const cdr::TypeRef type = cdr::decode_type(decoder);
  if (!decoder.ok()) return;
  require(cdr::equal(*type.node, *type.node) && !cdr::to_text(*type.node).empty());
  for (const std::endian order : orders) {
    Octets octets;
    if (!encode(octets, order, 0, [&](Encoder& encoder) { encode_type(encoder, *type.node); }))
      continue;
    Decoder again(octets, order);
    const cdr::TypeRef copy = cdr::decode_type(again);
    require(again.ok() && again.remaining() == 0);
    // Comparing has a limit. Types that share parts in many ways may reach it.
    (void)cdr::equal(*copy.node, *type.node);
  }
  const cdr::TypeRef deep = cdr::deep_copy(*type.node);
  const cdr::TypeRef compact = cdr::compact_copy(*type.node);
  require(deep.node->kind == type.node->kind && compact.node->kind == type.node->kind);
  Octets octets;
  if (!encode(octets, orders[0], 0, [&](Encoder& encoder) { encode_type(encoder, *deep.node); }))
    return;
  Decoder again(octets, orders[0]);
  const cdr::TypeRef copy = cdr::decode_type(again);
  require(again.ok());
  (void)cdr::equivalent(*copy.node, *compact.node);
}

/// Extracts values of many types. Each extraction must return false or give a value.
template <typename... Types>
void extract(const CORBA::Any& any) {
  const auto extract_one = [&any](auto value) { (void)(any >>= value); };
  (extract_one(Types{}), ...);
}

/// False if the any cannot be written again. The limits of writing depend on the any alone, so an
/// any that was accepted in a larger input may exceed them.
bool forward(const CORBA::Any& any, std::endian order, std::size_t start) {
  Octets octets;
  if (!encode(octets, order, start, [&](Encoder& encoder) { encoder << any; })) return false;
  Decoder again(octets, order, start);
  CORBA::Any copy;
  again >> copy;
  require(again.ok() && again.remaining() == 0);
  const bool is_known_equal = cdr::equal(any::Access::type(copy), any::Access::type(any));
  Octets walked;
  const std::endian other = order == orders[0] ? orders[1] : orders[0];
  if (!encode(walked, other, start + 1, [&](Encoder& encoder) { encoder << copy; })) return false;
  require(!is_known_equal || copy == any);
  return true;
}

void try_any(Decoder decoder) {
  CORBA::Any any;
  decoder >> any;
  if (!decoder.ok()) return require(!any.has_value());
  extract<bool, char, wchar_t, std::int32_t, long double, std::string, std::wstring,
          std::vector<std::uint8_t>, std::vector<std::string>, std::vector<CORBA::Any>, CORBA::Any,
          CORBA::object_reference<CORBA::TypeCode>, CORBA::object_reference<CORBA::Object>>(any);
  for (const std::endian order : orders)
    for (const std::size_t start : {std::size_t{0}, std::size_t{4}})
      if (!forward(any, order, start)) return;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const OctetSpan octets = std::as_bytes(std::span(data, size)).subspan(1);
  const std::size_t start = (data[0] >> 2) & 7u;
  const Decoder decoder(octets, orders[data[0] & 1], start);
  if ((data[0] & 2) != 0)
    try_type(decoder);
  else
    try_any(decoder);
  return 0;
}
