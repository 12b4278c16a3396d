// Handles and credentials that are passed over local connections.
#include "support/octets.h"
#include <perigee/ipc/families.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <vector>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using perigee::test::octets;

std::size_t open_handles() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Handles of the null device, for passing.
struct Lent {
  explicit Lent(std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) {
      owned.emplace_back(::open("/dev/null", O_RDWR | O_CLOEXEC));
      numbers.push_back(owned.back().get());
    }
  }
  std::vector<Handle> owned;
  std::vector<int> numbers;
};

struct OverStream {
  static auto pair() { return lsock::pair().value(); }
};
struct OverRecords {
  static auto pair() { return spipe::pair().value(); }
};
#define BOTH OverStream, OverRecords

TEST_CASE_TEMPLATE("an open pipe is passed through a connection, and is usable afterwards", Over,
                   BOTH) {
  auto [here, there] = Over::pair();
  auto [sender, receiver] = pipe().value();
  const std::array lent{sender.handle()};
  REQUIRE(here.send_handles(octets(7), lent));
  sender.close();
  std::array<std::byte, 4> space;
  std::array<Handle, 3> handles;
  const auto got = there.recv_handles(space, handles).value();
  CHECK(got.octets == Received::octets(1));
  CHECK(space[0] == std::byte{7});
  REQUIRE(got.handle_count == 1);
  CHECK_FALSE(handles[1]);
  auto passed = fifo::Sender::adopt(handles[0].release()).value();
  CHECK(passed.send(octets(1, 2)).value() == 2);
  CHECK(receiver.recv(MutableOctetSpan(space)).value() == Received::octets(2));
}

TEST_CASE_TEMPLATE("received handles are closed on exec", Over, BOTH) {
  auto [here, there] = Over::pair();
  const Lent lent(1);
  REQUIRE(here.send_handles(octets(1), lent.numbers));
  std::array<std::byte, 1> space;
  std::array<Handle, 1> handles;
  REQUIRE(there.recv_handles(space, handles).value().handle_count == 1);
  CHECK((::fcntl(handles[0].get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE_TEMPLATE("a receive closes only the handles that it replaces", Over, BOTH) {
  auto [here, there] = Over::pair();
  const Lent lent(1);
  std::array<std::byte, 1> space;
  std::array<Handle, 2> handles{Handle(::dup(0)), Handle(::dup(0))};
  const auto before = open_handles();
  const int untouched = handles[1].get();
  REQUIRE(here.send_handles(octets(1), lent.numbers));
  REQUIRE(there.recv_handles(space, handles).value().handle_count == 1);
  CHECK(open_handles() == before);
  CHECK(handles[1].get() == untouched);
}

TEST_CASE_TEMPLATE("more handles than fit are an error, and none of them stays open", Over, BOTH) {
  auto [here, there] = Over::pair();
  for (const std::size_t room : {0u, 1u, 2u, 3u, 20u}) {
    const Lent lent(room + 1);
    const Lent many(room + 20);
    for (const auto* sent : {&lent, &many}) {
      REQUIRE(here.send_handles(octets(1), sent->numbers));
      const auto before = open_handles();
      std::array<std::byte, 1> space;
      std::vector<Handle> handles(room);
      CHECK(there.recv_handles(space, handles).error() == std::errc::message_size);
      CHECK(open_handles() == before);
      for (const auto& handle : handles) CHECK_FALSE(handle);
    }
  }
}

TEST_CASE_TEMPLATE("one message carries the system's maximum of handles, and no more", Over, BOTH) {
  auto [here, there] = Over::pair();
  const Lent lent(io::handles_max);
  REQUIRE(here.send_handles(octets(1), lent.numbers));
  std::array<std::byte, 1> space;
  std::vector<Handle> handles(io::handles_max + 10);
  CHECK(there.recv_handles(space, handles).value().handle_count == io::handles_max);
  const Lent more(io::handles_max + 1);
  CHECK(here.send_handles(octets(1), more.numbers).error() == std::errc::invalid_argument);
}

TEST_CASE_TEMPLATE("a process at its limit of handles gets an error, and keeps none of the handles",
                   Over, BOTH) {
  auto [here, there] = Over::pair();
  const Lent lent(4);
  REQUIRE(here.send_handles(octets(1), lent.numbers));
  const auto before = open_handles();
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  // Room for two of the four handles: the system gives out the lowest free numbers.
  const Handle free_number(::dup(0));
  rlimit tight = limit;
  tight.rlim_cur = static_cast<rlim_t>(free_number.get()) + 2;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &tight) == 0);
  std::array<std::byte, 1> space;
  std::vector<Handle> handles(4);
  const auto got = there.recv_handles(space, handles);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(got.error() == std::errc::too_many_files_open);
  CHECK(open_handles() == before + 1);
}

TEST_CASE_TEMPLATE("a receive that expects no handles closes received handles", Over, BOTH) {
  auto [here, there] = Over::pair();
  const Lent lent(3);
  const auto before = open_handles();
  REQUIRE(here.send_handles(octets(1), lent.numbers));
  std::array<std::byte, 4> space;
  CHECK(there.recv(MutableOctetSpan(space)).value() == Received::octets(1));
  CHECK(open_handles() == before);
}

TEST_CASE_TEMPLATE("a receive of handles reports octets without handles, time-outs and the end",
                   Over, BOTH) {
  auto [here, there] = Over::pair();
  std::array<std::byte, 4> space;
  std::array<Handle, 1> handles;
  CHECK(there.recv_handles(space, handles, no_wait).error() == std::errc::operation_would_block);
  CHECK(there.recv_handles(space, handles, 1ms).error() == std::errc::timed_out);
  REQUIRE(here.send_handles(octets(1), {}));
  CHECK(there.recv_handles(space, handles, 1h).value().handle_count == 0);
  here.close();
  const auto end = there.recv_handles(space, handles).value();
  CHECK(end.octets == Received::end());
  CHECK(end.handle_count == 0);
  CHECK(there.send_handles(octets(1), {}).error() == std::errc::broken_pipe);
}

TEST_CASE("invalid handles cannot be passed") {
  auto [here, there] = lsock::pair().value();
  const std::array nothing{-1};
  CHECK(here.send_handles(octets(1), nothing).error() == std::errc::bad_file_descriptor);
  std::array<std::byte, 4> space;
  CHECK(there.recv(MutableOctetSpan(space), no_wait).error() == std::errc::operation_would_block);
}

TEST_CASE_TEMPLATE("both ends report the process that made the connection", Over, BOTH) {
  const PeerCredentials me{getpid(), getuid(), getgid()};
  auto [here, there] = Over::pair();
  CHECK(here.peer_credentials().value() == me);
  CHECK(there.peer_credentials().value() == me);
}

TEST_CASE("an accepted connection reports the process that connected") {
  auto acceptor = lsock::Acceptor::open({}).value();
  auto client = lsock::Connector::connect(acceptor.local_address().value()).value();
  auto server = acceptor.accept().value();
  const PeerCredentials me{getpid(), getuid(), getgid()};
  CHECK(server.peer_credentials().value() == me);
  CHECK(client.peer_credentials().value() == me);
}

}  // namespace
}  // namespace perigee::ipc
