// The memory of decoded values. The first octet selects the byte order and a type, the other octets
// are the message. Its values may take 8 times the size of the message plus `uncharged_max`.
#include "heap.h"
#include <perigee/cdr/operators.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/map.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace perigee;
using cdr::Decoder;
using fuzz::allocated;
using fuzz::uncharged_max;

/// Like a generated union: its size in memory does not depend on the branch.
struct Picture {
  std::uint8_t branch = 0;
  std::array<std::int32_t, 1000> pixels{};
  std::string name;
};
Decoder& operator>>(Decoder& decoder, Picture& value) {
  decoder >> value.branch;
  if (value.branch == 1) decoder >> value.pixels;
  if (value.branch == 2) decoder >> value.name;
  return decoder;
}

template <typename T>
void read(Decoder& decoder, T& value) {
  decoder >> value;
}
void read(Decoder& decoder, cdr::TypeRef& type) { type = cdr::decode_type(decoder); }

template <typename T>
void try_type(OctetSpan message, std::endian order) {
  const std::size_t before = allocated();
  cdr::Limits limits;
  limits.decoded_size_max = 0;
  Decoder decoder(message, order, 0, limits);
  T value{};
  read(decoder, value);
  const std::size_t after = allocated();
  if (after > before + 8 * message.size() + uncharged_max) std::abort();
}

using Try = void (*)(OctetSpan, std::endian);
constexpr Try types[] = {
    &try_type<std::vector<Picture>>,
    &try_type<std::vector<std::vector<Picture>>>,
    &try_type<std::map<std::uint8_t, Picture>>,
    &try_type<std::vector<std::string>>,
    &try_type<std::vector<std::wstring>>,
    &try_type<std::vector<CORBA::Any>>,
    &try_type<CORBA::Any>,
    &try_type<cdr::TypeRef>,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const OctetSpan message = std::as_bytes(std::span(data, size)).subspan(1);
  const std::endian order = (data[0] & 1) != 0 ? std::endian::big : std::endian::little;
  types[(data[0] >> 1) % std::size(types)](message, order);
  return 0;
}
