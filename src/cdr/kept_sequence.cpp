// Taking the memory of large sequences, and giving it back.
#include <perigee/cdr/kept_sequence.h>
#include <perigee/cdr/sequence_memory.h>

#include <utility>

namespace perigee::cdr {

template <BasicType T>
void KeptSequence<T>::take(Decoder ahead) {
  const std::size_t octets = ahead.read_length(sizeof(T)) * sizeof(T);
  SequenceMemory* const memory = ahead.sequence_memory();
  if (octets <= kept_above || memory == nullptr) return;
  LargeVector vector{std::vector<T>()};
  memory->take(vector, octets);
  values_ = std::get<std::vector<T>>(std::move(vector));
  memory_ = memory;
}

template <BasicType T>
void KeptSequence<T>::give_back() noexcept {
  memory_->give_back(std::move(values_));
}

void Decoder::will_fill(void* memory, std::size_t size) noexcept {
  if (SequenceMemory* const source = sequence_memory()) source->will_fill(memory, size);
}

#define PERIGEE_INSTANTIATE(T)                                    \
  template PERIGEE_API void KeptSequence<T>::take(Decoder ahead); \
  template PERIGEE_API void KeptSequence<T>::give_back() noexcept;
PERIGEE_KEPT_ELEMENTS(PERIGEE_INSTANTIATE)
#undef PERIGEE_INSTANTIATE

}  // namespace perigee::cdr
