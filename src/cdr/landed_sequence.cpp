// Finds the octets of the vector in a LandedSequence, and joins them with the rest of the message.
#include <perigee/cdr/landed_sequence.h>
#include <perigee/cdr/pinned_memory.h>

#include <algorithm>
#include <new>

namespace perigee::cdr {

LandedSequence::LandedSequence(LargeVector values, SequencePlace place,
                               std::size_t head_size) noexcept
    : DecoderPart(Kind::landed),
      values_(std::move(values)),
      place_(place),
      head_size_(head_size),
      memory_(0) {
  std::visit(
      [this](auto& numbers) {
        constexpr std::size_t size = sizeof(*numbers.data());
        octets_ = {reinterpret_cast<std::byte*>(numbers.data()), numbers.size() * size};
        memory_ = numbers.capacity() * size;
      },
      values_);
}

LandedSequence::LandedSequence(OctetSpan octets, counted_ptr<PinnedMemory> memory,
                               std::size_t head_size) noexcept
    : DecoderPart(Kind::landed),
      place_(),
      head_size_(head_size),
      memory_(0),
      linked_(octets),
      linked_memory_(std::move(memory)) {}

LandedSequence::~LandedSequence() = default;

OctetSpan LandedSequence::join(OctetSpan head) noexcept {
  const OctetSpan numbers = is_linked() ? linked_ : OctetSpan(octets_);
  const std::size_t size = head.size() + numbers.size();
  if (whole_ == nullptr) {
    if (taken_) return {};
    whole_.reset(new (std::nothrow) std::byte[size]);
    if (whole_ == nullptr) return {};
    std::ranges::copy(head, whole_.get());
    std::ranges::copy(numbers, whole_.get() + head.size());
  }
  return {whole_.get(), size};
}

}  // namespace perigee::cdr
