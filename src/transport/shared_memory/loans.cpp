// Lends blocks, and notices when the receiver has given them back.
#include "transport/shared_memory/loans.h"

#include <perigee/event/handle_state.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::transport::shared_memory {

std::optional<Link> Loans::lend(OctetSpan octets) noexcept try {
  shared_buffer block = pool_.find(octets);
  if (!block) return std::nullopt;
  const auto in_block = static_cast<std::uint64_t>(octets.data() - block.data());
  Link link;
  link.offset = block.place().offset + in_block;
  link.size = octets.size();
  const std::uint64_t generation = block.place().generation;
  const std::lock_guard lock(mutex_);
  if (generation > newest_block_) {
    newest_block_ = generation;
    collect_some();
  }
  const auto index = free_word();
  if (!index) return std::nullopt;
  last_ = *index;
  Loan& loan = loans_[*index];
  if (++loan.generation == 0) ++loan.generation;  // a new word says 0: given back
  loan.block = std::move(block);
  loan.position = 0;
  link.hold = *index;
  link.generation = loan.generation;
  return link;
} catch (const std::exception&) {  // no memory: the octets are copied
  return std::nullopt;
}

// Takes blocks back soon after the receiver has given them back, so that a client that allocates a
// block for each call uses the same memory again. A client that lends the same blocks again needs
// no other memory. Then this function does not read the words, because their cache lines are in the
// receiver's cache.
void Loans::collect_some() noexcept {
  if (loans_.empty()) return;
  collect_word(last_);
  constexpr std::size_t further = 3;
  for (std::size_t left = std::min(further, loans_.size()); left != 0; --left) {
    next_ = next_ + 1 < loans_.size() ? next_ + 1 : 0;
    collect_word(next_);
  }
}

// Searches all words only when none is known to be free. If a search finds few free words, doubles
// the number of words, so that searches are rare. A cache line has 16 words.
std::optional<std::uint32_t> Loans::free_word() {
  if (free_.empty()) {
    collect_locked();
    if (free_.size() <= loans_.size() / 4 && loans_.size() < holds_max) add_words();
  }
  if (free_.empty()) return std::nullopt;
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

// Reserves memory for all words in `free_`, so that giving a word back allocates nothing.
void Loans::add_words() {
  const std::size_t before = loans_.size();
  const std::size_t after = std::clamp<std::size_t>(2 * before, 64, holds_max);
  free_.reserve(after);
  loans_.resize(after);
  for (std::size_t index = after; index > before; --index)
    free_.push_back(static_cast<std::uint32_t>(index - 1));
}

void Loans::note_queued(const Link& link, std::uint64_t position) noexcept {
  const std::lock_guard lock(mutex_);
  Loan& loan = loans_[link.hold];
  if (loan.generation == link.generation) loan.position = position;
}

void Loans::take_back(const Link& link) noexcept {
  const std::lock_guard lock(mutex_);
  const Loan& loan = loans_[link.hold];
  if (loan.block && loan.generation == link.generation) end(link.hold);
}

void Loans::take_back_queued(std::uint64_t position) noexcept {
  const std::lock_guard lock(mutex_);
  for (std::uint32_t index = 0; index < loans_.size(); ++index)
    if (loans_[index].block && loans_[index].position == position) end(index);
}

void Loans::end(std::uint32_t index) noexcept {
  loans_[index].block = shared_buffer();
  free_.push_back(index);
}

void Loans::collect() noexcept {
  const std::lock_guard lock(mutex_);
  collect_locked();
}

void Loans::collect_locked() noexcept {
  for (std::uint32_t index = 0; index < loans_.size(); ++index) collect_word(index);
}

void Loans::collect_word(std::uint32_t index) noexcept {
  const Loan& loan = loans_[index];
  if (loan.block && words_.given_back[index].load(std::memory_order_acquire) == loan.generation)
    end(index);
}

bool Loans::collect_after_end() noexcept {
  const std::lock_guard lock(mutex_);
  collect_locked();
  if (free_.size() != loans_.size() && event::is_ended_by_peer(peer_end_.get()))
    for (Loan& loan : loans_) loan.block = shared_buffer();
  return std::ranges::none_of(loans_,
                              [](const Loan& loan) { return static_cast<bool>(loan.block); });
}

void Loans::retire() noexcept {
  const std::lock_guard lock(mutex_);
  for (Loan& loan : loans_)
    if (loan.block) loan.block.retire();
}

AllLoans::~AllLoans() {
  for (const Entry& entry : entries_)
    if (!entry.loans->collect_after_end()) entry.loans->retire();
}

void AllLoans::add(std::shared_ptr<Loans> loans) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(loans)});
}

void AllLoans::end(const std::shared_ptr<Loans>& loans) noexcept {
  {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) entry.ended = entry.ended || entry.loans == loans;
  }
  collect();
  forget_oldest_ended();
}

// A peer that never gives blocks back could otherwise use up the handles of this process.
void AllLoans::forget_oldest_ended() noexcept {
  constexpr std::ptrdiff_t ended_max = 64;
  const std::lock_guard lock(mutex_);
  if (std::ranges::count(entries_, true, &Entry::ended) <= ended_max) return;
  const auto oldest = std::ranges::find(entries_, true, &Entry::ended);
  oldest->loans->retire();
  entries_.erase(oldest);
}

void AllLoans::collect() noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [](const Entry& entry) {
    if (entry.ended) return entry.loans->collect_after_end();
    entry.loans->collect();
    return false;
  });
}

}  // namespace perigee::transport::shared_memory
