// The parts of perigee bench sockspeed: channels as text, blocks that detect losses, and the ring
// in shared memory.
#include "base/sanitizer.h"
#include "blocks.h"
#include "channel.h"
#include "first_address.h"
#include "links.h"
#include "shared_ring.h"
#include "timed.h"
#include <perigee/ipc/sock.h>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace perigee::bench {
namespace {

std::string error_of(const std::string& channel) {
  try {
    parse_channel(channel);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

std::string ring_name() { return "/perigee-test." + std::to_string(::getpid()); }

std::vector<std::byte> numbered(std::size_t size) {
  std::vector<std::byte> octets(size);
  for (std::size_t index = 0; index < size; ++index)
    octets[index] = static_cast<std::byte>(index * 7 + index / 256);
  return octets;
}

/// A link without a peer: it remembers the end of the run, and when the receipt came.
class FakeLink {
 public:
  struct Record {
    std::size_t sent = 0;
    std::size_t sent_before_receipt = 0;
    std::chrono::nanoseconds receipt{0};
  };
  explicit FakeLink(Record& record) : record_(&record) {}
  void send(std::span<const std::byte> octets) { record_->sent += octets.size(); }
  void await_receipt() {
    record_->sent_before_receipt = record_->sent;
    record_->receipt = time_of(CLOCK_MONOTONIC);
  }

 private:
  Record* record_;
};

}  // namespace

TEST_CASE("a channel can be written as text and read back") {
  for (const std::string& text : default_channels()) CHECK(to_text(parse_channel(text)) == text);
  const Channel channel = parse_channel("tcp+queue=8192+non-blocking+no-delay+host-address");
  CHECK(channel == Channel{Medium::tcp, true, true, true, 8192});
  CHECK(to_text(channel) == "tcp+host-address+no-delay+non-blocking+queue=8192");
}

TEST_CASE("an unsupported option of a channel is an error that lists the supported ones") {
  CHECK(error_of("udp") ==
        "unknown channel 'udp'; the channels are: tcp, uring, unix, seqpacket, pipe, fifo, shm");
  CHECK(error_of("unix+no-delay").starts_with("unknown option 'no-delay' of the channel 'unix'; "));
  CHECK(error_of("shm+non-blocking")
            .starts_with("unknown option 'non-blocking' of the channel 'shm'"));
  CHECK(error_of("tcp+").starts_with("unknown option '' of the channel 'tcp'"));
  for (const char* text : {"tcp+queue=", "tcp+queue=8k", "tcp+queue=1", "tcp+queue=-8192"})
    CHECK(error_of(text).ends_with("write a number of octets from 4096 to 1073741824"));
  CHECK(error_of("").starts_with("unknown channel ''"));
}

TEST_CASE("a block has a number, and a mark if it is the last block") {
  for (const Memory memory : {Memory::touched, Memory::untouched}) {
    std::array<std::byte, 64> block{};
    write_block(block, 7, false, memory);
    CHECK_FALSE(check_block(block, 7, memory));
    CHECK_THROWS_AS(check_block(block, 8, memory), std::runtime_error);
    write_block(block, 8, true, memory);
    CHECK(check_block(block, 8, memory));
  }
}

TEST_CASE("every octet of a touched block is checked") {
  std::array<std::byte, 64> block{};
  write_block(block, 3, false, Memory::touched);
  for (std::byte& octet : block) {
    octet ^= std::byte{4};
    CHECK_THROWS_AS(check_block(block, 3, Memory::touched), std::runtime_error);
    octet ^= std::byte{4};
  }
  CHECK_FALSE(check_block(block, 3, Memory::touched));
}

TEST_CASE("a ring carries octets in order, in pieces of any size, beyond its capacity") {
  SharedRing writer = SharedRing::create(ring_name(), 4096);
  SharedRing reader = SharedRing::open(ring_name());
  const std::vector<std::byte> sent = numbered(1'000'000);
  std::vector<std::byte> received(sent.size());
  std::thread sending([&] {
    std::size_t at = 0;
    for (std::size_t piece = 1; at < sent.size(); piece = piece * 3 % 9973) {
      const std::size_t count = std::min(piece, sent.size() - at);
      writer.send(std::span(sent).subspan(at, count));
      at += count;
    }
  });
  std::size_t at = 0;
  for (std::size_t piece = 5; at < received.size(); piece = piece * 5 % 7919) {
    const std::size_t count = std::min(piece, received.size() - at);
    REQUIRE(reader.receive(std::span(received).subspan(at, count)));
    at += count;
  }
  sending.join();
  CHECK(received == sent);
}

TEST_CASE("a reader gets the octets sent before the writer's end, and then the end") {
  std::array<std::byte, 8> space{};
  SharedRing writer = SharedRing::create(ring_name(), 4096);
  SharedRing reader = SharedRing::open(ring_name());
  writer.send(space);
  {
    const SharedRing gone = std::move(writer);
  }
  CHECK(reader.receive(space));
  CHECK_FALSE(reader.receive(space));
}

TEST_CASE("a writer stops waiting for a reader that has ended or was killed") {
  const std::vector<std::byte> much = numbered(8192);
  SUBCASE("ended") {
    SharedRing writer = SharedRing::create(ring_name(), 4096);
    {
      const SharedRing reader = SharedRing::open(ring_name());
    }
    CHECK_THROWS_AS(writer.send(much), std::runtime_error);
  }
  SUBCASE("killed") {
    const std::string name = ring_name();
    SharedRing writer = SharedRing::create(name, 4096);
    const pid_t child = ::fork();
    if (child == 0) {
      const SharedRing reader = SharedRing::open(name);
      ::_exit(0);  // without destructors
    }
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    CHECK_THROWS_AS(writer.send(much), std::runtime_error);
  }
}

TEST_CASE("the time of a parent ends when the child has confirmed the receipt of the last block") {
  FakeLink::Record record;
  ParentOf<FakeLink> parent{FakeLink(record)};
  const Outcome outcome = parent.send({64, Memory::touched, {}, true});
  CHECK(outcome.transfers == 1);
  CHECK(record.sent_before_receipt == sizeof(Preamble) + 64);
  CHECK(outcome.end >= record.receipt);
  CHECK(record.receipt.count() > 0);
}

TEST_CASE("a parent that the experiment controls does not wait for a receipt") {
  FakeLink::Record record;
  ParentOf<FakeLink> parent{FakeLink(record)};
  CHECK(parent.send({64, Memory::touched, {}, false}).transfers == 1);
  CHECK(record.receipt.count() == 0);
}

TEST_CASE("the receipt of a ring comes when all octets are read; without a reader the wait fails") {
  std::array<std::byte, 64> space{};
  SharedRing writer = SharedRing::create(ring_name(), 4096);
  SUBCASE("read") {
    SharedRing reader = SharedRing::open(ring_name());
    writer.send(space);
    std::thread reading([&] { CHECK(reader.receive(space)); });
    writer.await_receipt();
    reading.join();
  }
  SUBCASE("not read") {
    {
      const SharedRing reader = SharedRing::open(ring_name());
      writer.send(space);
    }
    CHECK_THROWS_AS(writer.await_receipt(), std::runtime_error);
  }
}

TEST_CASE("the receipt of a pipe comes when the pipe is empty; without a reader the wait fails") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  await_empty_pipe(ends[1]);
  const std::array<std::byte, 4> octets{};
  REQUIRE(::write(ends[1], octets.data(), octets.size()) == 4);
  ::close(ends[0]);
  CHECK_THROWS_AS(await_empty_pipe(ends[1]), std::runtime_error);
  ::close(ends[1]);
}

TEST_CASE("a child tries all addresses of the parent's host") {
  auto open = ipc::sock::Acceptor::open(ipc::InetAddr::loopback());
  REQUIRE(open.has_value());
  const auto listening = open->local_address().value();
  // No socket listens at this address of the loopback interface.
  const auto closed = ipc::InetAddr::v4({127, 0, 0, 2}, listening.port());
  const auto connect = [](const ipc::InetAddr& address) {
    return ipc::sock::Connector::connect(address);
  };
  const std::array both{closed, listening};
  auto stream = connect_to_first(both, connect);
  CHECK(stream.peer_address().value() == listening);
  try {
    (void)connect_to_first(std::span(both).first(1), connect);
    FAIL("no address answers");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()) == "connect to " + to_string(closed) + ": Connection refused");
  }
}

TEST_CASE("the functions that all links share begin at a cache line") {
  if (under_sanitizer) return;  // a sanitizer puts data of its own before each function
  for (const auto address : {reinterpret_cast<std::uintptr_t>(&write_block),
                             reinterpret_cast<std::uintptr_t>(&check_block)})
    CHECK(address % block_code_alignment == 0);
}

}  // namespace perigee::bench
