// The replies of a server to raw octets.
#include "orb/server/server_fixture.h"
#include "support/log_lines.h"
#include <perigee/orb/metrics.h>

#include <random>
#include <thread>

using namespace perigee;
using namespace perigee::test;

namespace {

constexpr std::uint32_t status_system_exception = 2;
constexpr std::uint32_t status_needs_addressing_mode = 5;

bool still_serves(const ServerFixture& server, RawClient& client) {
  return client.call({.key = server.key, .id = 999, .argument = 1}).result() == 2;
}

}  // namespace

TEST_CASE("a GIOP 1.2 request in either byte order gets a reply in the server's byte order") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  for (const auto order : {std::endian::little, std::endian::big}) {
    const RawReply reply =
        client.call({.key = server.key, .id = 0x0102, .order = order, .argument = 41});
    CHECK(reply.message == octets('G', 'I', 'O', 'P', 1, 2, 0x01, type_reply,  // header
                                  16, 0, 0, 0,       // size after the header
                                  0x02, 0x01, 0, 0,  // request id
                                  0, 0, 0, 0,        // NO_EXCEPTION
                                  0, 0, 0, 0,        // no service contexts: ends at 24
                                  42, 0, 0, 0));     // result
  }
}

TEST_CASE("GIOP 1.0 and 1.1 requests get replies of their version") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  for (const unsigned minor : {0U, 1U})
    for (const auto order : {std::endian::little, std::endian::big}) {
      const RawReply reply =
          client.call({.key = server.key, .id = 7, .minor = minor, .order = order, .argument = 41});
      CHECK(reply.message == octets('G', 'I', 'O', 'P', 1, minor, 0x01, type_reply,  // header
                                    16, 0, 0, 0,    // size after the header
                                    0, 0, 0, 0,     // no service contexts
                                    7, 0, 0, 0,     // request id
                                    0, 0, 0, 0,     // NO_EXCEPTION
                                    42, 0, 0, 0));  // result
    }
}

TEST_CASE("a reply without results has no body") {
  const ServerFixture server(each_strategy(), nullptr);
  RawClient client(server.endpoint);
  CHECK(client.call({.key = server.key}).message.size() == 24);
}

TEST_CASE("a request in GIOP 1.2 fragments is put together") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  Octets whole = make_request({.key = server.key, .id = 5, .argument = 41});
  while (whole.size() < 40) whole.push_back(std::byte{0});
  const std::size_t first_size = 32;
  Octets first(whole.begin(), whole.begin() + first_size);
  first[6] = std::byte{3};  // little-endian, more fragments
  first[8] = static_cast<std::byte>(first_size - 12);
  Writer second(std::endian::little);
  begin_message(second, 2, std::endian::little, 7);
  second.ulong(5).raw(OctetSpan(whole).subspan(first_size));
  client.send(first);
  client.send(finish(second, std::endian::little));
  CHECK(client.reply().result() == 42);
}

TEST_CASE("a request that arrives octet by octet is served") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  for (const std::byte octet : make_request({.key = server.key, .argument = 1}))
    client.send({octet});
  CHECK(client.reply().result() == 2);
}

TEST_CASE("the connection stays open after an unknown object, operation, or bad arguments") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  const Octets nobody = octets('x');
  const RawReply no_object = client.call({.key = nobody, .id = 3});
  CHECK(no_object.id() == 3);
  CHECK(no_object.status() == status_system_exception);
  CHECK(no_object.repository_id() == "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0");
  CHECK(client.call({.key = server.key, .operation = "jump"}).repository_id() ==
        "IDL:omg.org/CORBA/BAD_OPERATION:1.0");
  CHECK(client.call({.key = server.key}).repository_id() == "IDL:omg.org/CORBA/MARSHAL:1.0");
  CHECK(still_serves(server, client));
}

TEST_CASE("bad arguments raise MARSHAL with a minor code for the reason, and the log has it") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  LogLines lines(log::Level::info);
  CHECK(client.call({.key = server.key}).minor_code() == (CORBA::PERIGEE_VMCID | 1));
  CHECK(lines.have(": the client gets "));
  CHECK(lines.have("more octets were expected than are there"));
}

