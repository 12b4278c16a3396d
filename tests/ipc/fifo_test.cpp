// Pipes, named and anonymous.
#include "support/octets.h"
#include <perigee/ipc/families.h>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using perigee::test::octets;

/// A path for this process only, where a pipe is made and removed.
class Named {
 public:
  explicit Named(FifoAccess access = FifoAccess::owner)
      : address_(FifoAddr::path("perigee_fifo_test_" + std::to_string(getpid())).value()) {
    static_cast<void>(fifo::remove(address_));
    made_ = fifo::create(address_, access);
  }
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;
  ~Named() { static_cast<void>(fifo::remove(address_)); }
  [[nodiscard]] const FifoAddr& address() const { return address_; }
  [[nodiscard]] const Status& made() const { return made_; }

 private:
  FifoAddr address_;
  Status made_;
};

/// Both ends of a named pipe.
Pipe opened(const FifoAddr& address) {
  Pipe ends;
  std::jthread receiving([&] { ends.receiver = fifo::Receiver::open(address).value(); });
  ends.sender = fifo::Sender::open(address).value();
  receiving.join();
  return ends;
}

struct OverName {
  Named name;
  Pipe ends = opened(name.address());
};
struct Anonymous {
  Pipe ends = pipe().value();
};
#define BOTH OverName, Anonymous

