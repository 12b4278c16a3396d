// Signals at a high rate, in all calls that wait. The calls lose nothing, do nothing twice, keep
// their limits, and do not report the signals.
#include "ipc/faults.h"
#include "support/octets.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using namespace test;
using perigee::test::octets;
using Clock = std::chrono::steady_clock;

#define EVERY_CHANNEL OverV4, OverV6, OverLocal, OverRing, OverPipe
#define EVERY_FAMILY OverV4, OverV6, OverLocal, OverRing

/// So many signals interrupt each wait at least once.
constexpr int many = 200;

template <typename Over>
void transfer_in_a_storm(TimeLimit limit) {
  auto channel = channel_over<Over>();
  const Octets message = sample(1'000'003);
  Octets arrived(message.size());
  Result<Received> received = Received::octets(0);
  std::jthread receiver([&] {
    const Storm storm;
    received = channel.receiver.recv_n(MutableOctetSpan(arrived), limit);
  });
  {
    const Storm storm;
    CHECK(channel.sender.send_n(OctetSpan(message), limit).value() == message.size());
  }
  receiver.join();
  CHECK(received.value() == Received::octets(message.size()));
  CHECK((arrived == message));
  CHECK(channel.receiver.recv(MutableOctetSpan(arrived), no_wait).error() ==
        std::errc::operation_would_block);
}

TEST_CASE_TEMPLATE("signals in the middle of transfers neither lose nor repeat octets", Over,
                   EVERY_CHANNEL) {
  if (!is_here<Over>()) return;
  const auto enough = Storm::count() + many;
  do {
    transfer_in_a_storm<Over>(forever);
    transfer_in_a_storm<Over>(1h);
  } while (Storm::count() < enough);
}

TEST_CASE_TEMPLATE("connections are made and accepted despite signals", Over, OverV4, OverV6,
                   OverLocal, OverRing) {
  if (!is_here<Over>()) return;
  using Family = typename Over::Family;
  auto acceptor = Family::Acceptor::open(Over::fresh()).value();
  const auto address = acceptor.local_address().value();
  const auto enough = Storm::count() + many;
  do {
    const auto before = open_handles();
    std::jthread server([&] {
      const Storm storm;
      for (int count = 0; count < 40; ++count) {
        auto stream = acceptor.accept(count % 2 == 0 ? forever : 1h);
        CHECK(stream.value().send(octets(count)).value() == 1);
      }
    });
    const Storm storm;
    for (int count = 0; count < 40; ++count) {
      auto stream = Family::Connector::connect(address, count % 2 == 0 ? forever : 1h);
      std::array<std::byte, 2> space;
      CHECK(stream.value().recv_n(MutableOctetSpan(space), 1h).value() == Received::end(1));
      CHECK(std::to_integer<int>(space[0]) == count);
    }
    server.join();
    CHECK(open_handles() == before);
  } while (Storm::count() < enough);
}

TEST_CASE_TEMPLATE("signals do not shorten limits", Over, EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  auto connection = connection_over<Over>(SendBuffer{1});
  auto acceptor = Over::Family::Acceptor::open(Over::fresh()).value();
  const Octets message(10'000'000);
  std::array<std::byte, 4> space;
  const Storm storm;
  const auto start = Clock::now();
  CHECK(connection.server.recv_n(MutableOctetSpan(space), 20ms).error() == std::errc::timed_out);
  CHECK(acceptor.accept(20ms).error() == std::errc::timed_out);
  CHECK(connection.client.send_n(OctetSpan(message), 20ms).error() == std::errc::timed_out);
  CHECK(Clock::now() - start >= 60ms);
}

