// The timed tests over any link. A link is an object with send(octets), which sends all octets, and
// receive(octets), which fills the whole space or returns false at the end of the stream. At the
// end of a run, the parent's link waits by await_receipt() until the child's link has called
// confirm_receipt(), or until the child has received all octets. These are templates, so that the
// loop needs no virtual call to reach the link's system calls.
#pragma once

#include "ends.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>
#include <vector>

namespace perigee::bench {

inline std::chrono::nanoseconds time_of(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Times of this process around a run.
class Stopwatch {
 public:
  [[nodiscard]] Outcome outcome(std::uint64_t transfers) const noexcept {
    return {transfers, begin_, time_of(CLOCK_MONOTONIC),
            time_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin_};
  }
  [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept {
    return time_of(CLOCK_MONOTONIC) - begin_;
  }

 private:
  std::chrono::nanoseconds begin_ = time_of(CLOCK_MONOTONIC);
  std::chrono::nanoseconds cpu_begin_ = time_of(CLOCK_PROCESS_CPUTIME_ID);
};

/// Precedes the blocks of a run: information for the child.
struct Preamble {
  Word magic = 0x5045524947454532;
  Word size = 0;
  Word touched = 0;
  Word until_received = 0;
};

template <typename Link>
class ParentOf final : public Parent {
 public:
  explicit ParentOf(Link link) : link_(std::move(link)) {}

  Outcome send(const Run& run) override {
    const Preamble preamble{.size = run.size,
                            .touched = run.memory == Memory::touched ? 1U : 0U,
                            .until_received = run.until_received ? 1U : 0U};
    std::vector<std::byte> block(run.size);
    // Reading the clock must not cost more than a transfer.
    const Word between_looks = std::max<Word>(1, 16384 / run.size);
    const Stopwatch watch;
    link_.send(std::as_bytes(std::span(&preamble, 1)));
    for (Word number = 0;; ++number) {
      const bool is_last = number % between_looks == 0 && watch.elapsed() >= run.time;
      write_block(block, number, is_last, run.memory);
      link_.send(block);
      if (is_last) return finish(run, watch.outcome(number + 1));
    }
  }

 private:
  // The CPU time does not include the wait for the receipt.
  Outcome finish(const Run& run, Outcome outcome) {
    if (!run.until_received) return outcome;
    link_.await_receipt();
    outcome.end = time_of(CLOCK_MONOTONIC);
    return outcome;
  }

  Link link_;
};

template <typename Link>
class ChildOf final : public Child {
 public:
  explicit ChildOf(Link link) : link_(std::move(link)) {}

  std::optional<Received> receive() override {
    Preamble preamble;
    if (!link_.receive(std::as_writable_bytes(std::span(&preamble, 1)))) return std::nullopt;
    constexpr std::size_t size_max = 1 << 30;
    if (preamble.magic != Preamble{}.magic || preamble.size < block_size_min ||
        preamble.size % sizeof(Word) != 0 || preamble.size > size_max)
      throw std::runtime_error("the peer is not a parent of perigee bench sockspeed");
    const Run run{preamble.size, preamble.touched == 1 ? Memory::touched : Memory::untouched, {}};
    std::vector<std::byte> block(run.size);
    const Stopwatch watch;
    for (Word number = 0;; ++number) {
      if (!link_.receive(block)) throw std::runtime_error("the parent has ended within a run");
      if (!check_block(block, number, run.memory)) continue;
      const Outcome outcome = watch.outcome(number + 1);
      if (preamble.until_received == 1) link_.confirm_receipt();
      return Received{run, outcome};
    }
  }

 private:
  Link link_;
};

}  // namespace perigee::bench
