// TLS connections: which certificates are accepted, and what the errors say.
#include "conformance/transport_pair.h"
#include "support/log_lines.h"
#include "support/security_mechanisms.h"
#include "support/test_certificates.h"
#include <perigee/iop/components.h>
#include <perigee/ipc/inet_parse.h>
#include <perigee/transport/address_choice.h>
#include <perigee/transport/registry.h>
#include <perigee/transport/tcp.h>
#include <perigee/transport/tls.h>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

namespace perigee::test {
namespace {

using namespace std::chrono_literals;
using transport::ClientCertificates;
using transport::TlsOptions;
using transport::TlsVersion;
using Protocol = std::unique_ptr<transport::ProtocolFactory>;

Protocol make(const TlsOptions& options) {
  return transport::make_tls_protocol(options, transport::make_tcp_protocol()).value();
}

std::string reason_of(const TlsOptions& options) {
  const auto made = transport::make_tls_protocol(options, transport::make_tcp_protocol());
  return made ? "" : to_string(made.error());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A TLS connection between a server and a client, after the handshake or its failure.
struct Meeting {
  Meeting(transport::ProtocolFactory& server, transport::ProtocolFactory& client,
          const std::string& host = "127.0.0.1", const transport::Properties& properties = {}) {
    acceptor = server.listen({"ssliop", "127.0.0.1:0"}).value();
    const auto port = ipc::split_host_port(acceptor->listening().address)->port.value();
    const transport::Endpoint endpoint{"ssliop", host + ":" + std::to_string(port)};
    pair.client = client.make_connector_with(properties)->connect(endpoint, 10s).value();
    pair.server = acceptor->accept(Wait::yes).value();
    open_both(*pair.client, *pair.server);
  }
  /// Whether octets pass from the client to the server and back. With TLS 1.3 a server may refuse
  /// the client's certificate after the handshake of the client.
  [[nodiscard]] bool works() const {
    static_cast<void>(pair.server->set_receive_timeout(10s));
    static_cast<void>(pair.client->set_receive_timeout(10s));
    if (!send_all(*pair.client, pattern(100, 1)).ok()) return false;
    if (receive_exactly(*pair.server, 100) != pattern(100, 1)) return false;
    if (!send_all(*pair.server, pattern(100, 2)).ok()) return false;
    return receive_exactly(*pair.client, 100) == pattern(100, 2);
  }
  [[nodiscard]] std::string why_of_client() const { return pair.client->refusal().why; }
  /// The server's reason for refusing the client, which the client receives when it reads.
  [[nodiscard]] std::string why_client_reads() const {
    CHECK(receive_exactly(*pair.client, 1).empty());
    return why_of_client();
  }
  [[nodiscard]] std::string why_of_server() const { return pair.server->refusal().why; }

  std::unique_ptr<transport::Acceptor> acceptor;
  TransportPair pair;
};

struct Fixture {
  TestCertificates certificates;

  [[nodiscard]] Meeting meet(const TlsOptions& server, const TlsOptions& client,
                             const std::string& host = "127.0.0.1") {
    server_protocol = make(server);
    client_protocol = make(client);
    return Meeting(*server_protocol, *client_protocol, host);
  }
  /// A server with a certificate of these contents meets a client that trusts the authority.
  [[nodiscard]] std::string why_refused(const tool::CertificateContents& contents,
                                        const std::string& host = "127.0.0.1") {
    certificates.issue("special", contents);
    const Meeting meeting = meet(certificates.options("special"), certificates.options(""), host);
    if (meeting.works()) return "";
    CHECK(meeting.pair.client->refusal().kind == IoErrorKind::untrusted);
    return meeting.why_of_client();
  }

  Protocol server_protocol;
  Protocol client_protocol;
};

tool::CertificateContents server_contents() {
  return {.common_name = "server", .dns_names = {"localhost"}, .ip_addresses = {"127.0.0.1"}};
}

void replace_file(const std::string& path, const std::string& contents) {
  std::ofstream(path, std::ios::trunc) << contents;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a certificate is accepted for the names and addresses that it lists") {
  CHECK(why_refused(server_contents()).empty());
  CHECK(why_refused(server_contents(), "localhost").empty());
  auto contents = server_contents();
  contents.ip_addresses = {"10.0.0.1"};
  CHECK(why_refused(contents) ==
        "the peer's certificate is not for '127.0.0.1'; it has these names: localhost, 10.0.0.1");
  contents.dns_names = {"*.example.org"};
  CHECK(contains(why_refused(contents, "localhost"), "not for 'localhost'"));
}

TEST_CASE_FIXTURE(Fixture,
                  "the common name of a certificate does not count as a name of its server") {
  CHECK(why_refused({.common_name = "localhost"}, "localhost") ==
        "the peer's certificate is not for 'localhost'; it has these names: none (names in the "
        "subject do not count)");
}

TEST_CASE_FIXTURE(Fixture, "an option sets the name that a client expects in the certificate") {
  auto options = certificates.options("");
  options.peer_name = "localhost";
  CHECK(meet(certificates.options("server"), options).works());
  options.peer_name = "bank.example.org";
  const Meeting other = meet(certificates.options("server"), options);
  CHECK_FALSE(other.works());
  CHECK(contains(other.why_of_client(), "not for 'bank.example.org'"));
}

TEST_CASE_FIXTURE(Fixture, "a certificate is refused before and after its period of validity") {
  auto contents = server_contents();
  contents.valid_from = -48h;
  contents.valid_until = -24h;
  CHECK(why_refused(contents) == "the peer's certificate, or one of its authorities, has expired");
  contents.valid_from = 24h;
  contents.valid_until = 48h;
  CHECK(why_refused(contents) ==
        "the peer's certificate, or one of its authorities, is not valid yet");
}

TEST_CASE_FIXTURE(Fixture, "a certificate of an unknown authority is refused by both sides") {
  const TestCertificates others;
  const Meeting meeting = meet(others.options("server"), certificates.options(""));
  CHECK_FALSE(meeting.works());
  CHECK(contains(meeting.why_of_client(), "-ORBTlsAuthorities"));
  CHECK(meeting.why_of_server() == "the peer does not trust the authority of our certificate");
}

TEST_CASE_FIXTURE(Fixture, "a self-signed certificate is refused") {
  certificates.write("alone", tool::make_identity(server_contents()));
  const Meeting meeting = meet(certificates.options("alone"), certificates.options(""));
  CHECK_FALSE(meeting.works());
  CHECK(contains(meeting.why_of_client(), "self-signed"));
}

TEST_CASE_FIXTURE(Fixture, "a short key is refused") {
  auto contents = server_contents();
  contents.rsa_bits = 1024;
  certificates.issue("short", contents);
  CHECK(contains(reason_of(certificates.options("short")), "ee key too small"));
}

TEST_CASE_FIXTURE(
    Fixture, "a client refuses revoked certificates, and authorities without a revocation list") {
  const auto revoked = certificates.issue("revoked", server_contents());
  auto options = certificates.options("");
  options.revoked_file = certificates.path("revoked.crl");
  tool::write_revocations(certificates.authority(), {&revoked}, options.revoked_file);
  CHECK(meet(certificates.options("server"), options).works());
  const Meeting meeting = meet(certificates.options("revoked"), options);
  CHECK_FALSE(meeting.works());
  CHECK(meeting.why_of_client() == "the peer's certificate, or one of its authorities, is revoked");

  const auto other = tool::make_identity({.common_name = "another", .is_authority = true});
  tool::write_revocations(other, {}, options.revoked_file);
  const Meeting unlisted = meet(certificates.options("server"), options);
  CHECK_FALSE(unlisted.works());
  CHECK(contains(unlisted.why_of_client(), "has no list in -ORBTlsRevoked"));

  tool::write_revocations(certificates.authority(), {}, options.revoked_file, -1h);
  const Meeting old = meet(certificates.options("server"), options);
  CHECK_FALSE(old.works());
  CHECK(old.why_of_client() == "a list in -ORBTlsRevoked has expired");
}

TEST_CASE_FIXTURE(Fixture, "a server can require certificates of its clients") {
  LogLines lines(log::Level::warning);
  for (const TlsVersion version : {TlsVersion::tls_1_2, TlsVersion::tls_1_3}) {
    auto server = certificates.options("server");
    server.client_certificates = ClientCertificates::required;
    server.version_min = version;
    CHECK(meet(server, certificates.options("client")).works());
    const Meeting without = meet(server, certificates.options(""));
    CHECK_FALSE(without.works());
    CHECK(without.why_of_server().starts_with("the client has sent no certificate"));
    CHECK(contains(without.why_client_reads(), "the server requires a client certificate"));
    const TestCertificates others;
    auto stranger = others.options("client");
    stranger.authorities = certificates.path("authority.pem");
    const Meeting unknown = meet(server, stranger);
    CHECK_FALSE(unknown.works());
    CHECK(contains(unknown.why_of_server(), "is not trusted"));
    CHECK(contains(unknown.why_client_reads(), "does not trust the authority"));
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "a server refuses an invalid client certificate, although it is optional") {
  LogLines lines(log::Level::warning);
  auto server = certificates.options("server");
  server.client_certificates = ClientCertificates::optional;
  const Meeting with = meet(server, certificates.options("client"));
  CHECK(with.works());
  REQUIRE((with.pair.server->peer_certificate() != nullptr));
  CHECK(with.pair.server->peer_certificate()->subject == "CN=client");
  CHECK(with.pair.server->peer_certificate()->is_verified);
  const Meeting without = meet(server, certificates.options(""));
  CHECK(without.works());
  CHECK((without.pair.server->peer_certificate() == nullptr));
  const TestCertificates others;
  auto stranger = others.options("client");
  stranger.authorities = certificates.path("authority.pem");
  CHECK_FALSE(meet(server, stranger).works());
}

TEST_CASE_FIXTURE(Fixture, "a client sees the parts of the server's certificate") {
  const Meeting meeting = meet(certificates.options("server"), certificates.options(""));
  const PeerCertificate* const certificate = meeting.pair.client->peer_certificate();
  REQUIRE((certificate != nullptr));
  CHECK(certificate->subject == "CN=server");
  CHECK(certificate->issuer == "CN=authority of a test");
  CHECK(certificate->dns_names == std::vector<std::string>{"localhost"});
  CHECK(certificate->ip_addresses == std::vector<std::string>{"127.0.0.1", "::1"});
  CHECK(certificate->fingerprint.size() == 64);
  CHECK_FALSE(certificate->serial.empty());
  CHECK(certificate->is_verified);
}

TEST_CASE_FIXTURE(Fixture,
                  "a client that does not verify servers accepts any certificate, and logs it") {
  LogLines lines(log::Level::warning);
  const TestCertificates others;
  auto client = certificates.options("");
  client.verify_servers = false;
  const Meeting meeting = meet(others.options("server"), client);
  CHECK(meeting.works());
  CHECK_FALSE(meeting.pair.client->peer_certificate()->is_verified);
  CHECK(contains(lines.text(), "certificates of servers are not verified"));

  // A policy has the same effect for one reference.
  transport::Properties properties;
  properties.set(transport::property::tls_verify, 0);
  server_protocol = make(others.options("server"));
  client_protocol = make(certificates.options(""));
  CHECK(Meeting(*server_protocol, *client_protocol, "127.0.0.1", properties).works());
}

TEST_CASE_FIXTURE(Fixture,
                  "both sides agree on a version and a cipher suite, or the handshake fails") {
  LogLines lines(log::Level::warning);
  auto newest = certificates.options("server");
  newest.version_min = TlsVersion::tls_1_3;
  CHECK(meet(newest, certificates.options("")).works());
  auto suite = certificates.options("server");
  suite.version_min = TlsVersion::tls_1_3;
  suite.cipher_suites = "TLS_AES_128_GCM_SHA256";
  auto other = certificates.options("");
  other.version_min = TlsVersion::tls_1_3;
  other.cipher_suites = "TLS_AES_256_GCM_SHA384";
  const Meeting meeting = meet(suite, other);
  CHECK_FALSE(meeting.works());
  CHECK(meeting.why_of_server() == "both sides have no cipher suite in common");
  other.cipher_suites = "NO_SUCH_SUITE";
  CHECK(contains(reason_of(other), "names of TLS 1.3"));
}

TEST_CASE_FIXTURE(Fixture, "both sides of TLS report a peer that does not speak TLS") {
  const Protocol tls = make(certificates.options("server"));
  const Protocol plain = transport::make_tcp_protocol();
  {
    const auto acceptor = tls->listen({"ssliop", "127.0.0.1:0"}).value();
    const auto client =
        plain->make_connector()->connect({"iiop", acceptor->listening().address}, 10s).value();
    const auto server = acceptor->accept(Wait::yes).value();
    const std::string message("GIOP\1\2\0\0\0\0\0\0", 12);
    REQUIRE(send_all(*client, std::as_bytes(std::span(message))).ok());
    CHECK(server->open(Wait::yes).status == IoStatus::failed);
    CHECK(server->refusal().why == "the peer does not speak TLS");
  }
  const auto acceptor = plain->listen({"iiop", "127.0.0.1:0"}).value();
  const auto client =
      tls->make_connector()->connect({"ssliop", acceptor->listening().address}, 10s).value();
  const auto server = acceptor->accept(Wait::yes).value();
  CHECK(client->open(Wait::no).status == IoStatus::would_block);
  const std::string error("GIOP\1\2\0\6\0\0\0\0", 12);
  REQUIRE(send_all(*server, std::as_bytes(std::span(error))).ok());
  CHECK(client->open(Wait::yes).status == IoStatus::failed);
  CHECK(client->refusal().why == "the peer does not speak TLS");
}

TEST_CASE_FIXTURE(Fixture, "an error for a file of TLS names the file and the reason") {
  TlsOptions options = certificates.options("server");
  ::chmod(options.key_file.c_str(), 0644);
  CHECK(contains(reason_of(options), "other users may read or change it: chmod 600"));
  ::chmod(options.key_file.c_str(), 0600);
  options.key_file = certificates.path("client.key");
  CHECK(contains(reason_of(options), "the key does not belong to the certificate"));
  options.key_file = certificates.path("missing.key");
  CHECK(contains(reason_of(options), "missing.key (No such file or directory)"));
  options = certificates.options("server");
  replace_file(options.certificate_file, "no certificate");
  CHECK(contains(reason_of(options), "its certificate cannot be used"));
  options = certificates.options("");
  options.authorities = certificates.path("client.key");
  CHECK(contains(reason_of(options), "it has no certificates of authorities"));
  options.authorities = certificates.path("authority.pem");
  options.revoked_file = certificates.path("authority.pem");
  CHECK(contains(reason_of(options), "it has no list of revoked certificates"));
  options.revoked_file.clear();
  const auto listening = make(options)->listen({"ssliop", "127.0.0.1:0"});
  REQUIRE_FALSE(listening.has_value());
  CHECK(contains(to_string(listening.error()), "a server of TLS needs -ORBTlsCertificate"));
}

TEST_CASE_FIXTURE(Fixture,
                  "an encrypted key needs a passphrase file that only its owner can read") {
  const auto server = tool::make_identity(server_contents(), &certificates.authority());
  tool::write_certificate(server, certificates.path("secret.pem"));
  tool::write_key(server, certificates.path("secret.key"), "open sesame");
  TlsOptions options = certificates.options("secret");
  CHECK(contains(reason_of(options), "set -ORBTlsPassphraseFile"));
  options.passphrase_file = certificates.path("passphrase");
  replace_file(options.passphrase_file, "open sesame\n");
  ::chmod(options.passphrase_file.c_str(), 0604);
  CHECK(contains(reason_of(options), "passphrase (other users may read or change it"));
  ::chmod(options.passphrase_file.c_str(), 0600);
  CHECK(meet(options, certificates.options("")).works());
  replace_file(options.passphrase_file, "wrong\n");
  CHECK(contains(reason_of(options), "no private key that the passphrase opens"));
}

TEST_CASE_FIXTURE(Fixture,
                  "reload reads the files again; after an error the old certificate stays") {
  const TlsOptions options = certificates.options("server");
  const Protocol server = make(options);
  const Protocol client = make(certificates.options(""));
  const auto subject = [&] {
    const Meeting meeting(*server, *client);
    CHECK(meeting.works());
    return meeting.pair.client->peer_certificate()->subject;
  };
  CHECK(subject() == "CN=server");
  auto contents = server_contents();
  contents.common_name = "server, renewed";
  certificates.issue("server", contents);
  CHECK(subject() == "CN=server");
  REQUIRE(server->reload().has_value());
  CHECK(subject() == "CN=server\\, renewed");
  replace_file(options.certificate_file, "no certificate");
  CHECK_FALSE(server->reload().has_value());
  CHECK(subject() == "CN=server\\, renewed");
}

TEST_CASE_FIXTURE(Fixture, "the key log contains the secrets, and only its owner can read it") {
  LogLines lines(log::Level::warning);
  auto options = certificates.options("");
  options.key_log_file = certificates.path("keys");
  CHECK(meet(certificates.options("server"), options).works());
  std::ifstream keys(options.key_log_file);
  std::string line;
  REQUIRE(std::getline(keys, line));
  CHECK(contains(line, "SECRET "));
  CHECK(std::filesystem::status(options.key_log_file).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(contains(lines.text(), "the secrets of all connections are written to"));
}

TEST_CASE_FIXTURE(Fixture,
                  "a TLS reference has port 0 in its profile, and its port in a component") {
  auto options = certificates.options("server");
  options.client_certificates = ClientCertificates::required;
  const Protocol tls = make(options);
  const transport::ProfileSource source{.object_key = {}, .components = {}};
  const auto profile = tls->make_profile({"ssliop", "bank.example.org:2810"}, source);
  CHECK(profile.tag == iop::tag_internet_iop);
  const auto body = iop::make_iiop_codec()->decode(profile, {}).value();
  CHECK(body.address == "bank.example.org:0");
  const auto* const component = iop::find_component(body.components, iop::tag_ssl_sec_trans);
  REQUIRE((component != nullptr));
  const auto address = iop::decode_ssl_address(component->data).value();
  CHECK(address.port == 2810);
  CHECK((address.needs & iop::establish_trust_in_client) != 0);
  const auto claimed = tls->claim(profile.tag, body);
  REQUIRE(claimed.size() == 1);
  CHECK(to_string(claimed.front().endpoint) == "ssliop://bank.example.org:2810");
  CHECK(transport::make_tcp_protocol()->claim(profile.tag, body).empty());
}

TEST_CASE_FIXTURE(Fixture, "a client finds each address of TLS in a profile, once") {
  const Protocol tls = make(certificates.options(""));
  iop::ProfileBody body;
  body.address = "bank.example.org:0";
  const auto claimed = [&] {
    std::string text;
    for (const auto& place : tls->claim(iop::tag_internet_iop, body)) {
      CHECK(place.is_protected);
      text += (text.empty() ? "" : " ") + place.endpoint.address;
    }
    return text;
  };
  CHECK(claimed().empty());
  for (const std::uint16_t port : {std::uint16_t{2810}, std::uint16_t{2811}, std::uint16_t{2810}})
    body.components.push_back(iop::encode_ssl_address({.supports = 102, .needs = 6, .port = port}));
  CHECK(claimed() == "bank.example.org:2810 bank.example.org:2811");
  body.components.push_back(mechanism_of_tls());
  CHECK(claimed() == "bank.example.org:2810 bank.example.org:2811 vm:2812");
  body.components.back().data.pop_back();
  CHECK(claimed() == "bank.example.org:2810 bank.example.org:2811");
}

TEST_CASE_FIXTURE(Fixture, "a client with TLS does not use the plain address of a TLS server") {
  transport::ProtocolRegistry registry;
  REQUIRE(registry.add(transport::make_tcp_protocol()).has_value());
  iop::ProfileBody body;
  body.address = "bank.example.org:2809";
  body.components.push_back(iop::encode_ssl_address({.supports = 127, .needs = 0, .port = 2810}));
  auto profile = iop::make_iiop_codec()->encode(body);
  const auto tried = [&] {
    const std::vector targets{registry.claim(profile).value()};
    std::vector<std::string> endpoints;
    for (const auto& choice : transport::choose_addresses(targets))
      if (choice.use == transport::AddressUse::tried)
        endpoints.push_back(to_string(choice.place->endpoint));
    return endpoints;
  };
  CHECK(tried() == std::vector<std::string>{"iiop://bank.example.org:2809"});
  REQUIRE(registry.add(make(certificates.options(""))).has_value());
  CHECK(tried() == std::vector<std::string>{"ssliop://bank.example.org:2810"});
  body.components.clear();
  profile = iop::make_iiop_codec()->encode(body);
  CHECK(tried() == std::vector<std::string>{"iiop://bank.example.org:2809"});
}

}  // namespace perigee::test
