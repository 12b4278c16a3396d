// Clients that attack a TLS server: old versions, fallbacks, renegotiation, compression, and
// records that end too early.
#include "conformance/transport_pair.h"
#include "raw_tls_client.h"
#include "support/log_lines.h"
#include "support/test_certificates.h"
#include "transport/tls/tls_contexts.h"
#include <perigee/transport/tcp.h>
#include <perigee/transport/tls.h>

#include <doctest/doctest.h>
#include <openssl/err.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace perigee::test {
namespace {

using namespace std::chrono_literals;
using namespace transport::tls;
using Progress = TlsRecords::Progress;

struct Fixture {
  Fixture() { REQUIRE(source.reload().has_value()); }
  ~Fixture() { ERR_clear_error(); }

  [[nodiscard]] std::unique_ptr<TlsRecords> make_server() const {
    TlsRecords::Setup setup;
    setup.contexts = source.current();
    setup.role = messaging::Role::acceptor;
    return TlsRecords::make(std::move(setup));
  }

  TestCertificates certificates;
  ContextSource source{certificates.options("server")};
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a client of TLS 1.0 or 1.1 is refused, and a client of 1.2 is served") {
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    CAPTURE(version);
    const auto server = make_server();
    CHECK(RawClient(version).open(*server) == Progress::failed);
    CHECK(server->refusal().why == "the peer supports no version of TLS that this side allows");
  }
  const auto server = make_server();
  CHECK(RawClient(TLS1_2_VERSION).open(*server) == Progress::done);
}

// RFC 7507: an attacker makes the first handshake fail, so that the client tries an older version.
TEST_CASE_FIXTURE(Fixture,
                  "a client that falls back to TLS 1.2 is refused, as both sides have 1.3") {
  const auto server = make_server();
  RawClient client(TLS1_2_VERSION);
  SSL_set_mode(&client.connection(), SSL_MODE_SEND_FALLBACK_SCSV);
  CHECK(client.open(*server) == Progress::failed);
}

TEST_CASE_FIXTURE(Fixture, "a connection has no compression") {
  const auto server = make_server();
  RawClient client(TLS1_2_VERSION);
  REQUIRE(client.open(*server) == Progress::done);
  CHECK(SSL_get_current_compression(&client.connection()) == nullptr);
  // The installed OpenSSL may have no compression at all: then only the option shows it.
  CHECK((SSL_CTX_get_options(source.current()->server.get()) & SSL_OP_NO_COMPRESSION) != 0);
}

TEST_CASE_FIXTURE(Fixture, "a client that renegotiates gets no second handshake") {
  const auto server = make_server();
  RawClient client(TLS1_2_VERSION);
  REQUIRE(client.open(*server) == Progress::done);
  std::array<std::byte, 100> space{};
  const Octets contents = client.encrypt("contents");
  OctetSpan input = contents;
  CHECK(server->decrypt(input, space).count == 8);
  const Octets hello = client.renegotiate();
  REQUIRE(hello.size() > 100);
  input = hello;
  CHECK(server->decrypt(input, space).count == 0);
  Octets answer;
  if (server->has_output()) server->take_output(answer);
  CHECK(answer.size() < 100);  // an alert at most: no ServerHello and no certificate
  client.give(answer);
  CHECK(SSL_do_handshake(&client.connection()) != 1);
}

TEST_CASE_FIXTURE(Fixture, "a connection that ends within a record has failed") {
  LogLines lines(log::Level::warning);
  const auto protocol =
      transport::make_tls_protocol(certificates.options("server"), transport::make_tcp_protocol())
          .value();
  for (const bool is_cut : {false, true}) {
    CAPTURE(is_cut);
    const auto acceptor = protocol->listen({"ssliop", "127.0.0.1:0"}).value();
    const auto plain = transport::make_tcp_protocol()
                           ->make_connector()
                           ->connect({"iiop", acceptor->listening().address}, 10s)
                           .value();
    const auto server = acceptor->accept(transport::Wait::yes).value();
    RawClient client;
    std::array<std::byte, 16 * 1024> space{};
    const auto send = [&](OctetSpan octets) {
      REQUIRE(plain->send({&octets, 1}, transport::Wait::yes).ok());
    };
    for (bool is_open = false; !is_open || SSL_do_handshake(&client.connection()) != 1;) {
      SSL_do_handshake(&client.connection());
      if (const Octets octets = client.take(); !octets.empty()) send(octets);
      if (!is_open) is_open = server->open(transport::Wait::no).ok();
      const IoResult received = plain->receive(space, transport::Wait::no);
      client.give(OctetSpan(space).first(received.count));
    }
    Octets record = client.encrypt("contents");
    send(record);
    CHECK(server->receive(space, transport::Wait::yes).count == 8);
    record = client.encrypt("further contents");
    if (is_cut) send(OctetSpan(record).first(record.size() - 1));
    plain->shutdown_send();
    const IoResult end = server->receive(space, transport::Wait::yes);
    CHECK(end.status == (is_cut ? IoStatus::failed : IoStatus::end_of_stream));
    CHECK(end.count == 0);
  }
}

}  // namespace perigee::test
