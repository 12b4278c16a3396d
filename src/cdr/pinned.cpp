// Decodes pinned values: in the memory of their message, or else in memory of their own.
#include <perigee/base/function_ref.h>
#include <perigee/cdr/landed_sequence.h>
#include <perigee/cdr/pinned.h>

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace perigee::cdr {

namespace {

/// Octets charged for the memory of a value in addition to its elements: a small value takes more
/// memory than its elements.
constexpr std::uint64_t overhead = 64;

/// Memory that one value has for itself.
template <typename Container>
class Owned final : public PinnedMemory {
 public:
  Owned(Container elements, PinCharge charge) noexcept
      : elements_(std::move(elements)), charge_(std::move(charge)) {}

 private:
  const Container elements_;
  const PinCharge charge_;
};

/// The octets of a value, and their memory. Null: the decoder has an error.
struct Place {
  counted_ptr<PinnedMemory> memory;
  const std::byte* octets = nullptr;
};

/// The charge for memory of `octets`. Empty, with an error of the decoder: the budget is full.
std::optional<PinCharge> charge_for(Decoder& decoder, std::uint64_t octets) noexcept {
  PinCharge charge(decoder.environment());
  if (charge.try_charge(octets + overhead)) return charge;
  decoder.fail(ErrorKind::memory_full);
  return std::nullopt;
}

/// Memory of `size` octets, aligned for every basic type, which `fill` writes.
Place in_own_memory(Decoder& decoder, std::size_t size, function_ref<void(std::byte*)> fill) {
  auto charge = charge_for(decoder, size);
  if (!charge) return {};
  auto octets = std::make_unique_for_overwrite<std::byte[]>(size);
  const std::byte* const first = octets.get();
  fill(octets.get());
  if (!decoder.ok()) return {};
  using Array = std::unique_ptr<std::byte[]>;
  return {make_counted<Owned<Array>>(std::move(octets), std::move(*charge)), first};
}

Place copied(Decoder& decoder, OctetSpan view) {
  return in_own_memory(decoder, view.size(),
                       [view](std::byte* place) { std::memcpy(place, view.data(), view.size()); });
}

/// The octets in the memory of the message, or a copy of them.
Place shared_or_copied(Decoder& decoder, PinSource& source, OctetSpan view) {
  if (auto memory = source.share(decoder, view)) return {std::move(memory), view.data()};
  return decoder.ok() ? copied(decoder, view) : Place();
}

/// The vector into which the ORB has received the sequence. Null: there is no vector of this type,
/// or the decoder has an error.
template <typename T>
Place take_landed(Decoder& decoder, std::size_t count) {
  Decoder ahead = decoder;
  ahead.align(sizeof(T));
  LandedSequence* const landed = ahead.pass_landed(count * sizeof(T));
  if (landed == nullptr || !landed->holds<T>()) return {};
  auto charge = charge_for(decoder, landed->memory());
  if (!charge) return {};
  std::vector<T> values;
  (void)landed->take(values);  // cannot fail: it holds numbers of this type
  if constexpr (sizeof(T) > 1)
    if (ahead.swaps())
      for (T& value : values) value = reverse_octets(value);
  decoder = ahead;
  const auto* const first = reinterpret_cast<const std::byte*>(values.data());  // stays valid
  return {make_counted<Owned<std::vector<T>>>(std::move(values), std::move(*charge)), first};
}

/// The numbers in memory that the sender shares. They are not charged: a connection has a limited
/// number of links.
template <typename T>
Place take_linked(Decoder& decoder, std::size_t count) {
  Decoder ahead = decoder;
  ahead.align(sizeof(T));
  LandedSequence* const landed = ahead.pass_landed(count * sizeof(T));
  if (landed == nullptr || !landed->is_linked() || (sizeof(T) > 1 && ahead.swaps())) return {};
  const std::byte* const first = landed->linked().data();
  if (reinterpret_cast<std::uintptr_t>(first) % alignof(T) != 0) return {};
  decoder = ahead;
  return {landed->linked_memory(), first};
}

template <typename T>
Place read_sequence(Decoder& decoder, PinSource& source, std::size_t count) {
  if (Place landed = take_landed<T>(decoder, count); landed.memory || !decoder.ok()) return landed;
  if (Place linked = take_linked<T>(decoder, count); linked.memory) return linked;
  const std::span<const T> view = decoder.view_array<T>(count);
  if (!view.empty()) return shared_or_copied(decoder, source, std::as_bytes(view));
  return in_own_memory(decoder, count * sizeof(T), [&decoder, count](std::byte* place) {
    decoder.read_array(std::span(reinterpret_cast<T*>(place), count));
  });
}

}  // namespace

template <BasicType T>
void Pinning::read(Decoder& decoder, PinSource& source, pinned<T>& values) {
  values = pinned<T>();
  const std::size_t count = decoder.read_length(sizeof(T));
  if (count == 0) return;
  Place place = read_sequence<T>(decoder, source, count);
  if (!decoder.ok()) return;
  const std::span elements(reinterpret_cast<const T*>(place.octets), count);
  values = pinned<T>(std::move(place.memory), elements);
}

// A text that had to be converted is in `storage`.
void Pinning::read(Decoder& decoder, PinSource& source, pinned<char>& text) {
  text = pinned<char>();
  std::string storage;
  const std::string_view view = decoder.read_borrowed_string(storage);
  if (view.empty() || !decoder.ok()) return;
  const OctetSpan octets = std::as_bytes(std::span(view));
  Place place =
      storage.empty() ? shared_or_copied(decoder, source, octets) : copied(decoder, octets);
  if (!decoder.ok()) return;
  const std::span characters(reinterpret_cast<const char*>(place.octets), view.size());
  text = pinned<char>(std::move(place.memory), characters);
}

#define PERIGEE_INSTANTIATE(T) \
  template PERIGEE_API void Pinning::read(Decoder& decoder, PinSource& source, pinned<T>& values);
PERIGEE_KEPT_ELEMENTS(PERIGEE_INSTANTIATE)
#undef PERIGEE_INSTANTIATE

}  // namespace perigee::cdr
