// The pool. Each thread has a list of free blocks for each size. The thread exchanges batches of
// blocks with a list that all threads share.
#include "base/sanitizer.h"
#include <perigee/base/pool.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace perigee::pool {

#ifdef PERIGEE_ADDRESS_SANITIZER

void* allocate(std::size_t size) { return ::operator new(size); }
void release(void* memory, std::size_t size) noexcept { ::operator delete(memory, size); }

#else

namespace {

constexpr std::size_t fine_step = 64;
constexpr std::size_t fine_max = 1024;
constexpr std::size_t coarse_step = 256;
constexpr std::size_t fine_count = fine_max / fine_step;
constexpr std::size_t class_count = fine_count + (pooled_size_max - fine_max) / coarse_step;

/// The index of the list with blocks for `size` octets. `size` is at most pooled_size_max.
constexpr std::size_t class_of(std::size_t size) noexcept {
  if (size <= fine_max) return size == 0 ? 0 : (size - 1) / fine_step;
  return fine_count + (size - 1 - fine_max) / coarse_step;
}
constexpr std::size_t block_size(std::size_t size_class) noexcept {
  if (size_class < fine_count) return (size_class + 1) * fine_step;
  return fine_max + (size_class + 1 - fine_count) * coarse_step;
}
static_assert(block_size(class_of(pooled_size_max)) == pooled_size_max);
static_assert(class_of(pooled_size_max) + 1 == class_count);
static_assert(class_of(fine_max) + 1 == class_of(fine_max + 1));

/// How many blocks one exchange with the shared list moves. A thread keeps at most two batches.
constexpr std::size_t batch_count(std::size_t size_class) noexcept {
  return std::clamp<std::size_t>(thread_kept_max / 2 / block_size(size_class), 1, 64);
}

/// The contents of a free block.
struct Block {
  explicit Block(Block* next_block) noexcept : next(next_block) {}
  Block* next;
  Block* next_batch;  ///< set in the first block of a batch in the shared list
};
static_assert(sizeof(Block) <= fine_step);

/// Whole batches for all threads. Never destroyed, because threads may outlive static objects.
struct SharedList {
  std::mutex mutex;
  Block* batches = nullptr;
  std::size_t count = 0;  ///< number of batches
};
constinit std::array<SharedList, class_count> shared{};

void free_blocks(Block* block, std::size_t size_class) noexcept {
  while (block != nullptr) {
    ::operator delete(std::exchange(block, block->next), block_size(size_class));
  }
}

/// Takes over a list of batch_count(size_class) blocks.
void give_batch(Block* batch, std::size_t size_class) noexcept {
  SharedList& list = shared[size_class];
  {
    const std::scoped_lock lock(list.mutex);
    if (list.count * batch_count(size_class) * block_size(size_class) < shared_kept_max) {
      batch->next_batch = std::exchange(list.batches, batch);
      ++list.count;
      return;
    }
  }
  free_blocks(batch, size_class);
}

/// Null if there is no batch.
Block* take_batch(std::size_t size_class) noexcept {
  SharedList& list = shared[size_class];
  const std::scoped_lock lock(list.mutex);
  Block* const batch = list.batches;
  if (batch == nullptr) return nullptr;
  list.batches = batch->next_batch;
  --list.count;
  return batch;
}

/// The largest number of blocks of a size that a thread keeps.
constexpr std::size_t limit(std::size_t size_class) noexcept { return 2 * batch_count(size_class); }

/// The calling thread's free blocks of one size. Invariant: the list has `limit - room` blocks.
/// Before the thread's first use of this size, and at the thread's end, the list is empty and
/// `room` is 0.
struct ThreadList {
  Block* first = nullptr;
  std::size_t room = 0;

  [[nodiscard]] bool is_open() const noexcept { return first != nullptr || room != 0; }
};
constinit thread_local std::array<ThreadList, class_count> thread_lists{};
constinit thread_local bool thread_ends = false;

/// Moves a batch from the thread's list to the shared list. The thread's list must have at least
/// one batch.
void give_some(ThreadList& list, std::size_t size_class) noexcept {
  Block* const batch = list.first;
  Block* last = batch;
  for (std::size_t left = batch_count(size_class); left > 1; --left) last = last->next;
  list.first = std::exchange(last->next, nullptr);
  list.room += batch_count(size_class);
  give_batch(batch, size_class);
}

/// Gives the blocks of an ending thread to the other threads.
struct AtThreadEnd {
  AtThreadEnd() noexcept = default;
  AtThreadEnd(const AtThreadEnd&) = delete;
  AtThreadEnd& operator=(const AtThreadEnd&) = delete;
  ~AtThreadEnd() {
    thread_ends = true;
    for (std::size_t size_class = 0; size_class != class_count; ++size_class) {
      ThreadList& list = thread_lists[size_class];
      while (list.is_open() && list.room + batch_count(size_class) <= limit(size_class)) {
        give_some(list, size_class);
      }
      free_blocks(std::exchange(list, {}).first, size_class);
    }
  }
};

/// Lets the calling thread keep blocks of this size until it ends. False if the thread is ending.
bool open(ThreadList& list, std::size_t size_class) noexcept {
  if (thread_ends) return false;
  static thread_local const AtThreadEnd at_thread_end;
  static_cast<void>(at_thread_end);
  list.room = limit(size_class);
  return true;
}

/// Called if the list is empty.
[[gnu::noinline]] void* allocate_slowly(ThreadList& list, std::size_t size_class) {
  Block* const batch = list.is_open() || open(list, size_class) ? take_batch(size_class) : nullptr;
  if (batch == nullptr) return ::operator new(block_size(size_class));
  list.first = batch->next;
  list.room -= batch_count(size_class) - 1;
  return batch;
}

void keep(ThreadList& list, void* memory) noexcept {
  list.first = ::new (memory) Block(list.first);
  --list.room;
}

/// Called if the list has no room.
[[gnu::noinline]] void release_slowly(ThreadList& list, void* memory,
                                      std::size_t size_class) noexcept {
  if (list.is_open()) {
    give_some(list, size_class);
  } else if (!open(list, size_class)) {
    ::operator delete(memory, block_size(size_class));
    return;
  }
  keep(list, memory);
}

}  // namespace

void* allocate(std::size_t size) {
  if (size > pooled_size_max) [[unlikely]]
    return ::operator new(size);
  const std::size_t size_class = class_of(size);
  ThreadList& list = thread_lists[size_class];
  Block* const block = list.first;
  if (block == nullptr) [[unlikely]]
    return allocate_slowly(list, size_class);
  list.first = block->next;
  ++list.room;
  return block;
}

void release(void* memory, std::size_t size) noexcept {
  if (size > pooled_size_max) [[unlikely]]
    return ::operator delete(memory, size);
  const std::size_t size_class = class_of(size);
  ThreadList& list = thread_lists[size_class];
  if (list.room == 0) [[unlikely]]
    return release_slowly(list, memory, size_class);
  keep(list, memory);
}

#endif

}  // namespace perigee::pool