TEST_CASE_TEMPLATE("files arrive whole despite signals", Over, EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  char in_path[] = "perigee_interruption_test_XXXXXX";
  char out_path[] = "perigee_interruption_test_XXXXXX";
  const Handle in(mkstemp(in_path));
  const Handle out(mkstemp(out_path));
  const Octets message = sample(1'000'003);
  REQUIRE(write(in.get(), message.data(), message.size()) == 1'000'003);
  auto connection = connection_over<Over>(SendBuffer{1});
  std::jthread receiver([&] {
    const Storm storm;
    auto file = OutputFile::open(out_path, OutputFile::Existing::keep).value();
    CHECK(connection.server.recv_file_n(file, 0, message.size(), 1h).value() ==
          Received::octets(message.size()));
  });
  {
    const Storm storm;
    const auto file = File::open(in_path).value();
    CHECK(connection.client.send_file_n(file, 0, 500'000).value() == 500'000);
    CHECK(connection.client.send_file_n(file, 500'000, 500'003, 1h).value() == 500'003);
  }
  receiver.join();
  Octets arrived(message.size());
  CHECK(pread(out.get(), arrived.data(), arrived.size(), 0) == 1'000'003);
  CHECK((arrived == message));
  unlink(in_path);
  unlink(out_path);
}

TEST_CASE("records and their handles arrive once despite signals") {
  auto streams = spipe::pair().value();
  const auto before = open_handles();
  const int enough = Storm::count() + many;
  do {
    std::jthread receiver([&] {
      const Storm storm;
      for (int count = 0; count < 300; ++count) {
        std::array<std::byte, 2000> space;
        std::array<Handle, 2> handles;
        const auto record = streams.second.recv_handles(space, handles, count % 2 ? 1h : forever);
        CHECK(record.value().octets.count() == static_cast<std::size_t>(count) + 1);
        CHECK(record.value().handle_count == 1);
        CHECK(std::to_integer<int>(space[0]) == count % 256);
      }
    });
    const Storm storm;
    for (int count = 0; count < 300; ++count) {
      const Octets record(static_cast<std::size_t>(count) + 1, static_cast<std::byte>(count));
      const int lent = streams.first.handle();
      CHECK(streams.first.send_handles(record, std::span(&lent, 1), 1h).has_value());
    }
    receiver.join();
  } while (Storm::count() < enough);
  CHECK(open_handles() == before);
}

template <typename Family>
typename Family::Address address_of_dgrams();
template <>
InetAddr address_of_dgrams<Sock>() {
  return InetAddr::loopback();
}
template <>
UnixAddr address_of_dgrams<LSock>() {
  return UnixAddr::abstract("perigee_interruption_test_" + std::to_string(getpid())).value();
}

TEST_CASE_TEMPLATE("datagrams are sent once and received once despite signals", Family, Sock,
                   LSock) {
  using Address = typename Family::Address;
  auto server = Family::Dgram::open(address_of_dgrams<Family>()).value();
  auto client =
      Family::CoDgram::open({.local = Address{}, .peer = server.local_address().value()}).value();
  const int enough = Storm::count() + many;
  constexpr int rounds = 1000;
  do {
    // Each side waits for the other side, so no queue overflows and all datagrams arrive.
    std::jthread echo([&] {
      const Storm storm;
      std::array<std::byte, 10> space;
      for (int count = 0; count < rounds; ++count) {
        const auto got = server.recv_from(space, count % 2 ? 1h : forever).value();
        CHECK(server.send_to(OctetSpan(space).first(got.count), got.sender, 1h).has_value());
      }
    });
    const Storm storm;
    std::array<std::byte, 10> space;
    for (int count = 0; count < rounds; ++count) {
      REQUIRE(client.send(octets(count, count >> 8)).has_value());
      REQUIRE(client.recv(space, count % 2 ? 1h : forever).value().count == 2);
      CHECK(std::to_integer<int>(space[0]) == count % 256);
      CHECK(std::to_integer<int>(space[1]) == count / 256);
    }
    echo.join();
    CHECK(client.recv(space, no_wait).error() == std::errc::operation_would_block);
  } while (Storm::count() < enough);
}

/// Runs a function in a child without a core dump or output. Returns the status of `waitpid`.
template <typename Function>
int status_of_child(Function function) {
  const pid_t child = fork();
  REQUIRE(child != -1);
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(SIGABRT, SIG_DFL);
    close(STDERR_FILENO);
    function();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

/// Cancels a thread that runs `start`, waits for it, and returns its result.
void* cancelled(void* (*start)(void*), void* argument) {
  pthread_t thread{};
  pthread_create(&thread, nullptr, start, argument);
  pthread_cancel(thread);
  void* result = nullptr;
  pthread_join(thread, &result);
  return result;
}

TEST_CASE("a thread that is cancelled in a call ends the process, so that no call stops halfway") {
  const int status = status_of_child([] {
    auto streams = lsock::pair().value();
    cancelled(
        [](void* stream) -> void* {
          std::byte space;
          static_cast<void>(static_cast<lsock::Stream*>(stream)->recv(MutableOctetSpan(&space, 1)));
          return nullptr;
        },
        &streams.first);
  });
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
}

TEST_CASE("a thread that defers cancellation is cancelled after its calls") {
  auto streams = lsock::pair().value();
  REQUIRE(streams.second.send(octets(1)).value() == 1);
  void* const result = cancelled(
      [](void* stream) -> void* {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
        std::byte space{};
        CHECK(static_cast<lsock::Stream*>(stream)->recv(MutableOctetSpan(&space, 1)));
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
        for (;;) pthread_testcancel();
      },
      &streams.first);
  CHECK(result == PTHREAD_CANCELED);
}

}  // namespace
}  // namespace perigee::ipc
