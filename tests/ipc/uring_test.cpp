// Behaviour of streams over io_uring only: rings and their threads, and hosts that forbid rings.
// stream_test.cpp and the fault tests check the behaviour that all families share.
#include "ipc/faults.h"
#include "support/octets.h"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <liburing.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <latch>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {
/// How the kernel treats the next entries of this thread.
enum class Kernel { takes_all, takes_none, takes_one };
thread_local Kernel kernel = Kernel::takes_all;
}  // namespace

/// Replaces the library's function.
extern "C" int io_uring_submit_and_wait(io_uring* ring, unsigned count) {
  static const auto submit_and_wait =
      reinterpret_cast<int (*)(io_uring*, unsigned)>(dlsym(RTLD_NEXT, "io_uring_submit_and_wait"));
  switch (std::exchange(kernel, Kernel::takes_all)) {
    case Kernel::takes_none:
      return -EAGAIN;  // the code for missing memory
    case Kernel::takes_one: {
      --ring->sq.sqe_tail;
      const int taken = io_uring_submit(ring);
      ++ring->sq.sqe_tail;
      return taken;
    }
    case Kernel::takes_all:
      break;
  }
  return submit_and_wait(ring, count);
}

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using namespace test;
using perigee::test::octets;

static_assert(StreamFamily<Uring> && FileStream<uring::Stream>);
static_assert(sizeof(uring::Stream) == sizeof(int));
static_assert(!std::is_convertible_v<sock::Stream, uring::Stream>);
// The ring waits instead of the system call, so the socket's time-outs would have no effect.
static_assert(OptionOf<NoDelay, uring::Stream> && !OptionOf<SendTimeout, uring::Stream>);
static_assert(!OptionOf<ReceiveTimeout, uring::Stream>);
static_assert(OptionOf<ReuseAddress, uring::Acceptor> && !OptionOf<NoDelay, uring::Acceptor>);

