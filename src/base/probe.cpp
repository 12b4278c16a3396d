// Keeps the stamps of time probes: a ring for each thread. Threads share nothing while they note
// times. Only builds with PERIGEE_PROBES compile this file.
#include <perigee/base/probe.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

namespace perigee::probe {
inline namespace on {
namespace {

using Clock = std::chrono::steady_clock;

#if defined(__x86_64__)
std::uint64_t ticks_now() noexcept { return __builtin_ia32_rdtsc(); }
#else
std::uint64_t ticks_now() noexcept {
  return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
}
#endif

struct Ring {
  std::array<Stamp, stamps_max> stamps;
  std::atomic<std::size_t> count{0};  ///< number of all stamps so far
};

struct Rings {
  std::mutex mutex;
  std::vector<std::unique_ptr<Ring>> all;  ///< including rings of ended threads
};

Rings& rings() {
  static Rings instance;  // for the whole program
  return instance;
}

thread_local Ring* own_ring = nullptr;

[[gnu::noinline]] Ring* make_ring() {
  const std::lock_guard lock(rings().mutex);
  own_ring = rings().all.emplace_back(std::make_unique<Ring>()).get();
  return own_ring;
}

std::vector<Stamp> in_order(const Ring& ring) {
  const std::size_t count = ring.count.load(std::memory_order_acquire);
  std::vector<Stamp> result;
  for (std::size_t index = count < stamps_max ? 0 : count - stamps_max; index < count; ++index)
    result.push_back(ring.stamps[index % stamps_max]);
  return result;
}

}  // namespace

void stamp(Point point) noexcept {
  Ring* const ring = own_ring != nullptr ? own_ring : make_ring();
  const std::size_t index = ring->count.load(std::memory_order_relaxed);
  ring->stamps[index % stamps_max] = {ticks_now(), point};
  ring->count.store(index + 1, std::memory_order_release);
}

std::vector<std::vector<Stamp>> stamps() {
  const std::lock_guard lock(rings().mutex);
  std::vector<std::vector<Stamp>> all;
  for (const auto& ring : rings().all) all.push_back(in_order(*ring));
  return all;
}

// Computes the cost of a stamp from the fastest block of stamps, since other processes interrupt
// some blocks. If the cost were too high, the time of a short step would be negative.
StampClock measure_clock() {
  constexpr int blocks = 200;
  constexpr int block_size = 1000;
  const auto begin = Clock::now();
  const std::uint64_t first = ticks_now();
  std::uint64_t fastest = ~std::uint64_t{0};
  for (int block = 0; block < blocks; ++block) {
    const std::uint64_t block_begin = ticks_now();
    for (int index = 0; index < block_size; ++index) stamp(Point::call_begins);
    fastest = std::min(fastest, ticks_now() - block_begin);
  }
  const auto ticks = static_cast<double>(ticks_now() - first);
  const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  return {ns / ticks, static_cast<double>(fastest) * (ns / ticks) / block_size};
}

}  // namespace on
}  // namespace perigee::probe
