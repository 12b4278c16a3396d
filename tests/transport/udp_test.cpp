// The virtual transports of a UDP endpoint: queues, eviction and forged addresses.
#include <perigee/ipc/sock.h>
#include <perigee/transport/udp.h>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::transport {
namespace {

OctetSpan octets_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// An endpoint on the loopback interface, and sockets that send to it.
class Listening {
 public:
  explicit Listening(std::uint32_t peers_max, const std::string& options = "")
      : protocol_(make_udp_protocol({.peers_max = peers_max})),
        acceptor_(protocol_->listen({"diop", "127.0.0.1:0" + options}).value()),
        address_(ipc::InetAddr::parse(acceptor_->listening().address).value()) {}

  [[nodiscard]] std::unique_ptr<Transport> accept(Wait wait = Wait::yes) {
    return acceptor_->accept(wait).value();
  }
  [[nodiscard]] Acceptor& acceptor() noexcept { return *acceptor_; }
  [[nodiscard]] const ipc::InetAddr& address() const noexcept { return address_; }
  [[nodiscard]] ProtocolFactory& protocol() noexcept { return *protocol_; }

 private:
  const std::unique_ptr<ProtocolFactory> protocol_;
  const std::unique_ptr<Acceptor> acceptor_;
  const ipc::InetAddr address_;
};

class Client {
 public:
  explicit Client(const Listening& server)
      : socket_(ipc::sock::Dgram::open(ipc::InetAddr::loopback()).value()),
        server_(server.address()) {}

  void send(std::string_view text) { REQUIRE(socket_.send_to(octets_of(text), server_)); }
  [[nodiscard]] std::string receive() {
    std::string text(100, '\0');
    const auto got = socket_.recv_from(std::as_writable_bytes(std::span(text.data(), text.size())));
    REQUIRE(got);
    text.resize(got->count);
    return text;
  }

 private:
  ipc::sock::Dgram socket_;
  const ipc::InetAddr server_;
};

/// The next datagram of a virtual transport; nullopt if the transport has ended.
std::optional<std::string> next(Transport& transport) {
  std::string text(65'536, '\0');
  for (;;) {
    const IoResult got =
        transport.receive(std::as_writable_bytes(std::span(text.data(), text.size())), Wait::no);
    if (got.status == IoStatus::end_of_stream) return std::nullopt;
    if (got.status == IoStatus::would_block) continue;
    REQUIRE(got.ok());
    text.resize(got.count);
    return text;
  }
}

void reply(Transport& transport, std::string_view text) {
  const OctetSpan segment = octets_of(text);
  CHECK(transport.send({&segment, 1}, Wait::no).ok());
}

}  // namespace

TEST_CASE("udp: each sender's address gets a virtual transport, which replies to that address") {
  Listening server(4, "?replies=yes");
  Client one(server);
  one.send("one");
  const auto first = server.accept();
  Client two(server);
  two.send("two");
  const auto second = server.accept();
  CHECK(first->features().is_virtual);
  CHECK(first->carrier().flow == messaging::Flow::both);
  CHECK(next(*first) == "one");
  CHECK(next(*second) == "two");
  reply(*second, "to two");
  reply(*first, "to one");
  CHECK(one.receive() == "to one");
  CHECK(two.receive() == "to two");
}

TEST_CASE("udp: a time-out that the system refuses is an error each time it is set") {
  Listening server(1);
  const auto client =
      server.protocol()
          .make_connector()
          ->connect({"diop", to_string(server.address())}, std::chrono::milliseconds(0))
          .value();
  constexpr std::chrono::microseconds refused(-1);
  for (int count = 0; count < 2; ++count) {
    CHECK(client->set_receive_timeout(refused).status == IoStatus::failed);
    CHECK(client->set_send_timeout(refused).status == IoStatus::failed);
  }
  CHECK(client->set_receive_timeout(std::chrono::seconds(1)).ok());
  CHECK(client->set_send_timeout(std::chrono::seconds(1)).ok());
}

TEST_CASE("udp: without replies=yes an endpoint only receives") {
  for (const char* const options : {"", "?replies=no"}) {
    Listening server(4, options);
    Client client(server);
    client.send("request");
    CHECK(server.accept()->carrier().flow == messaging::Flow::receive_only);
  }
}

TEST_CASE("udp: options that an endpoint does not know are refused") {
  const auto protocol = make_udp_protocol();
  for (const char* const address : {"127.0.0.1:0?replies=perhaps", "127.0.0.1:0?replies=",
                                    "127.0.0.1:0?answers=yes", "127.0.0.1:0?replies=yes&x=y"}) {
    CAPTURE(address);
    CHECK_FALSE(protocol->listen({"diop", address}).has_value());
  }
}

TEST_CASE(
    "udp: a new peer replaces the longest silent peer; the queue of the old peer stays readable") {
  Listening server(2, "?replies=yes");
  Client one(server);
  one.send("one");
  const auto first = server.accept();
  Client two(server);
  two.send("two");
  const auto second = server.accept();
  one.send("one again");
  CHECK(next(*first) == "one");
  CHECK(next(*first) == "one again");  // now the second peer is the longest silent
  Client three(server);
  three.send("three");
  const auto third = server.accept();
  CHECK(next(*second) == "two");
  CHECK(next(*second) == std::nullopt);
  reply(*second, "late reply");
  CHECK(two.receive() == "late reply");
  one.send("one more");
  CHECK(next(*first) == "one more");
  CHECK(next(*third) == "three");
}

TEST_CASE("udp: the number of datagrams in a queue is limited, whatever their size") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}}) {
    CAPTURE(size);
    Listening server(2);
    Client client(server);
    client.send("first");
    const auto transport = server.accept();
    const std::string text(size, 'x');
    std::uint64_t sent = 1;
    // The system also drops datagrams if the receiving thread gets no CPU. They are not counted.
    while (sent < 3000 || server.acceptor().datagrams_dropped() == 0) {
      client.send(text);
      ++sent;
    }
    Client marker(server);  // its datagram comes after all others
    std::unique_ptr<Transport> second;
    while (!second) {  // the system may drop it while its queue is full
      marker.send("marker");
      second = server.accept(Wait::no);
    }
    std::size_t taken = 0;
    std::array<std::byte, 2000> space{};
    while (transport->receive(space, Wait::no).ok()) ++taken;
    CHECK(taken >= 1);
    CHECK(taken <= 64 * 1024 / (size + 64) + 1);
    CHECK(server.acceptor().datagrams_dropped() + taken <= sent);
  }
}

