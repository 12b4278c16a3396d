// The addresses in a recording are those of the sockets, if the connection has sockets.
#include "conformance/transport_pair.h"
#include "support/octets.h"
#include "transport/pcap_reader.h"
#include <perigee/transport/pcap.h>
#include <perigee/transport/tcp.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace perigee::transport {
namespace {

using namespace perigee::test;
using Side = PcapFile::Side;

/// A recording in a temporary file, which the destructor deletes.
struct Recording {
  Recording() : file(make_pcap_file(path).value()) {}
  ~Recording() { std::filesystem::remove(path); }
  [[nodiscard]] std::vector<CapturedPacket> packets() const {
    file->flush();
    return PcapReader(path).packets();
  }

  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("perigee_pcap_addresses_test_" + std::to_string(std::random_device()()) + ".pcap");
  std::unique_ptr<PcapFile> file;
};

TransportPair connect_to(const std::string& host) {
  const auto protocol = make_tcp_protocol();
  const auto acceptor = protocol->listen({"iiop", host + ":0"}).value();
  return connect_pair(*protocol, *acceptor);
}

std::uint16_t port_at_end(const std::string& endpoint) {
  return static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1)));
}

const Octets ipv4_loopback = octets(127, 0, 0, 1);

}  // namespace

TEST_CASE("a recording has the addresses and ports of the TCP connection") {
  for (const Side side : {Side::connected, Side::accepted}) {
    Recording recording;
    auto pair = connect_to("127.0.0.1");
    auto& own = side == Side::connected ? pair.client : pair.server;
    auto& peer = side == Side::connected ? pair.server : pair.client;
    const std::uint16_t client_port = port_at_end(pair.server->peer());
    const std::uint16_t server_port = port_at_end(pair.client->peer());
    own = recording.file->record(std::move(own), side);
    CHECK(send_all(*own, octets('p', 'i', 'n', 'g')).ok());
    CHECK(receive_exactly(*peer, 4).size() == 4);
    const auto packets = recording.packets();
    REQUIRE(packets.size() == 4);
    CHECK(std::ranges::all_of(packets, &CapturedPacket::sums_right));
    CHECK((packets.front().source == ipv4_loopback));
    CHECK((packets.front().destination == ipv4_loopback));
    CHECK(packets.front().source_port == client_port);
    CHECK(packets.front().destination_port == server_port);
    CHECK((packets.back().source_port == client_port) == (side == Side::connected));
    CHECK(packets.back().payload.size() == 4);
  }
}

TEST_CASE("a connection over IPv6 is recorded with headers of IPv6") {
  if (!make_tcp_protocol()->listen({"iiop", "[::1]:0"})) return;  // this host has no IPv6
  Recording recording;
  auto pair = connect_to("[::1]");
  pair.client = recording.file->record(std::move(pair.client), Side::connected);
  const Octets message = pattern(70'001, 1);
  CHECK(send_all(*pair.client, OctetSpan(message).first(10)).ok());
  CHECK(send_some(*pair.client, message).count > 0);
  pair.client.reset();
  const auto packets = recording.packets();
  REQUIRE(packets.size() > 4);
  CHECK(std::ranges::all_of(packets, &CapturedPacket::sums_right));
  Octets loopback(16, std::byte{0});
  loopback.back() = std::byte{1};
  CHECK((packets.front().source == loopback));
  CHECK((packets.front().destination == loopback));
}

TEST_CASE("a recording of both ends of a connection has two conversations") {
  Recording recording;
  auto pair = connect_to("127.0.0.1");
  auto first = recording.file->record(std::move(pair.client), Side::connected);
  auto second = recording.file->record(std::move(pair.server), Side::accepted);
  auto packets = recording.packets();
  REQUIRE(packets.size() == 6);
  CHECK((packets[0].source == ipv4_loopback));
  CHECK((packets[3].source != ipv4_loopback));
  first.reset();
  second.reset();
  auto next = connect_to("127.0.0.1");
  next.server = recording.file->record(std::move(next.server), Side::accepted);
  packets = recording.packets();
  CHECK((packets.back().source == ipv4_loopback));
}

}  // namespace perigee::transport
