// The records of TLS in memory: resumed sessions, key updates, and the kept buffers of OpenSSL.
#include "transport/tls/tls_records.h"

#include "raw_tls_client.h"
#include "support/test_certificates.h"
#include "transport/tls/tls_contexts.h"

#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace perigee::test {
namespace {

using namespace transport::tls;
using Progress = TlsRecords::Progress;

struct Fixture {
  Fixture() {
    REQUIRE(server_source.reload().has_value());
    REQUIRE(client_source.reload().has_value());
  }

  [[nodiscard]] std::unique_ptr<TlsRecords> make_server() const {
    TlsRecords::Setup setup;
    setup.contexts = server_source.current();
    setup.role = messaging::Role::acceptor;
    return TlsRecords::make(std::move(setup));
  }
  [[nodiscard]] std::unique_ptr<TlsRecords> make_client() const {
    TlsRecords::Setup setup;
    setup.contexts = client_source.current();
    setup.host = setup.expected_name = "localhost";
    setup.session = "localhost:1";
    return TlsRecords::make(std::move(setup));
  }

  TestCertificates certificates;
  ContextSource server_source{certificates.options("server")};
  ContextSource client_source{certificates.options("")};
};

/// Makes the handshake, and lets the client read the server's tickets. Returns how many octets the
/// server has sent.
std::size_t shake_hands(TlsRecords& client, TlsRecords& server) {
  Octets to_server;
  Octets to_client;
  std::size_t sent = 0;
  Progress client_progress = Progress::needs_input;
  Progress server_progress = Progress::needs_input;
  while (client_progress == Progress::needs_input || server_progress == Progress::needs_input) {
    OctetSpan input = to_client;
    if (client_progress == Progress::needs_input)
      client_progress = client.shake_hands(input, to_server);
    to_client.assign(input.begin(), input.end());
    input = to_server;
    if (server_progress == Progress::needs_input) {
      const std::size_t before = to_client.size();
      server_progress = server.shake_hands(input, to_client);
      sent += to_client.size() - before;
    }
    to_server.assign(input.begin(), input.end());
  }
  CHECK(client_progress == Progress::done);
  CHECK(server_progress == Progress::done);
  OctetSpan tickets = to_client;
  std::byte octet{};
  CHECK(client.decrypt(tickets, {&octet, 1}).progress == Progress::needs_input);
  return sent;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a second connection to a server resumes the session of the first") {
  const std::size_t full = shake_hands(*make_client(), *make_server());
  const std::size_t resumed = shake_hands(*make_client(), *make_server());
  CHECK(resumed < full / 2);  // no certificate
  REQUIRE(client_source.reload().has_value());
  CHECK(shake_hands(*make_client(), *make_server()) > full / 2);
}

TEST_CASE_FIXTURE(Fixture, "a server that asks for certificates resumes no sessions") {
  auto options = certificates.options("server");
  options.client_certificates = transport::ClientCertificates::optional;
  ContextSource asking(options);
  REQUIRE(asking.reload().has_value());
  const auto make = [&] {
    TlsRecords::Setup setup;
    setup.contexts = asking.current();
    setup.role = messaging::Role::acceptor;
    return TlsRecords::make(std::move(setup));
  };
  const std::size_t first = shake_hands(*make_client(), *make());
  CHECK(shake_hands(*make_client(), *make()) > first / 2);
}

TEST_CASE_FIXTURE(Fixture, "the connection of a peer that changes its keys too often fails") {
  const auto server = make_server();
  RawClient client;
  client.open(*server);
  std::array<std::byte, 100> space{};
  const auto receive = [&](const Octets& octets) {
    OctetSpan input = octets;
    return server->decrypt(input, space);
  };
  CHECK(receive(client.update_keys()).progress == Progress::needs_input);
  CHECK(receive(client.encrypt("contents")).count == 8);
  int updates = 1;
  while (receive(client.update_keys()).progress == Progress::needs_input && updates < 1000)
    ++updates;
  CHECK(updates > 100);
  CHECK(updates < 200);
  CHECK(server->refusal().why == "the peer changes its keys too often");
}

TEST_CASE("a limited number of connections keeps the buffers of OpenSSL") {
  KeptBuffers kept;
  std::size_t count = 0;
  while (kept.take()) ++count;
  CHECK(count == KeptBuffers::connections_max);
  kept.give_back();
  CHECK(kept.take());
  CHECK_FALSE(kept.take());
}

TEST_CASE_FIXTURE(Fixture, "a connection keeps the buffers of OpenSSL after the handshake") {
  KeptBuffers& kept = *server_source.current()->kept_buffers;
  for (std::size_t count = 1; count < KeptBuffers::connections_max; ++count) REQUIRE(kept.take());
  const auto stalled = make_server();  // has no handshake, so it keeps no buffers
  auto server = make_server();
  const auto client = make_client();
  shake_hands(*client, *server);
  CHECK_FALSE(kept.take());
  REQUIRE(server_source.reload().has_value());
  CHECK_FALSE(server_source.current()->kept_buffers->take());
  server.reset();
  CHECK(kept.take());
}

TEST_CASE_FIXTURE(Fixture, "the end of a connection is reported after its last octets") {
  const auto server = make_server();
  const auto client = make_client();
  shake_hands(*client, *server);
  Octets rest;
  std::array<std::byte, 1024> place{};
  std::array<std::byte, record_size> scratch{};
  const std::array contents{std::byte{1}, std::byte{2}};
  const std::array segments{OctetSpan(contents)};
  PlainOctets plain(segments);
  const auto encrypted = client->encrypt(plain, place, scratch, rest);
  REQUIRE(encrypted.plain == contents.size());
  Octets sent(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(encrypted.cipher));
  client->close(sent);
  OctetSpan input = sent;
  std::array<std::byte, 16> space{};
  const auto last = server->decrypt(input, space);
  CHECK(last.count == contents.size());
  CHECK(last.ends);
  const auto end = server->decrypt(input, space);
  CHECK(end.count == 0);
  CHECK(end.progress == Progress::closed);
}

TEST_CASE_FIXTURE(Fixture,
                  "errors that the application has left in the list of OpenSSL are ignored") {
  const auto client = make_client();
  const auto server = make_server();
  shake_hands(*client, *server);
  CHECK(SSL_CTX_use_certificate_file(server_source.current()->server.get(), "/none",
                                     SSL_FILETYPE_PEM) != 1);  // leaves errors in the list
  std::byte octet{};
  OctetSpan input;
  CHECK(server->decrypt(input, {&octet, 1}).progress == Progress::needs_input);
}

}  // namespace perigee::test