TEST_CASE("udp: 80,000 addresses use no more transports than allowed; clients are still served") {
  constexpr std::uint32_t peers_max = 64;
  Listening server(peers_max);
  std::vector<std::unique_ptr<Transport>> kept;  // a server that ends no transport in time
  for (std::uint32_t number = 0; number < 80'000; ++number) {
    const auto octet = [number](unsigned shift) {
      return static_cast<std::uint8_t>(number >> shift & 0xff);
    };
    auto forged = ipc::sock::Dgram::open(
        ipc::InetAddr::v4({127, static_cast<std::uint8_t>(octet(16) + 1), octet(8), octet(0)}, 0));
    REQUIRE(forged);
    (void)forged->send_to(octets_of("x"), server.address(), ipc::no_wait);
    while (auto transport = server.accept(Wait::no)) kept.push_back(std::move(transport));
    REQUIRE(kept.size() <= std::size_t{2} * peers_max);
  }
  kept.clear();
  Client client(server);
  for (bool served = false; !served;) {  // the system may drop datagrams of the client, too
    client.send("still served");
    if (const auto transport = server.accept(Wait::no)) served = next(*transport) == "still served";
  }
}

TEST_CASE("udp: interrupting an acceptor ends its transports and wakes a waiting thread") {
  Listening server(2);
  Client client(server);
  client.send("text");
  const auto transport = server.accept();
  server.acceptor().interrupt();
  CHECK_FALSE(server.acceptor().accept(Wait::yes).has_value());
  CHECK(next(*transport) == "text");
  CHECK(next(*transport) == std::nullopt);
}

TEST_CASE("udp: sending to a missing peer looks like a network that loses datagrams") {
  std::string address;
  {
    Listening server(2);
    address = server.acceptor().listening().address;
  }
  const auto protocol = make_udp_protocol();
  const auto client = protocol->make_connector()->connect({"diop", address}, {}).value();
  for (int count = 0; count < 10; ++count) reply(*client, "request");
  std::array<std::byte, 100> space{};
  CHECK(client->receive(space, Wait::no).status == IoStatus::would_block);
}

TEST_CASE("udp: profiles have the tag of DIOP, and lead back to the endpoint") {
  const auto protocol = make_udp_protocol();
  const Endpoint endpoint{"diop", "192.0.2.1:4711"};
  const iop::TaggedProfile profile = protocol->make_profile(endpoint, {});
  CHECK(profile.tag == 0x54414f04);
  const auto body = make_diop_codec()->decode(profile, {});
  REQUIRE(body.has_value());
  const auto claimed = protocol->claim(profile.tag, *body);
  REQUIRE(claimed.size() == 1);
  CHECK(claimed.front().endpoint == endpoint);
  CHECK(protocol->claim(iop::tag_internet_iop, *body).empty());
}

}  // namespace perigee::transport
