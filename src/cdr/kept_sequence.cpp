// Takes memory for large sequences from the ORB, and gives it back.
#include <perigee/cdr/kept_sequence.h>
#include <perigee/cdr/landed_sequence.h>
#include <perigee/cdr/sequence_memory.h>

#include <utility>

namespace perigee::cdr {

namespace {

template <typename T>
constexpr std::size_t type_index() noexcept {
  return LargeVector(std::in_place_type<std::vector<T>>).index();
}

}  // namespace

template <BasicType T>
bool KeptSequence<T>::take(Decoder& decoder) {
  SequenceMemory* const memory = decoder.sequence_memory();
  if (memory == nullptr) return false;
  Decoder ahead = decoder;
  const std::size_t octets = ahead.read_length(sizeof(T)) * sizeof(T);
  if (octets <= kept_above) return false;
  const SequencePlace place{ahead.position() - sizeof(std::uint32_t), type_index<T>()};
  ahead.align(sizeof(T));
  if (take_landed(ahead, octets)) {
    memory_ = memory;
    decoder = ahead;
    return true;
  }
  if (ahead.remaining() == octets && !ahead.is_cut_within(octets)) memory->note_place(place);
  LargeVector vector{std::vector<T>()};
  memory->take(vector, octets);
  values_ = std::get<std::vector<T>>(std::move(vector));
  memory_ = memory;
  return false;
}

template <BasicType T>
bool KeptSequence<T>::take_landed(Decoder& ahead, std::size_t octets) {
  LandedSequence* const landed = ahead.pass_landed(octets);
  if (landed == nullptr || !landed->take(values_)) return false;
  if constexpr (sizeof(T) > 1)
    if (ahead.swaps())
      for (T& value : values_) value = reverse_octets(value);
  return true;
}

template <BasicType T>
void KeptSequence<T>::give_back() noexcept {
  memory_->give_back(std::move(values_));
}

void Decoder::will_fill(void* memory, std::size_t size) noexcept {
  if (SequenceMemory* const source = sequence_memory()) source->will_fill(memory, size);
}

#define PERIGEE_INSTANTIATE(T)                                       \
  template PERIGEE_API bool KeptSequence<T>::take(Decoder& decoder); \
  template PERIGEE_API void KeptSequence<T>::give_back() noexcept;
PERIGEE_KEPT_ELEMENTS(PERIGEE_INSTANTIATE)
#undef PERIGEE_INSTANTIATE

}  // namespace perigee::cdr
