// The CDR decoder against hostile octets. The input selects the types to read, and contains the
// octets. Layout: start (order and position), number of reads, their types, the octets.
#include "require.h"
#include <perigee/cdr/operators.h>
#include <perigee/cdr/pinned.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace perigee;
using cdr::Decoder;
using cdr::Encoder;
using fuzz::require;

template <typename T>
Octets encoded(const T& value, std::endian order) {
  cdr::Buffer buffer;
  Encoder encoder(buffer, order);
  encoder << value;
  require(encoder.ok());
  return buffer.flatten();
}

/// Reads a T. A value that was read without error must be the same after it was written and read in
/// both byte orders. The octets are compared, because a NaN is unequal to itself.
template <typename T>
void read(Decoder& decoder) {
  T value{};
  decoder >> value;
  if (!decoder.ok()) return;
  for (const auto order : {std::endian::little, std::endian::big}) {
    const Octets first = encoded(value, order);
    Decoder again(first, order);
    T copy{};
    again >> copy;
    require(again.ok() && again.remaining() == 0);
    require(encoded(copy, order) == first);
  }
}

void read_encapsulations(Decoder& decoder) {
  Decoder current = decoder.read_encapsulation();
  for (unsigned level = 0; current.ok() && current.remaining() > 0; ++level) {
    require(level < cdr::Limits{}.depth_max);
    read<std::string>(current);
    current = current.read_encapsulation();
  }
}

void read_views(Decoder& decoder) {
  const auto view = decoder.view_array<std::uint32_t>(decoder.read_length(4));
  std::uint64_t sum = 0;
  for (const std::uint32_t value : view) sum += value;
  require(sum <= view.size() * 0xffffffffull);
}

/// Shares the octets of the input, which outlive all values.
class Input final : public cdr::PinSource {
 public:
  [[nodiscard]] counted_ptr<cdr::PinnedMemory> share(Decoder& /*decoder*/,
                                                     OctetSpan octets) override {
    if (octets.size() % 2 != 0) return nullptr;
    return make_counted<cdr::PinnedMemory>();
  }
};

/// A pinned value must have the same elements as a copied one.
template <typename T, typename Container>
void read_pinned(Decoder& decoder) {
  Decoder again = decoder;
  Container copied;
  again >> copied;
  Input input;
  pinned<T> value;
  decoder >> cdr::pinned_from(input, value);
  require(decoder.ok() == again.ok());
  if (!decoder.ok()) return require(value.empty());
  require(decoder.remaining() == again.remaining());
  const OctetSpan found = std::as_bytes(value.span());
  const OctetSpan expected = std::as_bytes(std::span(copied));
  require(std::ranges::equal(found, expected));
}

using Read = void (*)(Decoder&);
constexpr Read reads[] = {
    read<std::uint8_t>,
    read<char>,
    read<bool>,
    read<std::int16_t>,
    read<std::int32_t>,
    read<std::int64_t>,
    read<float>,
    read<double>,
    read<long double>,
    read<std::string>,
    read<std::vector<std::uint8_t>>,
    read<std::vector<bool>>,
    read<std::vector<std::int16_t>>,
    read<std::vector<std::int64_t>>,
    read<std::vector<long double>>,
    read<std::vector<std::string>>,
    read<std::vector<std::vector<std::vector<std::string>>>>,
    read_encapsulations,
    read_views,
    [](Decoder& decoder) { (void)decoder.read_enum(3); },
    [](Decoder& decoder) { decoder.align(8); },
    [](Decoder& decoder) { (void)decoder.read_string_view(); },
    read_pinned<std::uint8_t, std::vector<std::uint8_t>>,
    read_pinned<std::int64_t, std::vector<std::int64_t>>,
    read_pinned<char, std::string>,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto order = (data[0] & 1) != 0 ? std::endian::big : std::endian::little;
  const std::size_t position = data[0] >> 1 & 7;
  const std::size_t count = std::min<std::size_t>(data[1], size - 2);
  const OctetSpan octets = std::as_bytes(std::span(data + 2 + count, size - 2 - count));
  Decoder decoder(octets, order, position, {.depth_max = 16});
  for (std::size_t index = 0; index < count; ++index) {
    const std::size_t before = decoder.position();
    reads[data[2 + index] % std::size(reads)](decoder);
    require(decoder.position() >= before && decoder.position() <= octets.size());
    require(decoder.ok() || decoder.remaining() == 0);
  }
  return 0;
}
