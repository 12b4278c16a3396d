// Puts an incoming message together, piece by piece.
#include "engine/connection/assembly.h"

#include <perigee/base/copy.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace perigee::engine {

// Alignment in a continuation counts from its own header. That makes no difference if its first
// octet has the same position, modulo 8, in the continuation and in the whole message. In GIOP 1.2
// this is always so: CORBA 3.0, 15.4.9.
void Assembly::begin_continuation(const messaging::Frame& frame) {
  ++fragments_;
  more_ = frame.more;
  const bool goes_on = (size_ & 7U) == (frame.header_size & 7U);
  if (goes_on) return;
  if (cuts_ == nullptr) cuts_ = std::make_unique<std::vector<std::size_t>>();
  if (cuts_->empty() || cuts_->back() != size_) cuts_->push_back(size_);
}

void Assembly::append(OctetSpan octets, std::size_t announced, const Source& source) {
  const std::size_t size = size_ + octets.size();
  if (landed_) {
    if (size + announced <= landed_end()) return append_landed(octets, source);
    leave_landed(octets.size() + announced, source);
  }
  reserve(size, size + announced, source);
  if (!octets.empty()) copy_octets(storage_.data() + size_, octets.data(), octets.size());
  size_ = size;
}

/// Octets of the head go to the storage, those of the elements to the vector.
void Assembly::append_landed(OctetSpan octets, const Source& source) {
  if (size_ == 0) {
    const std::size_t head_size = landed_->head_size();
    reserve(head_size, head_size, source);
    std::memcpy(storage_.data(), octets.data(), head_size);
    octets = octets.subspan(head_size);
    size_ = head_size;
  }
  copy_octets(landed_rest().data(), octets.data(), octets.size());
  size_ += octets.size();
}

/// The message does not end with the sequence: the elements that have arrived move to the storage.
void Assembly::leave_landed(std::size_t announced, const Source& source) {
  if (size_ == 0) return landed_.reset();
  const std::unique_ptr<cdr::LandedSequence> landed = std::move(landed_);
  if (announced != 0) memory_of_landed_->forget_place(landed->place());
  const std::size_t size = std::exchange(size_, landed->head_size());
  reserve(size, size + announced, source);
  const OctetSpan elements = landed->octets().first(size - size_);
  std::ranges::copy(elements, storage_.data() + size_);
  size_ = size;
}

MutableOctetSpan Assembly::space(std::size_t announced, const Source& source) {
  if (landed_) return landed_rest().first(announced);
  if (size_ == storage_.capacity() && announced != 0) reserve(size_ + 1, size_ + announced, source);
  storage_.go_on_filling(size_);
  return {storage_.data() + size_, std::min(storage_.capacity() - size_, announced)};
}

void Assembly::reserve(std::size_t needed, std::size_t announced, const Source& source) {
  if (!storage_.reserve({size_, needed, announced, !is_fragmented_}, source))
    throw std::bad_alloc();
}

std::unique_ptr<std::size_t[]> Assembly::piece_sizes() const {
  if (cuts_ == nullptr) return nullptr;
  const std::vector<std::size_t>& cuts = *cuts_;
  auto sizes = std::make_unique<std::size_t[]>(cuts.size() + 1);
  std::size_t begin = 0;
  for (std::size_t index = 0; index < cuts.size(); ++index) {
    sizes[index] = cuts[index] - begin;
    begin = cuts[index];
  }
  sizes[cuts.size()] = size_ - begin;
  return sizes;
}

void Assembly::release(messaging::IncomingMessage& message, const messaging::Session& session) {
  if (landed_ && (size_ != landed_end() || cuts_ != nullptr)) leave_landed(0, nullptr);
  const MutableOctetSpan octets(storage_.data(), landed_ ? landed_->head_size() : size_);
  storage_.complete(octets.size());
  if (is_fragmented_) session.join(octets, size_, first_);
  message.kind = first_.kind;
  message.version = first_.version;
  message.order = first_.order;
  message.octets = octets;
  message.header_size = first_.header_size;
  message.storage = std::move(storage_);
  message.piece_sizes = piece_sizes();
  message.landed = std::move(landed_);
  cuts_.reset();
  size_ = 0;
}

}  // namespace perigee::engine
