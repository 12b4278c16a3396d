// The attacks that a hostile peer of shared memory can make through the kernel: it moves sleeping
// threads, sends handles, and interrupts. The limits of this process are tested in tests/runtime.
#include "conformance/transport_pair.h"
#include "support/hostile_rings.h"
#include "support/refuse_system_call.h"
#include "support/temporary_folder.h"
#include "transport/own_resources.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;
using shared_memory::Hello;
using shared_memory::Rings;
using test::OwnResources;
using test::pattern;
using test::RawRings;
using test::receive_exactly;
using test::RingServer;
using test::send_some;
using test::TemporaryFolder;

/// A client whose words the test writes, and a server.
struct Attack {
  TemporaryFolder folder;
  RingServer server{folder.file("socket")};
  RawRings peer{server, folder.file("socket")};
  Transport& end = *peer.server_end;
};

TEST_CASE("a peer that moves a sleeping thread to another futex cannot keep the thread asleep") {
  Attack attack;
  IoResult result;
  std::jthread receiver([&] {
    std::byte octet{};
    result = attack.end.receive({&octet, 1}, Wait::yes);
  });
  ipc::SharedWord elsewhere{0};
  while (test::requeue_sleepers(attack.peer.sent().receiver_waits, elsewhere) != 1)
    std::this_thread::yield();
  attack.end.interrupt();
  receiver.join();
  CHECK(result.status == IoStatus::end_of_stream);
}

TEST_CASE("a peer that changes the count of sent octets cannot make a waiting sender spin") {
  Attack attack;
  while (send_some(attack.end, Octets(1000)).ok()) continue;
  attack.peer.received().written.store(0);
  const auto before = std::chrono::steady_clock::now();
  attack.end.await_sendable(50ms);
  CHECK(std::chrono::steady_clock::now() - before >= 50ms);
}

TEST_CASE("octets that arrive one by one in the socket are no flood") {
  for (int round = 0; round < 100; ++round) {
    Attack attack;
    std::atomic<bool> over{false};
    std::jthread waker([&] {
      constexpr std::byte octet{};
      for (int count = 0; count < 90; ++count)
        (void)ipc::io::send(attack.peer.client.handle(), {&octet, 1}, ipc::no_wait);
      over = true;
    });
    IoResult result{0, IoStatus::would_block, 0};
    while (!over && result.status == IoStatus::would_block) {
      std::byte octet{};
      result = attack.end.receive({&octet, 1}, Wait::no);
    }
    CHECK(result.status == IoStatus::would_block);
  }
}

TEST_CASE("a server closes all handles that clients send beside the memory") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const OwnResources before;
  for (const std::size_t count : {2u, 3u, 4u, 50u, 253u}) {
    CAPTURE(count);
    const auto memory = Rings::make(RawRings::size).value();
    const auto client = test::raw_client(folder.file("socket"));
    const std::vector<int> handles(count, memory.memory.get());
    test::say_hello(client, {.ring_size = RawRings::size}, handles);
    CHECK_FALSE(server.accept()->open(Wait::yes).ok());
  }
  CHECK(OwnResources() == before);
}

TEST_CASE("a server closes handles that come with the octets that wake it") {
  const OwnResources before;
  {
    Attack attack;
    const OwnResources open;
    constexpr std::byte octet{};
    const std::array handles{attack.peer.memory.get(), attack.peer.memory.get()};
    for (int wake = 0; wake < 5; ++wake) {
      CHECK(ipc::io::send_handles(attack.peer.client.handle(), {&octet, 1}, handles, ipc::forever)
                .error == 0);
      std::byte space{};
      CHECK(attack.end.receive({&space, 1}, Wait::no).status == IoStatus::would_block);
    }
    CHECK(OwnResources() == open);
  }
  CHECK(OwnResources() == before);
}

TEST_CASE("a server refuses a hello that arrives in parts") {
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const auto memory = Rings::make(RawRings::size).value();
  const auto client = test::raw_client(folder.file("socket"));
  const Hello hello{.ring_size = RawRings::size};
  const int handle = memory.memory.get();
  const OctetSpan octets = std::as_bytes(std::span(&hello, 1));
  CHECK(ipc::io::send_handles(client.handle(), octets.first(8), {&handle, 1}, ipc::forever).error ==
        0);
  CHECK(server.accept()->open(Wait::yes).code == EPROTO);
}

/// Whether a thread can make memory although the kernel refuses, with `error`, its calls of
/// memfd_create: those with MFD_NOEXEC_SEAL (`flag` is 0x8), or those without it (`flag` is 0).
bool can_make_memory_without(std::uint32_t flag, int error) {
  bool made = false;
  std::jthread([&] {
    test::refuse_system_call(SYS_memfd_create, error, {1, 0x8, flag});
    made = Rings::make(RawRings::size).has_value();
  }).join();
  return made;
}

TEST_CASE("memory can be made on kernels without the flag for files that cannot be executed") {
  CHECK(can_make_memory_without(0x8, EINVAL));
}

TEST_CASE("memory can be made on systems that forbid executable files") {
  const ipc::Handle probe(::memfd_create("probe", MFD_CLOEXEC | 0x8));
  if (!probe) return;  // a kernel before 6.3 has no such rule
  CHECK(can_make_memory_without(0, EACCES));
}

/// During its life, SIGUSR1 interrupts system calls and does nothing else.
class InterruptingSignal {
 public:
  InterruptingSignal() {
    struct sigaction action{};
    action.sa_handler = [](int) {};
    REQUIRE(::sigaction(SIGUSR1, &action, &before_) == 0);
  }
  ~InterruptingSignal() { (void)::sigaction(SIGUSR1, &before_, nullptr); }
  InterruptingSignal(const InterruptingSignal&) = delete;
  InterruptingSignal& operator=(const InterruptingSignal&) = delete;

 private:
  struct sigaction before_{};
};

TEST_CASE("signals that interrupt sleeping threads change nothing in the octets that arrive") {
  const InterruptingSignal signal;
  const TemporaryFolder folder;
  const RingServer server(folder.file("socket"));
  const auto protocol = test::make_shared_memory_protocol();
  auto pair = test::connect_pair(*protocol, *server.acceptor);
  const Octets octets = pattern(3'000'000, 1);
  Octets received;
  std::atomic<int> running{2};
  std::jthread receiver([&] {
    received = receive_exactly(*pair.server, octets.size());
    --running;
  });
  std::jthread sender([&] {
    CHECK(test::send_all(*pair.client, OctetSpan(octets).first(1000)).ok());
    std::this_thread::yield();  // the receiver may fall asleep
    CHECK(test::send_all(*pair.client, OctetSpan(octets).subspan(1000)).ok());
    --running;
  });
  while (running != 0) {
    for (std::jthread* const thread : {&receiver, &sender})
      (void)::pthread_kill(thread->native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  receiver.join();
  sender.join();
  CHECK((received == octets));
}

TEST_CASE("an interrupt ends a time-limited receive neither early nor late") {
  const InterruptingSignal signal;
  Attack attack;
  CHECK(attack.end.set_receive_timeout(100ms).ok());
  std::atomic<bool> over{false};
  IoResult result;
  const auto before = std::chrono::steady_clock::now();
  std::jthread receiver([&] {
    std::byte octet{};
    result = attack.end.receive({&octet, 1}, Wait::yes);
    over = true;
  });
  while (!over) {
    (void)::pthread_kill(receiver.native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  receiver.join();
  CHECK(result.status == IoStatus::timed_out);
  CHECK(std::chrono::steady_clock::now() - before >= 100ms);
}

}  // namespace
}  // namespace perigee::transport