TEST_CASE_TEMPLATE("octets pass from the sending to the receiving end, until it is closed", Over,
                   BOTH) {
  Over over;
  auto& [sender, receiver] = over.ends;
  Octets message(300'000);
  for (std::size_t index = 0; index < message.size(); ++index) {
    message[index] = static_cast<std::byte>(index * 7 + index / 251);
  }
  std::jthread sending([&] {
    CHECK(sender.send_n(OctetSpan(message)).value() == message.size());
    sender.close();
  });
  Octets copy(message.size());
  CHECK(receiver.recv_n(MutableOctetSpan(copy)).value() == Received::octets(message.size()));
  CHECK((copy == message));
  std::byte more{};
  CHECK(receiver.recv(MutableOctetSpan(&more, 1)).value() == Received::end());
}

TEST_CASE_TEMPLATE("segments are gathered, and scattered again", Over, BOTH) {
  Over over;
  auto& [sender, receiver] = over.ends;
  const Octets first = octets(1, 2, 3);
  const Octets second = octets(4, 5);
  const std::array<OctetSpan, 4> segments{OctetSpan{}, first, OctetSpan{}, second};
  for (const TimeLimit limit : {forever, no_wait, TimeLimit(1h)}) {
    CHECK(sender.send(segments, limit).value() == 5);
    CHECK(sender.send_n(segments, limit).value() == 5);
    std::array<std::byte, 2> head;
    std::array<std::byte, 3> tail;
    const std::array<MutableOctetSpan, 2> spaces{head, tail};
    CHECK(receiver.recv(spaces, limit).value() == Received::octets(5));
    CHECK(receiver.recv_n(spaces, limit).value() == Received::octets(5));
    CHECK(head[1] == std::byte{2});
    CHECK(tail[2] == std::byte{5});
  }
}

TEST_CASE_TEMPLATE("limits end waits for octets and for room in the pipe", Over, BOTH) {
  Over over;
  auto& [sender, receiver] = over.ends;
  std::array<std::byte, 10> space;
  CHECK(receiver.recv(MutableOctetSpan(space), no_wait).error() ==
        std::errc::operation_would_block);
  CHECK(receiver.recv(MutableOctetSpan(space), 1ms).error() == std::errc::timed_out);
  const Octets message(1 << 20);
  CHECK(sender.send_n(OctetSpan(message), 1ms).error() == std::errc::timed_out);
  CHECK(sender.send(OctetSpan(message), no_wait).error() == std::errc::operation_would_block);
  CHECK(sender.send(OctetSpan(message), 1ms).error() == std::errc::timed_out);
  CHECK(receiver.recv_n(MutableOctetSpan(space), 1ms).value() == Received::octets(10));
}

TEST_CASE_TEMPLATE("a receive without space is not the end of a pipe", Over, BOTH) {
  Over over;
  CHECK(over.ends.receiver.recv(MutableOctetSpan{}).value() == Received::octets(0));
  CHECK(over.ends.receiver.recv_n(MutableOctetSpan{}).value() == Received::octets(0));
  CHECK(over.ends.receiver.recv(std::span<const MutableOctetSpan>{}).value() ==
        Received::octets(0));
}

TEST_CASE("sending without a receiver is an error where SIGPIPE is ignored") {
  struct sigaction before{};
  REQUIRE(sigaction(SIGPIPE, nullptr, &before) == 0);
  ignore_sigpipe();
  auto [sender, receiver] = pipe().value();
  receiver.close();
  CHECK(sender.send(octets(1)).error() == std::errc::broken_pipe);
  CHECK(sender.send(octets(1), 1ms).error() == std::errc::broken_pipe);
  sigaction(SIGPIPE, &before, nullptr);
}

TEST_CASE("the capacity of a pipe is an option of both ends") {
  auto [sender, receiver] = pipe().value();
  REQUIRE(sender.set(PipeCapacity{16384}));
  CHECK(receiver.get<PipeCapacity>().value().size == 16384);
  CHECK(receiver.set(PipeCapacity{-1}).error() == std::errc::invalid_argument);
}

TEST_CASE("one end waits for the other end to be opened, up to its limit") {
  const Named name;
  CHECK(fifo::Sender::open(name.address(), no_wait).error() == std::errc::operation_would_block);
  CHECK(fifo::Sender::open(name.address(), 1ms).error() == std::errc::timed_out);
  CHECK(fifo::Receiver::open(name.address(), no_wait).error() == std::errc::operation_would_block);
  CHECK(fifo::Receiver::open(name.address(), 1ms).error() == std::errc::timed_out);
  fifo::Receiver receiver;
  std::jthread receiving([&] { receiver = fifo::Receiver::open(name.address(), 1h).value(); });
  auto sender = fifo::Sender::open(name.address(), 1h).value();
  CHECK(sender.send(octets(1)).value() == 1);
  receiving.join();
  // Both ends are blocking again.
  std::array<std::byte, 3> space;
  std::jthread sending([&] { CHECK(sender.send_n(octets(2, 3)).has_value()); });
  CHECK(receiver.recv_n(MutableOctetSpan(space)).value() == Received::octets(3));
}

TEST_CASE("a named pipe has the permissions of its access option") {
  const mode_t before = umask(0);
  for (const auto& [access, mode] :
       {std::pair{FifoAccess::owner, 0600u}, std::pair{FifoAccess::owner_and_group, 0660u},
        std::pair{FifoAccess::everyone, 0666u}}) {
    const Named name(access);
    struct stat status{};
    REQUIRE(::stat(name.address().name().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == mode);
  }
  umask(before);
}

TEST_CASE("a file that is not a named pipe is neither opened nor removed") {
  const std::string path = "perigee_fifo_test_file_" + std::to_string(getpid());
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  std::fclose(file);
  const auto address = FifoAddr::path(path).value();
  CHECK(fifo::Sender::open(address).error() == std::errc::operation_not_supported);
  CHECK(fifo::Receiver::open(address, 1ms).error() == std::errc::operation_not_supported);
  CHECK(fifo::create(address).error() == std::errc::file_exists);
  CHECK(fifo::remove(address).error() == std::errc::operation_not_supported);
  std::remove(path.c_str());
  CHECK(fifo::remove(address).error() == std::errc::no_such_file_or_directory);
  CHECK(fifo::Sender::open(address).error() == std::errc::no_such_file_or_directory);
}

TEST_CASE("a socket in place of a named pipe is refused at once: a sender does not wait for it") {
  const std::string path = "perigee_fifo_test_socket_" + std::to_string(getpid());
  const auto local = UnixAddr::path(path).value();
  lsock::remove(local);
  const auto acceptor = lsock::Acceptor::open(local);
  REQUIRE(acceptor.has_value());
  CHECK(fifo::Sender::open(FifoAddr::path(path).value(), 1h).error() ==
        std::errc::operation_not_supported);
  lsock::remove(local);
}

TEST_CASE("addresses of named pipes are paths") {
  CHECK_FALSE(FifoAddr::path(""));
  CHECK_FALSE(FifoAddr::path(std::string_view("a\0b", 3)));
  CHECK_FALSE(FifoAddr::path(std::string(FifoAddr::path_size_max + 1, 'x')));
  CHECK(to_string(FifoAddr::path("a/b").value()) == "a/b");
  const auto too_long = FifoAddr::path(std::string(300, 'x')).value();
  CHECK(fifo::create(too_long).error() == std::errc::filename_too_long);
}

}  // namespace
}  // namespace perigee::ipc
