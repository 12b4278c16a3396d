// Finds the octets of the vector in a LandedSequence, and joins them with the rest of the message.
#include <perigee/cdr/landed_sequence.h>

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

OctetSpan LandedSequence::join(OctetSpan head) noexcept {
  const std::size_t size = head.size() + octets_.size();
  if (whole_ == nullptr) {
    if (taken_) return {};
    whole_.reset(new (std::nothrow) std::byte[size]);
    if (whole_ == nullptr) return {};
    std::ranges::copy(head, whole_.get());
    std::ranges::copy(octets_, whole_.get() + head.size());
  }
  return {whole_.get(), size};
}

}  // namespace perigee::cdr
