// Who owns which handler of a shared poll, and the list of those that wait for an owner. Makes no
// system calls. Private to event.
#pragma once

#include <perigee/event/shared_poll.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace perigee::event {

/// Any thread. A slot stays where it is for ever, so that an event which was fetched before its
/// handler was removed finds a slot of another generation, and not freed memory.
class SharedPollSlots {
 public:
  SharedPollSlots() = default;
  ~SharedPollSlots();
  SharedPollSlots(const SharedPollSlots&) = delete;
  SharedPollSlots& operator=(const SharedPollSlots&) = delete;

  /// False if there are `handlers_max` of them. Nobody owns the handler then.
  [[nodiscard]] bool add(int fd, SharedHandler& handler);
  /// By the owner.
  void remove(SharedHandler& handler) noexcept;
  [[nodiscard]] static std::uint64_t key_of(const SharedHandler& handler) noexcept {
    return handler.key_;
  }
  [[nodiscard]] int fd_of(const SharedHandler& handler) const noexcept;
  /// Whether that changes anything. One thread at a time.
  [[nodiscard]] bool set_writing(const SharedHandler& handler, WriteInterest interest) noexcept;

  /// Notes what has happened; true if nobody owned the handler, and now the caller does.
  [[nodiscard]] bool own(std::uint64_t key, Readiness readiness) noexcept;
  /// By the owner: what was noted.
  [[nodiscard]] SharedPoll::Ready take(std::uint64_t key) noexcept;
  /// By the owner. False if something was noted: then the caller still is.
  [[nodiscard]] bool disown(std::uint64_t key) noexcept;

  /// @name The ready list
  /// @{
  /// By the owner: at the end. Ownership passes to who takes it out.
  void push(std::uint64_t key) noexcept;
  /// The handles were looked at, and these found.
  void push_found(std::span<const std::uint64_t> keys) noexcept;
  struct Popped {
    bool found = false;
    bool look_first = false;  ///< all in the list had their turn: look at handles before the next
    std::uint64_t key = 0;
  };
  [[nodiscard]] Popped pop() noexcept;
  /// Sequentially consistent: "push, then look for sleepers" and "go to sleep, then look here"
  /// cannot miss each other.
  [[nodiscard]] bool has_ready() const noexcept { return ready_count_.load() != 0; }
  /// @}

 private:
  void push_locked(std::uint64_t key) noexcept;

  struct Slot {
    // Generation, owned_bit, noted readiness.
    std::atomic<std::uint64_t> state{0};
    SharedHandler* handler = nullptr;
    std::uint64_t next_ready = 0;  // of the ready list, under the mutex
    int fd = -1;
    WriteInterest writing = WriteInterest::off;
  };
  static constexpr std::size_t chunk_size = 256;
  static constexpr std::size_t chunks_max = 4096;
  using Chunk = std::array<Slot, chunk_size>;

  [[nodiscard]] Slot& slot_of(std::uint64_t key) const noexcept;

  std::array<std::atomic<Chunk*>, chunks_max> chunks_{};
  std::atomic<std::size_t> ready_count_{0};

  std::mutex mutex_;  // guards what follows, and the length of chunks_
  std::vector<std::uint32_t> free_;
  std::uint32_t slot_count_ = 0;
  std::uint64_t first_ready_ = 0;
  std::uint64_t last_ready_ = 0;
  std::size_t turns_left_ = 0;  // until handles are to be looked at
};

}  // namespace perigee::event
