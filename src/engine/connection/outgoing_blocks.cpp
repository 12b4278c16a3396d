// Memory of blocks, and the places of messages in them.
#include "engine/connection/outgoing_blocks.h"

#include <perigee/base/copy.h>
#include <perigee/base/pool.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <memory>
#include <new>
#include <utility>

namespace perigee::engine {

namespace {

constexpr std::size_t record_size = sizeof(std::size_t);
constexpr std::size_t shared_block_size = pool::pooled_size_max;
/// A smaller segment is copied: the copy costs less than a block and a segment of its own.
constexpr std::size_t shared_part_min = std::size_t{4} * 1024;

bool contains(OctetSpan outer, OctetSpan inner) noexcept {
  return std::less_equal<>()(outer.data(), inner.data()) &&
         std::less_equal<>()(inner.data() + inner.size(), outer.data() + outer.size());
}

}  // namespace

struct OutgoingBlock::Lent {
  messaging::StorageBlock memory;
  Source source;
};

// The whole block is filled at once, so large pages take hardly more memory than the block.
OutgoingBlock* OutgoingBlock::make_lent(std::size_t needed, const Source& source) noexcept {
  const std::size_t total = sizeof(Lent) + needed;
  messaging::StorageBlock memory = source->take({0, total, total, true});
  if (memory.octets == nullptr) return nullptr;
  const bool is_fresh = memory.resident < total;
  if (is_fresh && total >= messaging::MessageStorage::large_pages_from)
    source->use_large_pages(memory);
  memory.resident = std::max(memory.resident, total);
  auto* const lent = new (memory.octets) Lent{memory, source};
  return new (lent + 1) OutgoingBlock(needed, Kind::lent);
}

void OutgoingBlock::give_back(OutgoingBlock* block) noexcept {
  Lent* const lent = std::launder(reinterpret_cast<Lent*>(block) - 1);
  block->~OutgoingBlock();
  const Lent taken = std::move(*lent);
  lent->~Lent();
  taken.source->give_back(taken.memory);
}

OutgoingBlock* OutgoingBlock::make(std::size_t size, const Source& source) noexcept {
  const std::size_t padded = (size + record_size - 1) / record_size * record_size;
  const std::size_t needed = sizeof(OutgoingBlock) + padded + record_size;
  const std::size_t allocated =
      size <= shared_size_max ? shared_block_size : std::max(needed, shared_block_size);
  if (size > messaging::MessageStorage::mapped_above && source != nullptr)
    if (OutgoingBlock* const block = make_lent(needed, source)) return block;
  return allocate(allocated, Kind::messages);
}

OutgoingBlock* OutgoingBlock::allocate(std::size_t allocated, Kind kind) noexcept try {
  return new (pool::allocate(allocated)) OutgoingBlock(allocated, kind);
} catch (const std::bad_alloc&) {
  return nullptr;
}

OutgoingBlock* OutgoingBlock::make_part(OctetSpan copied) noexcept {
  const std::size_t padded = (copied.size() + record_size - 1) / record_size * record_size;
  OutgoingBlock* const block = allocate(sizeof(OutgoingBlock) + padded + record_size, Kind::part);
  if (block == nullptr) return nullptr;
  copy_octets(block->octets(), copied.data(), copied.size());
  block->size_ = copied.size();
  return block;
}

OutgoingBlock* OutgoingBlock::make_shared_part(OctetSpan octets,
                                               counted_ptr<cdr::PinnedMemory> memory) noexcept {
  using Owner = counted_ptr<cdr::PinnedMemory>;
  static_assert(sizeof(Owner) % record_size == 0);
  OutgoingBlock* const block =
      allocate(sizeof(OutgoingBlock) + sizeof(Owner) + record_size, Kind::shared_part);
  if (block == nullptr) return nullptr;
  new (block->octets()) Owner(std::move(memory));
  block->data_ = octets.data();
  block->size_ = octets.size();
  return block;
}

void OutgoingBlock::end_message() noexcept {
  new (&end_of(0)) std::size_t(size_);
  count_ = 1;
}

void OutgoingBlock::destroy(OutgoingBlock* block) noexcept {
  if (block == nullptr) return;
  if (block->kind_ == Kind::lent) return give_back(block);
  if (block->kind_ == Kind::shared_part)
    std::destroy_at(
        std::launder(reinterpret_cast<counted_ptr<cdr::PinnedMemory>*>(block->octets())));
  const std::size_t allocated = block->allocated_;
  block->~OutgoingBlock();
  pool::release(block, allocated);
}

// The ends of the messages are stored at the end of the block, in reverse order.
std::size_t& OutgoingBlock::end_of(std::uint32_t index) noexcept {
  const std::size_t place = allocated_ - sizeof(OutgoingBlock) - (index + 1) * record_size;
  return *reinterpret_cast<std::size_t*>(octets() + place);
}

bool OutgoingBlock::has_room(std::size_t size) const noexcept {
  if (is_part()) return false;
  const std::size_t records = (std::size_t{count_} + 1) * record_size;
  return allocated_ - sizeof(OutgoingBlock) - size_ >= size + records;
}

void OutgoingBlock::append(std::span<const OctetSpan> segments, std::size_t skipped,
                           Ticket ticket) noexcept {
  for (OctetSpan segment : segments) {
    const std::size_t skip = std::min(skipped, segment.size());
    skipped -= skip;
    segment = segment.subspan(skip);
    if (segment.empty()) continue;
    copy_octets(octets() + size_, segment.data(), segment.size());
    size_ += segment.size();
  }
  if (count_ == 0) first_ = ticket;
  assert(ticket == first_ + count_ * ticket_step);
  new (&end_of(count_)) std::size_t(size_);
  ++count_;
}

// A withdrawn message stays as an empty message, so that the others keep their tickets.
std::size_t OutgoingBlock::withdraw(Ticket ticket) noexcept {
  if (is_part()) return 0;
  if (ticket < first_ || ticket > last() || (ticket - first_) % ticket_step != 0) return 0;
  const auto index = static_cast<std::uint32_t>((ticket - first_) / ticket_step);
  const std::size_t begin = begin_of(index);
  const std::size_t end = end_of(index);
  if (begin == end) return 0;
  std::memmove(octets() + begin, octets() + end, size_ - end);
  size_ -= end - begin;
  for (std::uint32_t later = index; later < count_; ++later) end_of(later) -= end - begin;
  ++withdrawn_;
  return end - begin;
}

OctetSpan OutgoingBlock::rest_of_message() noexcept {
  (void)next();
  return {data_ + sent_, end_of(whole_) - sent_};
}

Ticket OutgoingBlock::next() noexcept {
  while (whole_ + 1 < count_ && end_of(whole_) <= sent_) ++whole_;
  return first_ + whole_ * ticket_step;
}

Ticket OutgoingBlock::advance(std::size_t count) noexcept {
  sent_ += count;
  while (whole_ < count_ && end_of(whole_) <= sent_) ++whole_;
  return whole_ == 0 ? 0 : first_ + (whole_ - 1) * ticket_step;
}

void OutgoingBlocks::push_back(OutgoingBlock& block) noexcept {
  block.following_ = nullptr;
  (tail_ != nullptr ? tail_->following_ : head_) = &block;
  tail_ = &block;
  octets_ += block.unsent();
}

void OutgoingBlocks::push_front(OutgoingBlock& block) noexcept {
  block.following_ = head_;
  head_ = &block;
  if (tail_ == nullptr) tail_ = &block;
  octets_ += block.unsent();
}

OutgoingBlock& OutgoingBlocks::pop_front() noexcept {
  OutgoingBlock& block = *head_;
  head_ = block.following_;
  if (head_ == nullptr) tail_ = nullptr;
  octets_ -= block.unsent();
  return block;
}

void OutgoingBlocks::append(std::span<const OctetSpan> segments, std::size_t size,
                            Ticket ticket) noexcept {
  tail_->append(segments, 0, ticket);
  octets_ += size;
}

bool OutgoingBlocks::keep(std::span<const OctetSpan> segments, std::size_t skipped,
                          OctetSpan shared, const counted_ptr<cdr::PinnedMemory>& memory) noexcept {
  for (OctetSpan segment : segments) {
    const std::size_t skip = std::min(skipped, segment.size());
    skipped -= skip;
    segment = segment.subspan(skip);
    if (segment.empty()) continue;
    const bool is_shared = segment.size() >= shared_part_min && contains(shared, segment);
    OutgoingBlock* const block = is_shared ? OutgoingBlock::make_shared_part(segment, memory)
                                           : OutgoingBlock::make_part(segment);
    if (block == nullptr) return false;
    block->begins_message_ = empty();
    push_back(*block);
  }
  if (!empty()) tail_->end_message();
  return true;
}

void OutgoingBlocks::set_ticket(Ticket ticket) noexcept {
  for (OutgoingBlock* block = head_; block != nullptr; block = block->following_)
    block->set_ticket(ticket);
}

// Called under a lock: the time does not depend on the number of blocks.
void OutgoingBlocks::push_back(OutgoingBlocks& others) noexcept {
  if (others.empty()) return;
  (tail_ != nullptr ? tail_->following_ : head_) = others.head_;
  tail_ = others.tail_;
  octets_ += others.octets_;
  others.head_ = others.tail_ = nullptr;
  others.octets_ = 0;
}

void OutgoingBlocks::push_front(OutgoingBlocks& others) noexcept {
  others.push_back(*this);
  swap(others);
}

std::size_t OutgoingBlocks::withdraw(Ticket ticket, OutgoingBlocks& emptied) noexcept {
  OutgoingBlock* before = nullptr;
  for (OutgoingBlock* block = head_; block != nullptr; block = block->following_) {
    if (block->is_part()) {
      if (block->begins_message_ && block->first() == ticket) return take_parts(before, emptied);
    } else if (const std::size_t size = block->withdraw(ticket); size != 0) {
      octets_ -= size;
      if (block->size() == 0) emptied.push_back(take_after(before));
      return size;
    }
    before = block;
  }
  return 0;
}

// The parts of the message that begins after `before`.
std::size_t OutgoingBlocks::take_parts(OutgoingBlock* before, OutgoingBlocks& taken) noexcept {
  bool is_last = false;
  while (!is_last) {
    OutgoingBlock& part = take_after(before);
    is_last = part.messages() != 0;
    taken.push_back(part);
  }
  return taken.octets();
}

// Null: the first block.
OutgoingBlock& OutgoingBlocks::take_after(OutgoingBlock* before) noexcept {
  OutgoingBlock& block = before == nullptr ? *head_ : *before->following_;
  (before != nullptr ? before->following_ : head_) = block.following_;
  if (tail_ == &block) tail_ = before;
  octets_ -= block.unsent();
  return block;
}

Ticket OutgoingBlocks::advance(std::size_t count) noexcept {
  Ticket whole = 0;
  octets_ -= count;
  while (head_ != nullptr) {
    const std::size_t part = std::min(count, head_->unsent());
    if (const Ticket last = head_->advance(part); last != 0) whole = last;
    count -= part;
    if (head_->unsent() != 0) break;
    OutgoingBlock::destroy(&pop_front());
  }
  return whole;
}

void OutgoingBlocks::swap(OutgoingBlocks& other) noexcept {
  std::swap(head_, other.head_);
  std::swap(tail_, other.tail_);
  std::swap(octets_, other.octets_);
}

void OutgoingBlocks::clear() noexcept {
  while (!empty()) OutgoingBlock::destroy(&pop_front());
}

bool OutgoingBlocks::check_invariants() const noexcept {
  std::size_t sum = 0;
  const OutgoingBlock* last = nullptr;
  for (const OutgoingBlock* block = head_; block != nullptr; block = block->following_) {
    const bool goes_on = last != nullptr && last->is_part() && last->messages() == 0;
    if (goes_on && last->first() != block->first()) return false;
    if (last != nullptr && !goes_on && last->last() >= block->first()) return false;
    sum += block->unsent();
    last = block;
  }
  return last == tail_ && sum == octets_;
}

}  // namespace perigee::engine
