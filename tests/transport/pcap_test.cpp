// The recorder: its files satisfy a strict reader, and contain every octet of every conversation.
#include "conformance/transport_pair.h"
#include "support/memory_transport.h"
#include "support/octets.h"
#include "transport/pcap_reader.h"
#include <perigee/transport/pcap.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <random>
#include <thread>
#include <vector>

namespace perigee::transport {
namespace {

using namespace perigee::test;
using Side = PcapFile::Side;

/// A temporary file, which the destructor deletes.
struct TemporaryFile {
  TemporaryFile() {
    std::random_device random;
    path = std::filesystem::temp_directory_path() /
           ("perigee_pcap_test_" + std::to_string(random()) + ".pcap");
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

TEST_CASE("a conversation is recorded from its opening to its end") {
  TemporaryFile file;
  {
    auto pcap = make_pcap_file(file.path).value();
    auto pair = make_memory_pair();
    auto client = pcap->record(std::move(pair.first), Side::connected);
    CHECK(client->peer_identity() == PeerIdentity{.process = 2});
    CHECK(send_all(*client, octets('p', 'i', 'n', 'g')).ok());
    CHECK(receive_exactly(*pair.second, 4).size() == 4);
    CHECK(send_all(*pair.second, octets('p', 'o', 'n', 'g', '!')).ok());
    CHECK(receive_exactly(*client, 5).size() == 5);
    pair.second.reset();
    CHECK(receive_exactly(*client, 1).empty());
  }
  const PcapReader reader(file.path);
  CHECK(reader.header_right());
  const auto packets = reader.packets();
  struct Expected {
    bool from_client;
    int flags;
    std::uint32_t sequence;
    std::uint32_t acknowledged;
    std::size_t size;
  };
  const std::array<Expected, 7> expected{{{true, 0x02, 0, 0, 0},   // SYN
                                          {false, 0x12, 0, 1, 0},  // SYN, ACK
                                          {true, 0x10, 1, 1, 0},   // ACK
                                          {true, 0x18, 1, 1, 4},   // PSH, ACK: ping
                                          {false, 0x18, 1, 5, 5},  // pong!
                                          {false, 0x11, 6, 5, 0},  // FIN, ACK
                                          {true, 0x11, 5, 7, 0}}};
  REQUIRE(packets.size() == expected.size());
  for (std::size_t index = 0; index < packets.size(); ++index) {
    CAPTURE(index);
    CHECK(packets[index].sums_right);
    CHECK((packets[index].source == packets.front().source) == expected[index].from_client);
    CHECK(packets[index].flags == expected[index].flags);
    CHECK(packets[index].sequence == expected[index].sequence);
    CHECK(packets[index].acknowledged == expected[index].acknowledged);
    CHECK(packets[index].payload.size() == expected[index].size);
  }
}

TEST_CASE("a message larger than a packet is recorded in several packets") {
  TemporaryFile file;
  const Octets message = pattern(200'001, 1);
  {
    auto pcap = make_pcap_file(file.path).value();
    auto pair = make_memory_pair({.capacity = 1u << 20});
    auto client = pcap->record(std::move(pair.first), Side::connected);
    const std::array segments{OctetSpan(message).first(3), OctetSpan{},
                              OctetSpan(message).subspan(3)};
    CHECK(client->send(segments, Wait::yes).ok());
  }
  const auto packets = PcapReader(file.path).packets();
  CHECK(std::ranges::all_of(packets, &CapturedPacket::sums_right));
  const auto reassembled = reassemble(packets);
  CHECK(reassembled.in_order);
  const Flow flow{packets.front().source, packets.front().destination};
  CHECK((reassembled.octets.at(flow) == message));
}

TEST_CASE("a short send is recorded up to its last sent octet") {
  TemporaryFile file;
  const Octets message = pattern(1000, 2);
  {
    auto pcap = make_pcap_file(file.path).value();
    auto pair = make_memory_pair({.capacity = 300});
    auto server = pcap->record(std::move(pair.first), Side::accepted);
    CHECK(send_some(*server, message).count == 300);
    CHECK(send_some(*server, message).status == IoStatus::would_block);
  }
  const auto packets = PcapReader(file.path).packets();
  const auto reassembled = reassemble(packets);
  // The accepting side is the server: it did not send the first packet.
  const Flow flow{packets.front().destination, packets.front().source};
  CHECK((reassembled.octets.at(flow) == Octets(message.begin(), message.begin() + 300)));
}

TEST_CASE("the rest of a short send is recorded once, whether the next send waits or not") {
  for (const Wait wait : {Wait::yes, Wait::no}) {
    TemporaryFile file;
    const Octets message = pattern(1000, 2);
    {
      auto pcap = make_pcap_file(file.path).value();
      auto pair = make_memory_pair({.capacity = 300});
      auto client = pcap->record(std::move(pair.first), Side::connected);
      CHECK(client->set_send_timeout(std::chrono::seconds(1)).ok());  // makes the first send short
      const OctetSpan whole = message;
      CHECK(client->send({&whole, 1}, Wait::yes).count == 300);
      for (std::size_t sent = 300; sent < message.size();) {
        CHECK(receive_exactly(*pair.second, 100).size() == 100);
        const OctetSpan rest = whole.subspan(sent);
        const std::array segments{rest.first(50), rest.subspan(50)};
        const IoResult result = client->send(segments, wait);
        REQUIRE(result.count == 100);
        sent += result.count;
      }
    }
    const auto packets = PcapReader(file.path).packets();
    const auto reassembled = reassemble(packets);
    const Flow flow{packets.front().source, packets.front().destination};
    CHECK((reassembled.octets.at(flow) == message));
  }
}

TEST_CASE("conversations of several threads stay separate in one file") {
  TemporaryFile file;
  constexpr unsigned connections = 4;
  {
    auto pcap = make_pcap_file(file.path).value();
    std::vector<std::jthread> threads;
    for (unsigned number = 0; number < connections; ++number) {
      threads.emplace_back([&pcap, number] {
        auto pair = make_memory_pair();
        auto client = pcap->record(std::move(pair.first), Side::connected);
        for (unsigned round = 0; round < 50; ++round) {
          static_cast<void>(send_all(*client, pattern(100, number)));
          static_cast<void>(receive_exactly(*pair.second, 100));
          static_cast<void>(send_all(*pair.second, pattern(50, number)));
          static_cast<void>(receive_exactly(*client, 50));
        }
      });
    }
  }
  const auto packets = PcapReader(file.path).packets();
  CHECK(std::ranges::all_of(packets, &CapturedPacket::sums_right));
  const auto reassembled = reassemble(packets);
  CHECK(reassembled.in_order);
  CHECK(reassembled.octets.size() == 2 * connections);
  for (const auto& [flow, stream] : reassembled.octets) {
    CHECK((stream.size() == 50 * 100 || stream.size() == 50 * 50));
  }
}

namespace {

/// A protocol that makes no connections.
class Accepting final : public ProtocolFactory {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "accepting"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override { return {}; }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override { return nullptr; }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& /*endpoint*/) override {
    return std::unexpected(IoError{});
  }
  [[nodiscard]] std::vector<ProfileEndpoint> claim(
      std::uint32_t /*tag*/, const iop::ProfileBody& /*body*/) const override {
    return {};
  }
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint& /*endpoint*/,
                                                const ProfileSource& /*source*/) const override {
    return {};
  }
};

}  // namespace

TEST_CASE("the recorded form of a protocol without a connector has no connector") {
  TemporaryFile file;
  const auto pcap = make_pcap_file(file.path).value();
  const auto protocol = record_protocol(std::make_unique<Accepting>(), *pcap);
  CHECK(protocol->make_connector() == nullptr);
  CHECK(protocol->make_connector_with({}) == nullptr);
}

TEST_CASE("a file that cannot be created is an error with its name") {
  const auto pcap = make_pcap_file("/no such folder/file.pcap");
  REQUIRE_FALSE(pcap.has_value());
  CHECK(pcap.error().operation == IoOperation::create);
  CHECK(to_string(pcap.error()) == "create /no such folder/file.pcap: No such file or directory");
}

}  // namespace
}  // namespace perigee::transport