TEST_CASE("an operation that does not exist has no latencies of its own, also as a oneway") {
  orb::Settings settings = server_settings(each_strategy());
  settings.measure_latencies = true;
  const ServerFixture server(settings, [](orb::ServerRequest& request) {
    if (request.operation() != "act") throw CORBA::BAD_OPERATION(0, CORBA::COMPLETED_NO);
    add_one(request);
  });
  RawClient client(server.endpoint);
  for (const unsigned response_flags : {0U, 1U, 3U})
    client.send(make_request(
        {.key = server.key, .operation = "nonsense", .response_flags = response_flags}));
  for (int reply = 0; reply < 2; ++reply) CHECK(client.reply().type() == type_reply);
  CHECK(client.call({.key = server.key, .argument = 5}).result() == 6);
  const auto count = [&] {
    return server.orb.core().metrics_snapshot().value("perigee_requests_total");
  };
  while (count() < 4) std::this_thread::yield();
  const auto metrics = server.orb.core().metrics_snapshot();
  CHECK(metrics.latencies("server", "nonsense") == nullptr);
  REQUIRE(metrics.latencies("server", "(failed)") != nullptr);
}

TEST_CASE("a request with an empty object key or operation does not end the connection") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  CHECK(client.call({.key = {}}).status() == status_system_exception);
  CHECK(client.call({.key = server.key, .operation = ""}).status() == status_system_exception);
  CHECK(still_serves(server, client));
}

TEST_CASE("octets that are not GIOP get MessageError in the server's highest version, then EOF") {
  const ServerFixture server(each_strategy());
  RawClient other(server.endpoint);
  CHECK(still_serves(server, other));
  RawClient client(server.endpoint);
  client.send(octets('H', 'T', 'T', 'P', 1, 1, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0));
  CHECK(client.receive() == octets('G', 'I', 'O', 'P', 1, 2, 0x01, type_message_error,  //
                                   0, 0, 0, 0));
  CHECK(client.at_end());
  CHECK(still_serves(server, other));
}

TEST_CASE("a version that the server does not have gets MessageError in a version that it has") {
  const ServerFixture server(each_strategy());
  for (const auto& [major, minor] : {std::pair{2, 0}, std::pair{1, 9}}) {
    RawClient client(server.endpoint);
    client.send(octets('G', 'I', 'O', 'P', major, minor, 1, 0, 0, 0, 0, 0));
    const RawReply reply = client.reply();
    CHECK(reply.type() == type_message_error);
    CHECK(reply.minor() == 2);
    CHECK(client.at_end());
  }
}

TEST_CASE("a request whose header does not decode gets MessageError") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  client.send(octets('G', 'I', 'O', 'P', 1, 2, 1, 0, 8, 0, 0, 0,  // header: eight octets follow
                     1, 0, 0, 0, 3, 0, 0, 0));                    // and end before the target
  CHECK(client.reply().type() == type_message_error);
  CHECK(client.at_end());
}

TEST_CASE("a message above the limit gets MessageError before it is stored") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  client.send(octets('G', 'I', 'O', 'P', 1, 2, 1, 0, 0xff, 0xff, 0xff, 0x7f, 1, 0, 0, 0));
  CHECK(client.reply().type() == type_message_error);
  CHECK(client.at_end());
}

