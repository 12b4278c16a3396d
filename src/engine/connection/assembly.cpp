// How the storage of an incoming message grows: by the octets that have arrived, not by the
// announced size.
#include "engine/connection/assembly.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace perigee::engine {

// The alignment of a continuation counts from its own header. That makes no difference where the
// octets before it end at the same place within eight: always in GIOP 1.2. CORBA 3.0, 15.4.9.
void Assembly::begin_continuation(const messaging::Frame& frame) {
  ++fragments_;
  more_ = frame.more;
  const bool goes_on = (size_ & 7U) == (frame.header_size & 7U);
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

void Assembly::release(messaging::IncomingMessage& message, const messaging::Session& session) {
  const MutableOctetSpan octets(storage_.get(), size_);
  if (is_fragmented_) session.join(octets, first_);
  message.kind = first_.kind;
  message.version = first_.version;
  message.order = first_.order;
  message.octets = octets;
  message.header_size = first_.header_size;
  message.storage = std::move(storage_);
  message.piece_sizes = piece_sizes();
  cuts_.clear();
  size_ = 0;
  capacity_ = 0;
}

}  // namespace perigee::engine
