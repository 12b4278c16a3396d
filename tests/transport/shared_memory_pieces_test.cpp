// The number of octets that a receive through shared memory takes, and the wake-up of a sender that
// waits.
#include "conformance/transport_pair.h"
#include "event/cpus.h"
#include "support/raw_rings.h"
#include "support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <thread>

namespace perigee::transport {
namespace {

using shared_memory::sleeps;
using shared_memory::waits_not;
using test::RawRings;
using test::RingServer;
using test::TemporaryFolder;

constexpr std::uint32_t size = RawRings::size;
constexpr std::size_t first_size = 16 * 1024;

/// A server whose ring is full. The client says that it sleeps until there is room.
struct FullRing {
  TemporaryFolder folder;
  RingServer server{folder.file("socket")};
  RawRings peer{server, folder.file("socket")};
  Octets space = Octets(size);

  explicit FullRing(std::uint32_t sender_cpu) {
    peer.sent().sender_cpu.store(sender_cpu);
    peer.sent().written.store(size);
    peer.sent().sender_waits.store(sleeps);
  }
  std::size_t receive(std::size_t count) {
    const IoResult result =
        peer.server_end->receive(MutableOctetSpan(space).first(count), Wait::no);
    CHECK(result.ok());
    return result.count;
  }
  [[nodiscard]] bool woke_sender() const { return peer.sent().sender_waits.load() == waits_not; }
};

/// Calls `function` on a thread that stays on one CPU. The argument is the number of this CPU
/// plus 1, as in the words of the ring.
template <typename Function>
void on_one_cpu(const Function& function) {
  std::jthread([&function] {
    const std::uint32_t cpu = event::current_cpu();
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    REQUIRE(::sched_setaffinity(0, sizeof only, &only) == 0);
    function(cpu + 1);
  }).join();
}

TEST_CASE("after the ring was empty, a receive takes the first 16 KiB only") {
  FullRing ring(0);
  CHECK(ring.receive(size) == first_size);
  CHECK(ring.receive(size) == size - first_size);
  ring.peer.sent().written.store(size + 20'000);
  CHECK(ring.receive(size) == first_size);
  CHECK(ring.receive(size) == 20'000 - first_size);
}

TEST_CASE("a sender on another CPU is woken when half of the ring is free") {
  FullRing ring(~0u);
  (void)ring.receive(first_size);
  CHECK_FALSE(ring.woke_sender());
  (void)ring.receive(size / 2 - first_size);
  CHECK(ring.woke_sender());
}

TEST_CASE("a sender on the same CPU is woken when all of the ring is free") {
  on_one_cpu([](std::uint32_t cpu) {
    FullRing ring(cpu);
    (void)ring.receive(first_size);
    (void)ring.receive(size - first_size - 1);
    CHECK_FALSE(ring.woke_sender());
    CHECK(ring.receive(size) == 1);
    CHECK(ring.woke_sender());
  });
}

}  // namespace
}  // namespace perigee::transport
