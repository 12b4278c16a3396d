// Puts an incoming message together, piece by piece.
#include "engine/connection/assembly.h"

#include <algorithm>
#include <cstring>
#include <new>
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

void Assembly::append(OctetSpan octets, std::size_t announced, const Source& source) {
  const std::size_t size = size_ + octets.size();
  reserve(size, size + announced, source);
  if (!octets.empty()) std::memcpy(storage_.data() + size_, octets.data(), octets.size());
  size_ = size;
}

MutableOctetSpan Assembly::space(std::size_t announced, const Source& source) {
  if (size_ == storage_.capacity() && announced != 0) reserve(size_ + 1, size_ + announced, source);
  storage_.go_on_filling(size_);
  return {storage_.data() + size_, std::min(storage_.capacity() - size_, announced)};
}

void Assembly::reserve(std::size_t needed, std::size_t announced, const Source& source) {
  if (!storage_.reserve({size_, needed, announced, !is_fragmented_}, source))
    throw std::bad_alloc();
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
  const MutableOctetSpan octets(storage_.data(), size_);
  storage_.complete(size_);
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
}

}  // namespace perigee::engine
