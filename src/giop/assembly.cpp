// How the storage of an incoming message grows: by what has arrived, not by what was promised.
#include "giop/assembly.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace perigee::giop {

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

void Assembly::release(messaging::IncomingMessage& message) noexcept {
  std::byte* octets = storage_.get();
  if (is_fragmented_) {
    octets[flags_offset] &= ~std::byte{flag_more_fragments};
    store_ulong(octets + size_offset, static_cast<std::uint32_t>(size_ - frame_header_size),
                first_.order);
  }
  message.kind = static_cast<MessageKind>(first_.type);
  message.version = first_.version;
  message.order = first_.order;
  message.octets = {octets, size_};
  message.header_size = frame_header_size;
  message.storage = std::move(storage_);
  size_ = 0;
  capacity_ = 0;
}

}  // namespace perigee::giop
