// The growth of the storage of an incoming message. It depends on the octets that have arrived, not
// on the announced size.
#include "giop_assembly.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace perigee::fuzz {

// In 1.2 the alignment continues in the next fragment. In 1.1 it counts from the fragment's own
// header of 12 octets. This makes no difference if size_ and 12 are equal modulo 8. CORBA 3.0,
// 15.4.9.
void Assembly::begin_fragment(const FrameHeader& header) {
  ++fragments_;
  more_ = header.more_fragments;
  const bool goes_on = first_.version.minor >= 2 || (size_ & 7U) == 4;
  if (!goes_on && (cuts_.empty() || cuts_.back() != size_)) cuts_.push_back(size_);
}

void Assembly::append(OctetSpan octets, std::size_t announced) {
  const std::size_t needed = size_ + octets.size();
  if (needed > capacity_) grow(needed, needed + announced);
  if (!octets.empty()) std::memcpy(storage_.get() + size_, octets.data(), octets.size());
  size_ = needed;
}

MutableOctetSpan Assembly::space(std::size_t announced) {
  if (size_ == capacity_ && announced != 0) grow(size_ + 1, size_ + announced);
  return {storage_.get() + size_, std::min(capacity_ - size_, announced)};
}

void Assembly::grow(std::size_t needed, std::size_t wanted) {
  std::size_t capacity = std::min(wanted, std::max(first_capacity, growth_factor * size_));
  if (is_fragmented_) capacity = std::max(capacity, 2 * size_);  // amortises many small fragments
  capacity = std::max(capacity, needed);
  auto storage = std::make_unique_for_overwrite<std::byte[]>(capacity);
  if (size_ != 0) std::memcpy(storage.get(), storage_.get(), size_);
  storage_ = std::move(storage);
  capacity_ = capacity;
}

std::unique_ptr<std::size_t[]> Assembly::piece_sizes() const {
  if (cuts_.empty()) return nullptr;
  auto sizes = std::make_unique<std::size_t[]>(cuts_.size() + 1);
  std::size_t begin = 0;
  for (std::size_t index = 0; index < cuts_.size(); ++index) {
    sizes[index] = cuts_[index] - begin;
    begin = cuts_[index];
  }
  sizes[cuts_.size()] = size_ - begin;
  return sizes;
}

void Assembly::release(messaging::IncomingMessage& message) {
  std::byte* octets = storage_.get();
  if (is_fragmented_) {
    octets[flags_offset] &= ~std::byte{flag_more_fragments};
    store_ulong(octets + size_offset, static_cast<std::uint32_t>(size_ - frame_header_size),
                first_.order);
  }
  message.kind = static_cast<MessageKind>(first_.type);
  message.version = first_.version;
  message.order = first_.order;
  if (!message.storage.reserve({0, size_, size_}, nullptr)) throw std::bad_alloc();
  std::copy_n(octets, size_, message.storage.data());
  message.octets = {message.storage.data(), size_};
  message.header_size = first_.header_size;
  storage_.reset();
  message.piece_sizes = piece_sizes();
  cuts_.clear();
  size_ = 0;
  capacity_ = 0;
}

}  // namespace perigee::fuzz
