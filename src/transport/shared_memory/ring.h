// A ring of octets in memory that two processes share: one process sends, the other one receives.
// Private to transport/shared_memory.
#pragma once

#include "base/sanitizer.h"
#include "event/cpus.h"
#include "ipc/futex.h"
#include <perigee/base/octets.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef PERIGEE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace perigee::transport::shared_memory {

/// How one side waits for the other: the value of `sender_waits` and `receiver_waits`.
enum Waits : std::uint32_t {
  waits_not,  ///< it does not wait, or it was woken
  spins,      ///< a thread reads the ring again and again: it needs no wake
  sleeps,     ///< threads sleep until the word changes (futex)
  polls,      ///< a reactor watches the socket: one octet there wakes it
};

/// How the sender has ended the ring: the value of `ended`. Other values count as `aborted`.
enum Ended : std::uint32_t { open, closed, aborted };

/// The part of a ring that is not its octets. The layout is the same for 32-bit and 64-bit
/// processes. Each process writes only its own words and the two words of the waits. The peer is
/// not trusted: it may write any word at any time.
struct RingWords {
  static constexpr std::size_t line = 64;

  /// The octets sent so far, modulo 2^32. The sender writes this word and the next two.
  alignas(line) ipc::SharedWord written;
  ipc::SharedWord ended;
  ipc::SharedWord sender_cpu;  ///< the number of the CPU it ran on when it sent, plus 1; 0: unknown
  /// The octets received so far, modulo 2^32. The receiver writes this word and the next two.
  alignas(line) ipc::SharedWord taken;
  ipc::SharedWord receiver_gone;
  ipc::SharedWord receiver_cpu;  ///< the same for the receiver
  alignas(line) ipc::SharedWord receiver_waits;
  alignas(line) ipc::SharedWord sender_waits;
};
static_assert(sizeof(RingWords) == 4 * RingWords::line);
static_assert(offsetof(RingWords, written) == 0 && offsetof(RingWords, ended) == 4 &&
              offsetof(RingWords, sender_cpu) == 8);
static_assert(offsetof(RingWords, taken) == 64 && offsetof(RingWords, receiver_gone) == 68 &&
              offsetof(RingWords, receiver_cpu) == 72);
static_assert(offsetof(RingWords, receiver_waits) == 128 &&
              offsetof(RingWords, sender_waits) == 192);

/// Makes a waiting side go on. True if it polls: then the caller sends an octet through the socket.
/// Each wait is woken once.
[[nodiscard]] inline bool wake(ipc::SharedWord& waits) noexcept {
  const std::uint32_t seen = waits.load();
  if (seen == waits_not || seen == spins) [[likely]]
    return false;
  const std::uint32_t waited = waits.exchange(waits_not);
  if (waited == sleeps) ipc::wake_waiting(waits);
  return waited == polls;
}

/// The thread sanitizer sees two addresses if one process maps the memory twice. So it does not
/// see that a send happens before the receive of the same octets. These functions tell the
/// sanitizer.
#ifdef PERIGEE_THREAD_SANITIZER
inline char all_rings;
inline void note_sent() noexcept { __tsan_release(&all_rings); }
inline void note_received() noexcept { __tsan_acquire(&all_rings); }
#else
inline void note_sent() noexcept {}
inline void note_received() noexcept {}
#endif

/// The sizes of rings: powers of two. Both rings of a connection fit into the cache of a CPU. The
/// system charges a page to the process that first uses it, so a server accepts no larger rings
/// than its own clients make.
inline constexpr std::uint32_t ring_size_min = std::uint32_t{1} << 16;
inline constexpr std::uint32_t ring_size_max = std::uint32_t{1} << 18;

/// The memory that both ends share: the words, and the octets, which are mapped twice in a row.
struct Ring {
  RingWords* words = nullptr;
  std::byte* octets = nullptr;
  std::uint32_t size = 0;

  [[nodiscard]] std::byte* at(std::uint32_t position) const noexcept {
    return octets + (position & (size - 1));
  }
};

/// The ring of a connection that is not open: it has no room, and has ended.
inline Ring ring_before_opening() noexcept {
  static RingWords words{.written = 0, .ended = closed, .receiver_waits = spins};
  static std::byte octet{};
  return {&words, &octet, 0};
}

/// The end that sends. One thread at a time.
class RingSender {
 public:
  explicit RingSender(const Ring& ring) noexcept : ring_(ring) {}

  /// The octets that fit now. Octets that are written and not yet published take room, too. 0 also
  /// if the receiver's word is impossible: see `broken`.
  [[nodiscard]] std::uint32_t room() noexcept {
    const std::uint32_t used = written_ - ring_.words->taken.load();
    broken_ = broken_ || used > ring_.size;
    return broken_ ? 0 : ring_.size - used;
  }
  /// Whether the receiver has claimed to have received octets that were not sent.
  [[nodiscard]] bool broken() const noexcept { return broken_; }

  /// The next free memory; `ring().size` octets may be written there if there is room.
  [[nodiscard]] std::byte* place() const noexcept { return ring_.at(written_); }
  /// Copies octets into the ring. The caller knows that there is room.
  void write(OctetSpan octets) noexcept {
    std::memcpy(place(), octets.data(), octets.size());
    written_ += static_cast<std::uint32_t>(octets.size());
  }
  /// Adds octets that were written at `place`.
  void advance(std::size_t count) noexcept { written_ += static_cast<std::uint32_t>(count); }
  /// The octets written so far, modulo 2^32.
  [[nodiscard]] std::uint32_t written() const noexcept { return written_; }
  /// Shows the receiver all octets written so far.
  void publish() noexcept {
    note_sent();
    ring_.words->sender_cpu.store(event::current_cpu() + 1, std::memory_order_relaxed);
    ring_.words->written.store(written_);
  }
  [[nodiscard]] const Ring& ring() const noexcept { return ring_; }
  [[nodiscard]] RingWords& words() const noexcept { return *ring_.words; }

 private:
  Ring ring_;
  std::uint32_t written_ = 0;
  bool broken_ = false;
};

/// The end that receives. One thread at a time.
class RingReceiver {
 public:
  explicit RingReceiver(const Ring& ring) noexcept : ring_(ring) {}

  /// The octets that can be received now. 0 also if the sender's word is impossible: see `broken`.
  [[nodiscard]] std::uint32_t available() noexcept {
    const std::uint32_t count = ring_.words->written.load() - taken_;
    broken_ = broken_ || count > ring_.size;
    return broken_ ? 0 : count;
  }
  /// Whether the sender has claimed to have sent more octets than fit.
  [[nodiscard]] bool broken() const noexcept { return broken_; }

  /// Copies octets out of the ring, and frees their memory. At most as many octets as are
  /// available.
  void read(MutableOctetSpan space) noexcept {
    note_received();
    std::memcpy(space.data(), ring_.at(taken_), space.size());
    taken_ += static_cast<std::uint32_t>(space.size());
    ring_.words->receiver_cpu.store(event::current_cpu() + 1, std::memory_order_relaxed);
    ring_.words->taken.store(taken_);
  }
  /// The octets received so far, modulo 2^32.
  [[nodiscard]] std::uint32_t taken() const noexcept { return taken_; }
  [[nodiscard]] const Ring& ring() const noexcept { return ring_; }
  [[nodiscard]] RingWords& words() const noexcept { return *ring_.words; }

 private:
  Ring ring_;
  std::uint32_t taken_ = 0;
  bool broken_ = false;
};

}  // namespace perigee::transport::shared_memory