TEST_CASE("an unsolicited Reply gets MessageError") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  client.send(octets('G', 'I', 'O', 'P', 1, 2, 1, type_reply, 12, 0, 0, 0,  //
                     1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  CHECK(client.reply().type() == type_message_error);
  CHECK(client.at_end());
}

TEST_CASE("LocateRequest gets its reply without an upcall") {
  int calls = 0;
  const ServerFixture server(each_strategy(), [&calls](orb::ServerRequest&) { ++calls; });
  RawClient client(server.endpoint);
  for (const unsigned minor : {0U, 1U, 2U}) {
    client.send(make_locate_request(server.key, 8, minor));
    CHECK(client.receive() == octets('G', 'I', 'O', 'P', 1, minor, 0x01, type_locate_reply,  //
                                     8, 0, 0, 0,    // size after the header
                                     8, 0, 0, 0,    // request id
                                     1, 0, 0, 0));  // OBJECT_HERE
    client.send(make_locate_request(octets('x'), 9, minor));
    CHECK(client.reply().ulong(16) == 0);  // UNKNOWN_OBJECT
  }
  CHECK(calls == 0);
}

TEST_CASE("a request whose target is a foreign profile gets NEEDS_ADDRESSING_MODE KeyAddr") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  Writer writer(std::endian::little);
  begin_message(writer, 2, std::endian::little, 0);
  writer.ulong(6).octet(3).octet(0).octet(0).octet(0);
  writer.ushort(1).ulong(0x12345678).sequence(octets(1, 2, 3));  // a profile of a foreign tag
  writer.text("act").ulong(0);
  client.send(finish(writer, std::endian::little));
  const RawReply reply = client.reply();
  CHECK(reply.status() == status_needs_addressing_mode);
  CHECK(reply.octet(24) == 0);  // KeyAddr
  CHECK(still_serves(server, client));
}

TEST_CASE("CloseConnection of the client ends the connection without a reply") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  client.send(octets('G', 'I', 'O', 'P', 1, 2, 1, type_close_connection, 0, 0, 0, 0));
  CHECK(client.at_end());
}

TEST_CASE("CancelRequest of an unknown request is ignored") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  client.send(make_cancel_request(77));
  CHECK(still_serves(server, client));
}

TEST_CASE("a client that closes its sending side still gets its reply") {
  const ServerFixture server(each_strategy());
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .argument = 1}));
  client.end_sending();
  CHECK(client.reply().result() == 2);
  CHECK(client.at_end());
}

TEST_CASE("clients that end in the middle of a message do not disturb other clients") {
  const ServerFixture server(each_strategy());
  const Octets request = make_request({.key = server.key, .argument = 1});
  for (std::size_t size = 0; size < request.size(); size += 7) {
    RawClient client(server.endpoint);
    client.send(Octets(request.begin(), request.begin() + static_cast<std::ptrdiff_t>(size)));
  }
  RawClient large(server.endpoint);
  large.send(octets('G', 'I', 'O', 'P', 1, 2, 1, 0, 0, 0, 0x20, 0, 1, 0, 0, 0));  // 2 MiB follow
  large.end_sending();
  CHECK(large.at_end());
  RawClient client(server.endpoint);
  CHECK(still_serves(server, client));
}

TEST_CASE("random octets after a valid header never stop the server") {
  const ServerFixture server(each_strategy());
  std::mt19937 random(1995);
  for (int round = 0; round < 200; ++round) {
    RawClient client(server.endpoint);
    Octets message = make_request({.key = server.key, .argument = 1});
    for (int change = 0; change < 3; ++change)
      message[4 + random() % (message.size() - 4)] = static_cast<std::byte>(random());
    client.send(message);
    client.end_sending();
    while (!client.receive().empty()) {
    }
  }
  RawClient client(server.endpoint);
  CHECK(still_serves(server, client));
}

TEST_CASE("a large reply arrives whole") {
  const std::vector<std::uint8_t> result(10'000'000, 7);
  const ServerFixture server(each_strategy(), [&result](orb::ServerRequest& request) {
    request.reply([&result](cdr::Encoder& encoder) { encoder << result; });
  });
  RawClient client(server.endpoint);
  client.send(make_request({.key = server.key, .minor = 1}));  // 1.1: not in fragments
  const Octets reply = client.receive();
  REQUIRE(reply.size() == 12 + 12 + 4 + result.size());
  CHECK(reply.back() == std::byte{7});
}

TEST_CASE("a result that cannot be encoded raises MARSHAL, and the connection stays open") {
  const ServerFixture server(each_strategy(), [](orb::ServerRequest& request) {
    request.reply([](cdr::Encoder& encoder) { encoder << std::string("a\0b", 3); });
  });
  RawClient client(server.endpoint);
  const RawReply reply = client.call({.key = server.key, .id = 1});
  CHECK(reply.status() == status_system_exception);
  CHECK(client.call({.key = server.key, .id = 2}).id() == 2);
}
