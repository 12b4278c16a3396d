// Waiting for a word of memory that processes share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace perigee::ipc {

/// A word that any process with the same memory may write. The system sees only its 32 bits.
using SharedWord = std::atomic<std::uint32_t>;
static_assert(sizeof(SharedWord) == 4 && SharedWord::is_always_lock_free);

/// Waits while the word is `value`, at most for `limit`, which must be positive. May return
/// earlier. A process that shares the word can move the waiting thread to another word
/// (FUTEX_REQUEUE). Then `wake_waiting` does not find the thread: only the limit ends the wait.
void wait_for_change(SharedWord& word, std::uint32_t value,
                     std::chrono::nanoseconds limit) noexcept;
/// Wakes all threads that wait for the word, in all processes.
void wake_waiting(SharedWord& word) noexcept;

}  // namespace perigee::ipc
