// A client of shared memory that writes random values to all words and to the octets of its ring
// while its server works. It also moves the sleeping threads of the server to another futex.
#pragma once

#include "support/raw_rings.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <random>
#include <thread>

namespace perigee::test {

/// Moves the threads that sleep at one word to another word. Returns their number.
inline long requeue_sleepers(ipc::SharedWord& from, ipc::SharedWord& to) {
  return ::syscall(SYS_futex, &from, FUTEX_REQUEUE, 0, INT_MAX, &to, 0);
}

/// Writes from the constructor to the destructor, on a thread of its own.
class Scribbler {
 public:
  Scribbler(const transport::shared_memory::Rings& rings, std::uint32_t seed)
      : rings_(rings), dice_(seed), thread_([this] { run(); }) {}
  ~Scribbler() { over_ = true; }
  Scribbler(const Scribbler&) = delete;
  Scribbler& operator=(const Scribbler&) = delete;

 private:
  void run() {
    while (!over_) {
      scribble(rings_.from_client());
      scribble(rings_.from_server());
    }
  }
  void scribble(const transport::shared_memory::Ring& ring) {
    auto& words = *ring.words;
    ipc::SharedWord* const all[] = {
        &words.written,       &words.ended,        &words.sender_cpu,     &words.taken,
        &words.receiver_gone, &words.receiver_cpu, &words.receiver_waits, &words.sender_waits};
    ipc::SharedWord& word = *all[dice_() % std::size(all)];
    const auto value = static_cast<std::uint32_t>(dice_());
    switch (dice_() % 4) {
      case 0:  // a value that a peer could mean
        return word.store(value % 4);
      case 1:
        word.fetch_add(value % ring.size);
        return;
      case 2:
        (void)requeue_sleepers(words.receiver_waits, elsewhere_);
        (void)requeue_sleepers(words.sender_waits, elsewhere_);
        return;
      default:
        if (&ring.words->written == &rings_.from_client().words->written)
          ring.octets[value % ring.size] = static_cast<std::byte>(value >> 24);
    }
  }

  const transport::shared_memory::Rings& rings_;
  std::mt19937 dice_;
  ipc::SharedWord elsewhere_{0};
  std::atomic<bool> over_{false};
  std::jthread thread_;
};

}  // namespace perigee::test
