// The number of times that a thread spins, or yields its CPU, before it sleeps.
#include "transport/shared_memory/spin.h"

#include "support/fake_clock.h"

#include <doctest/doctest.h>

namespace perigee::transport::shared_memory {
namespace {

/// Counts the reads of one wait that is in vain.
int reads_in_vain(Spin& spin) {
  int reads = 0;
  CHECK_FALSE(spin.until([&reads] { return ++reads < 0; }));
  return reads;
}

TEST_CASE("a spin reads until the word is there") {
  Spin spin;
  int reads = 0;
  CHECK(spin.until([&reads] { return ++reads == 3; }));
  CHECK(reads == 3);
}

TEST_CASE("after spins in vain, fewer and fewer waits spin, but some still do") {
  Spin spin;
  CHECK(reads_in_vain(spin) > 100);
  int spins = 0;
  for (int wait = 0; wait < 1000; ++wait)
    if (reads_in_vain(spin) != 0) ++spins;
  CHECK(spins > 10);
  CHECK(spins < 40);
}

TEST_CASE("a spin that succeeds makes the next waits spin again") {
  Spin spin;
  for (int wait = 0; wait < 1000; ++wait) (void)reads_in_vain(spin);
  for (int wait = 0; wait < 64; ++wait)
    if (spin.until([] { return true; })) break;
  CHECK(reads_in_vain(spin) > 100);
  CHECK(reads_in_vain(spin) > 100);
}

TEST_CASE("the place of a peer follows from the number of its CPU") {
  ipc::SharedWord peer{0};
  CHECK(place_of(peer) == PeerPlace::unknown);
  peer.store(~0u);
  CHECK(place_of(peer) == PeerPlace::other_cpu);
}

/// A thread whose yields take a given time.
struct Yielding {
  test::FakeClock clock;
  Yield yield{clock};
  int count = 0;

  bool wait(bool is_done, Duration taken = std::chrono::microseconds(2)) {
    return yield.until([is_done] { return is_done; },
                       [this, taken] {
                         ++count;
                         clock.advance(taken);
                       });
  }
};

TEST_CASE("a wait for a peer on the same CPU yields once") {
  Yielding thread;
  CHECK(thread.wait(true));
  CHECK(thread.count == 1);
  CHECK_FALSE(thread.wait(false));
  CHECK(thread.count == 2);
}

TEST_CASE("after yields in vain, fewer and fewer waits yield, but some still do") {
  Yielding thread;
  for (int wait = 0; wait < 1000; ++wait) CHECK_FALSE(thread.wait(false));
  CHECK(thread.count > 10);
  CHECK(thread.count < 40);
}

TEST_CASE("a yield that succeeds makes the next waits yield again") {
  Yielding thread;
  for (int wait = 0; wait < 1000; ++wait) (void)thread.wait(false);
  for (int wait = 0; wait < 64; ++wait)
    if (thread.wait(true)) break;
  thread.count = 0;
  for (int wait = 0; wait < 100; ++wait) CHECK(thread.wait(true));
  CHECK(thread.count == 100);
}

TEST_CASE("after a slow yield, no wait yields for a thousand times as long") {
  using namespace std::chrono_literals;
  Yielding thread;
  CHECK(thread.wait(true, 3ms));
  thread.clock.advance(2999ms);
  CHECK_FALSE(thread.wait(true));
  CHECK(thread.count == 1);
  thread.clock.advance(1ms);
  CHECK(thread.wait(true));
  CHECK(thread.count == 2);
}

TEST_CASE("a brief wait for a peer at an unknown place ends at once, without a read") {
  BriefWait wait;
  int reads = 0;
  const auto done = [&reads] { return ++reads != 0; };
  CHECK_FALSE(wait.until(PeerPlace::unknown, done));
  CHECK(reads == 0);
  CHECK(wait.until(PeerPlace::same_cpu, done));
  CHECK(wait.until(PeerPlace::other_cpu, done));
}

}  // namespace
}  // namespace perigee::transport::shared_memory
