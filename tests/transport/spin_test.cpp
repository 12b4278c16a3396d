// How often a thread spins before it sleeps.
#include "transport/shared_memory/spin.h"

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

TEST_CASE("after spins in vain, fewer and fewer waits spin, but never none") {
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

TEST_CASE("a spin cannot help if the peer ran on the same CPU, or on an unknown one") {
  ipc::SharedWord peer{0};
  CHECK_FALSE(Spin::can_help(peer));
  peer.store(~0u);
  CHECK(Spin::can_help(peer));
}

}  // namespace
}  // namespace perigee::transport::shared_memory
