// Decodes pinned values: in the memory of their message, or else in memory of their own.
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

/// Octets of an object that are charged besides its elements: pins of a few octets are not free.
constexpr std::uint64_t overhead = 64;

/// The memory of a container, or of an array.
template <typename Container>
class Owned final : public PinnedMemory {
 public:
  Owned(Container elements, PinCharge charge) noexcept
      : elements_(std::move(elements)), charge_(std::move(charge)) {}
  [[nodiscard]] const Container& elements() const noexcept { return elements_; }

 private:
  const Container elements_;
  const PinCharge charge_;
};

/// The charge for memory of `octets`. Empty, with an error of the decoder: the budget is full.
std::optional<PinCharge> charge_for(Decoder& decoder, std::uint64_t octets) noexcept {
  PinCharge charge(decoder.environment());
  if (charge.try_charge(octets + overhead)) return charge;
  decoder.fail(ErrorKind::memory_full);
  return std::nullopt;
}

template <typename T>
struct Filled {
  counted_ptr<PinnedMemory> memory;
  std::span<const T> elements;
};

/// The elements in memory of their own, which `fill` writes.
template <typename T, typename Fill>
Filled<T> in_own_memory(Decoder& decoder, std::size_t count, Fill&& fill) {
  auto charge = charge_for(decoder, count * sizeof(T));
  if (!charge) return {};
  auto elements = std::make_unique_for_overwrite<T[]>(count);
  const std::span<T> all(elements.get(), count);
  fill(all);
  if (!decoder.ok()) return {};
  return {make_counted<Owned<std::unique_ptr<T[]>>>(std::move(elements), std::move(*charge)), all};
}

/// The elements as they lie in the message, or a copy of them.
template <typename T>
Filled<T> shared_or_copied(Decoder& decoder, PinSource& source, std::span<const T> view) {
  if (auto memory = source.share(decoder, std::as_bytes(view))) return {std::move(memory), view};
  if (!decoder.ok()) return {};
  return in_own_memory<T>(decoder, view.size(), [view](std::span<T> copy) {
    std::memcpy(copy.data(), view.data(), view.size_bytes());
  });
}

/// The vector into which the ORB has received the sequence. Null: there is none of this type.
template <typename T>
Filled<T> take_landed(Decoder& decoder, std::size_t count) {
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
  const std::span<const T> elements(values);  // stays valid when the vector is moved
  return {make_counted<Owned<std::vector<T>>>(std::move(values), std::move(*charge)), elements};
}

template <typename T>
Filled<T> read_sequence(Decoder& decoder, PinSource& source, std::size_t count) {
  if (auto landed = take_landed<T>(decoder, count); landed.memory || !decoder.ok()) return landed;
  const std::span<const T> view = decoder.view_array<T>(count);
  if (!view.empty()) return shared_or_copied(decoder, source, view);
  return in_own_memory<T>(decoder, count,
                          [&decoder](std::span<T> values) { decoder.read_array(values); });
}

}  // namespace

template <BasicType T>
void Pinning::read(Decoder& decoder, PinSource& source, pinned<T>& values) {
  values = pinned<T>();
  const std::size_t count = decoder.read_length(sizeof(T));
  if (count == 0) return;
  Filled<T> filled = read_sequence<T>(decoder, source, count);
  if (decoder.ok()) values = pinned<T>(std::move(filled.memory), filled.elements);
}

// A text that had to be converted is in `storage`.
void Pinning::read(Decoder& decoder, PinSource& source, pinned<char>& text) {
  text = pinned<char>();
  std::string storage;
  const std::string_view view = decoder.read_borrowed_string(storage);
  if (view.empty() || !decoder.ok()) return;
  Filled<char> filled;
  if (storage.empty()) {
    filled = shared_or_copied<char>(decoder, source, view);
  } else {
    filled = in_own_memory<char>(decoder, view.size(), [view](std::span<char> copy) {
      std::memcpy(copy.data(), view.data(), view.size());
    });
  }
  if (decoder.ok()) text = pinned<char>(std::move(filled.memory), filled.elements);
}

#define PERIGEE_INSTANTIATE(T) \
  template PERIGEE_API void Pinning::read(Decoder& decoder, PinSource& source, pinned<T>& values);
PERIGEE_KEPT_ELEMENTS(PERIGEE_INSTANTIATE)
#undef PERIGEE_INSTANTIATE

}  // namespace perigee::cdr
