// Stream pipes keep the boundaries of records.
#include "support/octets.h"
#include <perigee/ipc/families.h>

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using perigee::test::octets;

spipe::Stream::Address fresh() { return {}; }

Pair<spipe::Stream> connected() {
  auto acceptor = spipe::Acceptor::open(fresh()).value();
  auto client = spipe::Connector::connect(acceptor.local_address().value()).value();
  return {std::move(client), acceptor.accept().value()};
}

/// The paper's echo server for a family of records.
template <RecordFamily Family>
void echo_once(typename Family::Acceptor& acceptor) {
  auto stream = acceptor.accept().value();
  std::array<std::byte, 1000> space;
  for (;;) {
    const auto received = stream.recv(MutableOctetSpan(space)).value();
    if (received.end_of_stream()) return;
    if (!stream.send(OctetSpan(space).first(received.count()))) return;
  }
}

TEST_CASE("an echo server returns each record") {
  auto acceptor = spipe::Acceptor::open(fresh()).value();
  std::jthread server([&] { echo_once<SPipe>(acceptor); });
  auto stream = spipe::Connector::connect(acceptor.local_address().value()).value();
  for (const std::size_t size : {1u, 0u, 1000u, 17u}) {
    const Octets record(size, std::byte{42});
    REQUIRE(stream.send(OctetSpan(record)));
  }
  std::array<std::byte, 2000> space;
  for (const std::size_t size : {1u, 0u, 1000u, 17u}) {
    CHECK(stream.recv(MutableOctetSpan(space)).value() == Received::octets(size));
  }
  stream.close_sender();
  CHECK(stream.recv(MutableOctetSpan(space)).value() == Received::end());
}

TEST_CASE("an empty record is not the end of the stream, even directly before the end") {
  auto [client, server] = connected();
  std::array<std::byte, 10> space;
  for (auto [from, to] : {std::pair{&client, &server}, std::pair{&server, &client}}) {
    REQUIRE(from->send(OctetSpan{}));
    CHECK(to->recv(MutableOctetSpan(space)).value() == Received::octets(0));
    REQUIRE(from->send(OctetSpan{}));
    from->close_sender();
    CHECK(to->recv(MutableOctetSpan(space)).value() == Received::octets(0));
    CHECK(to->recv(MutableOctetSpan(space)).value() == Received::end());
    CHECK(to->recv(MutableOctetSpan(space)).value() == Received::end());
  }
}

TEST_CASE("an empty record differs from the end, in a pair and on an adopted handle") {
  auto [first, second] = spipe::pair().value();
  auto adopted = spipe::Stream::adopt(second.release()).value();
  REQUIRE(first.send(OctetSpan{}));
  first.close();
  std::array<std::byte, 10> space;
  CHECK(adopted.recv(MutableOctetSpan(space)).value() == Received::octets(0));
  CHECK(adopted.recv(MutableOctetSpan(space)).value() == Received::end());
}

TEST_CASE("a record that does not fit is an error; the next record is whole") {
  auto [client, server] = connected();
  REQUIRE(client.send(octets(1, 2, 3)));
  REQUIRE(client.send(octets(4, 5)));
  std::array<std::byte, 2> space;
  CHECK(server.recv(MutableOctetSpan(space)).error() == std::errc::message_size);
  CHECK(server.recv(MutableOctetSpan(space)).value() == Received::octets(2));
  CHECK(space[0] == std::byte{4});
  REQUIRE(client.send(octets(6)));
  CHECK(server.recv(MutableOctetSpan{}).error() == std::errc::message_size);
}

TEST_CASE("a record that does not fit loses its handles") {
  auto [client, server] = connected();
  const std::array lent{client.handle()};
  REQUIRE(client.send_handles(octets(1, 2, 3), lent));
  std::array<std::byte, 2> space;
  std::array<Handle, 2> handles;
  CHECK(server.recv_handles(space, handles).error() == std::errc::message_size);
  CHECK_FALSE(handles[0]);
}

TEST_CASE("segments make one record, and one record fills several buffers") {
  auto [client, server] = connected();
  const Octets first = octets(1, 2, 3);
  const Octets second = octets(4, 5);
  const std::array<OctetSpan, 3> segments{first, OctetSpan{}, second};
  REQUIRE(client.send(segments));
  std::array<std::byte, 2> head;
  std::array<std::byte, 8> tail;
  const std::array<MutableOctetSpan, 2> spaces{head, tail};
  CHECK(server.recv(spaces).value() == Received::octets(5));
  CHECK(tail[2] == std::byte{5});
  const std::vector<OctetSpan> many(io::segments_max + 1, OctetSpan(first));
  CHECK(client.send(std::span<const OctetSpan>(many)).error() == std::errc::message_size);
}

