// The blocks of a pool. The description of blocks is private to this process: a peer that maps the
// file sees octets only.
#include "ipc/mapping.h"
#include "ipc/shared_memory.h"
#include <perigee/ipc/error.h>
#include <perigee/transport/shared_pool.h>

#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace perigee {

/// The file, its mapping, and its parts: blocks in use, and gaps.
///
/// Invariant: the parts cover the mapping without overlap, and no two gaps are neighbours. A part
/// keeps its map node when it changes from a block to a gap, so freeing a block allocates nothing.
class shared_pool::State {
 public:
  State(ipc::Handle file, ipc::SharedMapping mapping, std::size_t size)
      : file_(std::move(file)), mapping_(std::move(mapping)), size_(size) {
    gaps_.emplace(0, Part{size, {}});
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] int file() const noexcept { return file_.get(); }
  [[nodiscard]] std::size_t used() const noexcept {
    const std::lock_guard lock(mutex_);
    return used_;
  }
  [[nodiscard]] static shared_buffer allocate(const std::shared_ptr<State>& self, std::size_t size);
  void set_holder(std::weak_ptr<BlockHolder> holder) {
    const std::lock_guard lock(mutex_);
    holder_ = std::move(holder);
  }
  void collect() noexcept;
  [[nodiscard]] shared_buffer find(OctetSpan octets) const noexcept;

 private:
  friend struct shared_buffer::Block;

  struct Part {
    std::size_t size = 0;
    std::weak_ptr<const shared_buffer::Block> block;  // empty for a gap
  };
  using Parts = std::map<std::size_t, Part>;  // by offset

  [[nodiscard]] std::byte* at(std::size_t offset) const noexcept {
    return mapping_.data() + offset;
  }
  [[nodiscard]] static shared_buffer try_allocate(const std::shared_ptr<State>& self,
                                                  std::size_t size);
  [[nodiscard]] bool take(std::size_t room, std::size_t& offset);
  void free(std::size_t offset) noexcept;
  void join_with_next(Parts::iterator gap) noexcept;

  const ipc::Handle file_;
  const ipc::SharedMapping mapping_;
  const std::size_t size_;

  mutable std::mutex mutex_;  // guards the members below
  Parts gaps_;
  Parts blocks_;
  std::uint64_t last_generation_ = 0;
  std::size_t used_ = 0;
  std::weak_ptr<BlockHolder> holder_;
};