/// Makes io_uring_setup fail in the calling thread, as a sandbox does.
void forbid_rings(int error) {
  constexpr std::uint32_t number_offset = offsetof(seccomp_data, nr);
  std::array<sock_filter, 4> filter{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number_offset),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{filter.size(), filter.data()};
  REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/// Checks the error of each call in a thread that can have no ring.
void check_every_call_fails_with(std::errc error) {
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const auto address = acceptor.local_address().value();
  CHECK(uring::available().error() == error);
  CHECK(uring::Acceptor::open(InetAddr::loopback()).error() == error);
  CHECK(uring::Connector::connect(address).error() == error);
  CHECK(uring::Connector::start(address).error() == error);
  auto stream = uring::Stream::adopt(sock::Connector::connect(address).value().release()).value();
  std::byte octet{};
  CHECK(stream.send(OctetSpan(&octet, 1)).error() == error);
  CHECK(stream.recv(MutableOctetSpan(&octet, 1), 1h).error() == error);
  auto adopted = uring::Acceptor::adopt(acceptor.release()).value();
  CHECK(adopted.accept().error() == error);
}

TEST_CASE("where rings are forbidden or unknown, each call reports the error") {
  std::thread([] {
    forbid_rings(EPERM);
    check_every_call_fails_with(std::errc::operation_not_permitted);
  }).join();
  std::thread([] {
    forbid_rings(ENOSYS);
    check_every_call_fails_with(std::errc::function_not_supported);
  }).join();
}

TEST_CASE("this host has rings, or forbids them in one of the two known ways") {
  const auto status = uring::available();
  const bool is_known = status || status.error() == std::errc::operation_not_permitted ||
                        status.error() == std::errc::function_not_supported;
  CHECK(is_known);
  CHECK(uring::Acceptor::open(InetAddr::loopback()).has_value() == status.has_value());
  if (!status) check_every_call_fails_with(static_cast<std::errc>(status.error().value()));
}

TEST_CASE("a thread's ring uses one handle, and is closed with the thread") {
  if (!is_here<OverRing>()) return;
  REQUIRE(uring::available().has_value());  // the ring of this thread
  const auto before = open_handles();
  std::thread([&] {
    CHECK(open_handles() == before);
    auto connection = connection_over<OverRing>();
    CHECK(open_handles() == before + 3);
    connection.client.close();
    connection.server.close();
    CHECK(open_handles() == before + 1);
  }).join();
  CHECK(open_handles() == before);
}

TEST_CASE("a thread that can open no handle gets no ring, and an error with the reason") {
  if (!is_here<OverRing>()) return;
  auto connection = connection_over<OverRing>();
  Result<std::size_t> sent = 0;
  std::latch begun(1);
  std::latch exhausted(1);
  std::jthread thread([&] {
    begun.count_down();
    exhausted.wait();
    sent = connection.client.send(octets(1));
  });
  begun.wait();  // sanitizers need handles to start a thread
  {
    const NoHandlesLeft none;
    exhausted.count_down();
    thread.join();
  }
  CHECK(sent.error() == std::errc::too_many_files_open);
  CHECK(connection.client.send(octets(1)).value() == 1);
}

TEST_CASE("a sender and a receiver work on one stream at the same time, both ways") {
  if (!is_here<OverRing>()) return;
  auto connection = connection_over<OverRing>();
  const Octets message = sample(3'000'000);
  Octets at_server(message.size());
  Octets at_client(message.size());
  {
    std::jthread up([&] { CHECK(connection.client.send_n(OctetSpan(message)).has_value()); });
    std::jthread down([&] { CHECK(connection.server.send_n(OctetSpan(message), 1h).has_value()); });
    std::jthread server(
        [&] { CHECK(connection.server.recv_n(MutableOctetSpan(at_server), 1h).has_value()); });
    CHECK(connection.client.recv_n(MutableOctetSpan(at_client)).has_value());
  }
  CHECK((at_server == message));
  CHECK((at_client == message));
}

TEST_CASE("an operation that a limit has ended moves no octets later") {
  if (!is_here<OverRing>()) return;
  auto connection = connection_over<OverRing>();
  std::array<std::byte, 4> space{};
  CHECK(connection.server.recv(MutableOctetSpan(space), 1ms).error() == std::errc::timed_out);
  REQUIRE(connection.client.send(octets(1, 2, 3, 4)).value() == 4);
  std::array<std::byte, 4> other{};
  CHECK(connection.server.recv_n(MutableOctetSpan(other), 1h).value() == Received::octets(4));
  CHECK(space[0] == std::byte{0});
  CHECK(other[3] == std::byte{4});
}

TEST_CASE("an operation that the kernel refuses is an error, and the next operation works") {
  if (!is_here<OverRing>()) return;
  auto connection = connection_over<OverRing>();
  REQUIRE(uring::available().has_value());
  const auto before = open_handles();
  std::array<std::byte, 4> space{};
  for (const TimeLimit limit : {forever, TimeLimit(1h), no_wait}) {
    kernel = Kernel::takes_none;
    CHECK(connection.client.send(octets(9), limit).error() == std::errc::not_enough_memory);
    kernel = Kernel::takes_none;
    CHECK(connection.server.recv(MutableOctetSpan(space), limit).error() ==
          std::errc::not_enough_memory);
    CHECK(connection.client.send(octets(1), limit).value() == 1);
    CHECK(connection.server.recv(MutableOctetSpan(space), 1h).value() == Received::octets(1));
    CHECK(space[0] == std::byte{1});
    CHECK(open_handles() == before);
  }
}

TEST_CASE("an operation that the kernel accepts without its time-out is cancelled") {
  if (!is_here<OverRing>()) return;
  auto connection = connection_over<OverRing>();
  std::array<std::byte, 4> space{};
  kernel = Kernel::takes_one;
  CHECK(connection.server.recv(MutableOctetSpan(space), 1h).error() ==
        std::errc::not_enough_memory);
  // The earlier receive must not take this octet.
  REQUIRE(connection.client.send(octets(1)).value() == 1);
  std::array<std::byte, 4> other{};
  CHECK(connection.server.recv(MutableOctetSpan(other), 1h).value() == Received::octets(1));
  CHECK(space[0] == std::byte{0});
  CHECK(other[0] == std::byte{1});
}

TEST_CASE("an operation without its time-out is done completely, or not at all") {
  if (!is_here<OverRing>()) return;
  auto connection = connection_over<OverRing>();
  REQUIRE(connection.client.send(octets(7)).value() == 1);
  std::array<std::byte, 4> space{};
  kernel = Kernel::takes_one;
  auto got = connection.server.recv(MutableOctetSpan(space), 1h);
  if (!got) {
    CHECK(got.error() == std::errc::not_enough_memory);
    CHECK(space[0] == std::byte{0});
    got = connection.server.recv(MutableOctetSpan(space), 1h);
  }
  CHECK(got.value() == Received::octets(1));
  CHECK(space[0] == std::byte{7});
}

/// Waits until a thread of this process sleeps in the kernel.
void wait_until_asleep(pid_t thread) {
  std::string state;
  while (state != "S") {
    std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string skipped;
    status >> skipped >> skipped >> state;
    std::this_thread::yield();
  }
}

TEST_CASE("closing a handle does not end the call that uses it, which still receives octets") {
  if (!is_here<OverRing>()) return;
  for (const TimeLimit limit : {forever, TimeLimit(1h)}) {
    auto connection = connection_over<OverRing>();
    std::array<std::byte, 1> space{};
    std::atomic<pid_t> thread = 0;
    std::jthread receiver([&, handle = connection.server.handle()] {
      REQUIRE(uring::available().has_value());
      thread = gettid();
      const auto got = RingCalls::recv(handle, space, limit);
      CHECK(got.error == 0);
      CHECK(got.count == 1);
    });
    while (thread == 0) std::this_thread::yield();
    wait_until_asleep(thread);
    connection.server.close();
    REQUIRE(connection.client.send(octets(5)).value() == 1);
    receiver.join();
    CHECK(space[0] == std::byte{5});
    // The last user of the connection has gone.
    CHECK(connection.client.recv(MutableOctetSpan(space), 10s).value() == Received::end());
  }
}

TEST_CASE("a fork does not disturb the calls of other threads") {
  if (!is_here<OverRing>()) return;
  auto connection = connection_over<OverRing>();
  std::array<std::byte, 1> space{};
  std::atomic<pid_t> thread = 0;
  std::jthread receiver([&] {
    REQUIRE(uring::available().has_value());
    thread = gettid();
    CHECK(connection.server.recv(MutableOctetSpan(space), 1h).value() == Received::octets(1));
  });
  while (thread == 0) std::this_thread::yield();
  wait_until_asleep(thread);
  const pid_t child = fork();
  REQUIRE(child != -1);
  if (child == 0) _exit(connection.client.send(octets(6), 1h) ? 0 : 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  receiver.join();
  CHECK(space[0] == std::byte{6});
}

TEST_CASE("a stream's handle can move to the other family, and both families exchange octets") {
  if (!is_here<OverRing>()) return;
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  auto client = uring::Connector::connect(acceptor.local_address().value(), 10s).value();
  auto server = acceptor.accept().value();
  REQUIRE(client.send(octets(1)).value() == 1);
  std::array<std::byte, 1> space{};
  CHECK(server.recv(MutableOctetSpan(space)).value() == Received::octets(1));
  auto plain = sock::Stream::adopt(client.release()).value();
  auto ring = uring::Stream::adopt(server.release()).value();
  REQUIRE(plain.send(octets(2)).value() == 1);
  CHECK(ring.recv(MutableOctetSpan(space)).value() == Received::octets(1));
  CHECK(space[0] == std::byte{2});
}

TEST_CASE("the child of a fork makes a ring of its own, and the parent's goes on") {
  if (!is_here<OverRing>()) return;
  auto connection = connection_over<OverRing>();
  const pid_t child = fork();
  REQUIRE(child != -1);
  if (child == 0) {
    const bool is_sent = connection.client.send(octets(1, 2)).has_value();
    _exit(is_sent ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  REQUIRE(connection.client.send(octets(3)).value() == 1);
  std::array<std::byte, 3> space{};
  CHECK(connection.server.recv_n(MutableOctetSpan(space), 10s).value() == Received::octets(3));
  CHECK(space[2] == std::byte{3});
}

}  // namespace
}  // namespace perigee::ipc