TEST_CASE("more empty buffers than one call takes are skipped") {
  auto [client, server] = spipe::pair().value();
  std::array<std::byte, 3> arrived{};
  std::vector<MutableOctetSpan> spaces(io::segments_max);
  spaces.emplace_back(arrived);
  for (const TimeLimit limit : {forever, TimeLimit(1h)}) {
    REQUIRE(client.send(octets(1, 2, 3)).has_value());
    CHECK(server.recv(std::span<const MutableOctetSpan>(spaces), limit).value() ==
          Received::octets(3));
    CHECK(arrived[2] == std::byte{3});
  }
}

TEST_CASE("a record larger than the send buffer is refused whole") {
  auto acceptor = spipe::Acceptor::open(fresh()).value();
  auto client =
      spipe::Connector::connect(acceptor.local_address().value(), forever, SendBuffer{8192})
          .value();
  auto server = acceptor.accept().value();
  CHECK(client.send(OctetSpan(Octets(1 << 20))).error() == std::errc::message_size);
  std::array<std::byte, 1> space;
  CHECK(server.recv(MutableOctetSpan(space), no_wait).error() == std::errc::operation_would_block);
}

TEST_CASE("limits end waits for records and for room in the queue") {
  auto [client, server] = connected();
  std::array<std::byte, 10> space;
  CHECK(server.recv(MutableOctetSpan(space), no_wait).error() == std::errc::operation_would_block);
  CHECK(server.recv(MutableOctetSpan(space), 1ms).error() == std::errc::timed_out);
  const Octets record(10'000);
  Status sent;
  for (int count = 0; sent && count < 10'000; ++count) sent = client.send(record, no_wait);
  CHECK(sent.error() == std::errc::operation_would_block);
  CHECK(client.send(record, 1ms).error() == std::errc::timed_out);
  server.close();  // with unread records
  CHECK(client.send(record).error() == std::errc::connection_reset);
  CHECK(client.send(record).error() == std::errc::broken_pipe);
}

TEST_CASE("interrupt ends waits for a connection and for a record") {
  auto acceptor = spipe::Acceptor::open(fresh()).value();
  std::error_code error;
  std::jthread accepting([&] { error = acceptor.accept().error(); });
  acceptor.interrupt();
  accepting.join();
  CHECK(error == std::errc::invalid_argument);
  auto [client, server] = connected();
  Result<Received> got = Received::octets(0);
  std::array<std::byte, 10> space;
  std::jthread receiving([&] { got = server.recv(MutableOctetSpan(space)); });
  server.interrupt();
  receiving.join();
  CHECK(got.value() == Received::end());
}

TEST_CASE("a connection can be begun and finished later") {
  auto acceptor = spipe::Acceptor::open(fresh()).value();
  auto pending = spipe::Connector::start(acceptor.local_address().value()).value();
  auto client = pending.finish(10s).value();
  auto server = acceptor.accept().value();
  CHECK(client.peer_address().value() == acceptor.local_address().value());
  REQUIRE(client.send(OctetSpan{}));
  std::array<std::byte, 1> space;
  CHECK(server.recv(MutableOctetSpan(space)).value() == Received::octets(0));
}

TEST_CASE("paths and abstract names lead to a stream pipe, which octet streams cannot reach") {
  const auto name = SPipeAddr::abstract("perigee spipe test " + std::to_string(getpid())).value();
  auto by_name = spipe::Acceptor::open(name).value();
  CHECK(by_name.local_address().value() == name);
  CHECK(spipe::Connector::connect(name).has_value());
  const auto path = SPipeAddr::path("perigee_spipe_test_" + std::to_string(getpid())).value();
  spipe::remove(path);
  auto by_path = spipe::Acceptor::open(path).value();
  CHECK(spipe::Connector::connect(path).has_value());
  CHECK(lsock::Connector::connect(path.unix_name()).error() == std::errc::wrong_protocol_type);
  CHECK(spipe::Acceptor::open(path).error() == std::errc::address_in_use);
  spipe::remove(path);
  CHECK(spipe::Connector::connect(path).error() == std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace perigee::ipc