/// Frees its part of the pool.
struct shared_buffer::Block {
  explicit Block(std::shared_ptr<shared_pool::State> state_in) noexcept
      : state(std::move(state_in)) {}
  ~Block() {
    if (place.generation != 0 && !is_retired.load()) state->free(place.offset);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const std::shared_ptr<shared_pool::State> state;  // shared with the pool object and other blocks
  Place place;                                      // generation 0: the block has no part yet
  mutable std::atomic<bool> is_retired = false;
};

// The holder calls `free` for the blocks that it drops.
void shared_pool::State::collect() noexcept {
  std::shared_ptr<BlockHolder> holder;
  {
    const std::lock_guard lock(mutex_);
    holder = holder_.lock();
  }
  if (holder) holder->collect();
}

shared_buffer shared_pool::State::allocate(const std::shared_ptr<State>& self, std::size_t size) {
  if (size == 0 || size > self->size_) return {};
  if (shared_buffer block = try_allocate(self, size)) return block;
  self->collect();
  return try_allocate(self, size);
}

shared_buffer shared_pool::State::try_allocate(const std::shared_ptr<State>& self,
                                               std::size_t size) {
  const auto block = std::make_shared<shared_buffer::Block>(self);
  const std::size_t room = (size + alignment - 1) / alignment * alignment;
  const std::lock_guard lock(self->mutex_);
  std::size_t offset = 0;
  if (!self->take(room, offset)) return {};
  self->blocks_.find(offset)->second.block = block;
  block->place = {offset, size, ++self->last_generation_};
  return {block, MutableOctetSpan(self->at(offset), size)};
}

// Moves the front of the first gap that is large enough to the blocks. Throws bad_alloc before it
// changes anything.
bool shared_pool::State::take(std::size_t room, std::size_t& offset) {
  auto gap = gaps_.begin();
  while (gap != gaps_.end() && gap->second.size < room) ++gap;
  if (gap == gaps_.end()) return false;
  offset = gap->first;
  if (const std::size_t rest = gap->second.size - room; rest != 0)
    gaps_.emplace(offset + room, Part{rest, {}});
  gap->second.size = room;
  blocks_.insert(gaps_.extract(gap));
  used_ += room;
  return true;
}

void shared_pool::State::free(std::size_t offset) noexcept {
  const std::lock_guard lock(mutex_);
  auto part = blocks_.extract(offset);
  part.mapped().block.reset();
  used_ -= part.mapped().size;
  const auto gap = gaps_.insert(std::move(part)).position;
  join_with_next(gap);
  if (gap != gaps_.begin()) join_with_next(std::prev(gap));
}

void shared_pool::State::join_with_next(Parts::iterator gap) noexcept {
  const auto next = std::next(gap);
  if (next == gaps_.end() || gap->first + gap->second.size != next->first) return;
  gap->second.size += next->second.size;
  gaps_.erase(next);
}

// A block whose last owner is just freeing it counts as gone.
shared_buffer shared_pool::State::find(OctetSpan octets) const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(octets.data());
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping_.data());
  if (address < begin || address - begin >= size_) return {};
  const std::size_t offset = address - begin;
  // Destroyed after the lock is released, because it may be the last owner.
  std::shared_ptr<const shared_buffer::Block> block;
  const std::lock_guard lock(mutex_);
  auto after = blocks_.upper_bound(offset);
  if (after == blocks_.begin()) return {};
  block = std::prev(after)->second.block.lock();
  if (block == nullptr) return {};
  const shared_buffer::Place& place = block->place;
  const std::size_t skipped = offset - static_cast<std::size_t>(place.offset);
  if (skipped > place.size || octets.size() > place.size - skipped) return {};
  return {block, MutableOctetSpan(at(static_cast<std::size_t>(place.offset)),
                                  static_cast<std::size_t>(place.size))};
}

shared_buffer::Place shared_buffer::place() const noexcept { return block_->place; }

bool shared_buffer::is_shared() const noexcept {
  if (!block_) return false;
  block_->state->collect();
  if (block_.use_count() > 1) return true;
  // Another thread may have collected the block. The fence puts the peer's reads of the block
  // before this call.
  std::atomic_thread_fence(std::memory_order_acquire);
  return false;
}

void shared_buffer::retire() noexcept { block_->is_retired.store(true); }

std::expected<shared_pool, IoError> shared_pool::make(std::size_t size) {
  if (size == 0 || size > size_max)
    return std::unexpected(IoError{IoErrorKind::limit, IoOperation::create, 0,
                                   "a shared pool of " + std::to_string(size) + " octets"});
  const std::size_t page = ipc::page_size();
  const std::size_t whole = (size + page - 1) / page * page;
  auto memory = ipc::make_readable_memory(whole);
  if (!memory)
    return std::unexpected(ipc::io_error(IoOperation::create, "a shared pool", memory.error()));
  return shared_pool(
      std::make_shared<State>(std::move(memory->handle), std::move(memory->mapping), whole));
}

shared_buffer shared_pool::allocate(std::size_t size) const {
  return State::allocate(state_, size);
}
shared_buffer shared_pool::find(OctetSpan octets) const noexcept { return state_->find(octets); }
std::size_t shared_pool::size() const noexcept { return state_->size(); }
std::size_t shared_pool::used() const noexcept {
  state_->collect();
  return state_->used();
}
int shared_pool::file() const noexcept { return state_->file(); }
void shared_pool::set_holder(std::weak_ptr<BlockHolder> holder) const {
  state_->set_holder(std::move(holder));
}

std::expected<shared_pool, IoError> LazyPool::get() {
  const std::lock_guard lock(mutex_);
  if (!pool_) {
    auto made = shared_pool::make(size_);
    if (!made) return std::unexpected(std::move(made.error()));
    pool_ = std::move(*made);
  }
  return *pool_;
}

}  // namespace perigee
