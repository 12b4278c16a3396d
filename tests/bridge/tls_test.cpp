// A bridge with TLS towards its clients, towards its target, or both.
#include "bridge/bridged.h"
#include "support/await_condition.h"
#include "support/log_lines.h"
#include "support/temporary_folder.h"
#include "support/test_certificates.h"
#include <perigee/iop/components.h>
#include <perigee/iop/exception_detail.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/transport/tls.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>

using namespace perigee;
using namespace perigee::test;
using transport::ClientCertificates;
using transport::Endpoint;
using transport::TlsOptions;
using transport::Wait;

namespace {

const Endpoint tls_endpoint{"ssliop", "127.0.0.1:0"};
const Endpoint plain_endpoint{"iiop", "127.0.0.1:0"};

TestCertificates& certificates() {
  static TestCertificates made;
  return made;
}

/// TLS with these options, TCP and UNIX-domain sockets.
std::unique_ptr<transport::ProtocolRegistry> protocols_with(const TlsOptions& options) {
  auto made = std::make_unique<transport::ProtocolRegistry>();
  auto tls = transport::make_tls_protocol(options, transport::make_tcp_protocol());
  REQUIRE(tls.has_value());
  REQUIRE(made->add(std::move(*tls)));
  REQUIRE(made->add(transport::make_tcp_protocol()));
  REQUIRE(made->add(transport::make_local_protocol({})));
  return made;
}

/// Options with the certificate `name`. They also require certificates of clients.
TlsOptions demanding(const std::string& name) {
  TlsOptions options = certificates().options(name);
  options.client_certificates = ClientCertificates::required;
  return options;
}

/// A client of TLS; `opened` has the outcome of its handshake.
struct TlsClient {
  TlsClient(const TlsOptions& options, const Endpoint& endpoint)
      : protocols(protocols_with(options)) {
    auto connected =
        protocols->connector(endpoint.scheme)->connect(endpoint, std::chrono::seconds(10));
    REQUIRE(connected.has_value());
    opened = (*connected)->open(Wait::yes);
    refusal = (*connected)->refusal();
    if (const auto* const certificate = (*connected)->peer_certificate())
      subject = certificate->subject;
    client.emplace(std::move(*connected));
  }

  std::unique_ptr<transport::ProtocolRegistry> protocols;
  IoResult opened;
  transport::Transport::Refusal refusal;
  std::string subject;  // of the bridge's certificate
  std::optional<RawClient> client;
};

/// A bridge with TLS on one side or on both.
struct TlsBridge {
  TlsBridge(const TlsOptions& tls, const Endpoint& listen, const Endpoint& target,
            const Bridged::Change& change = {})
      : protocols(protocols_with(tls)) {
    bridge::Options options;
    options.listen = {listen};
    options.target = target;
    options.threads = 1;
    options.stop_timeout = std::chrono::milliseconds(100);
    if (change) change(options);
    auto started = bridge::Bridge::start(*protocols, std::move(options));
    REQUIRE(started.has_value());
    bridge = std::move(*started);
  }

  [[nodiscard]] Endpoint endpoint() const { return bridge->listening().front(); }

  std::unique_ptr<transport::ProtocolRegistry> protocols;
  std::unique_ptr<bridge::Bridge> bridge;
};

/// Makes one call of the client through the bridge, and replies to it at the target.
void check_call(RawClient& client, RawClient& target, std::uint32_t number) {
  client.send(make_request({.key = key_k, .id = number, .argument = number}));
  const RawReply request(target.receive());
  REQUIRE(request.ulong(request.message.size() - 4) == number);
  target.send(make_reply(request.ulong(12), 2 * number));
  const RawReply reply = client.reply();
  CHECK(reply.id() == number);
  CHECK(reply.result() == 2 * number);
}

/// The text of a system exception of the bridge, from the first service context of the reply.
std::string text_of(const RawReply& reply) {
  REQUIRE(reply.contexts() >= 1);
  REQUIRE(reply.ulong(24) == iop::context_exception_detail);
  return iop::decode_exception_detail(OctetSpan(reply.message).subspan(32, reply.ulong(28)));
}

/// The only profile of a reference, decoded as an IIOP profile.
iop::ProfileBody body_of(const iop::Ior& ior) {
  REQUIRE(ior.profiles.size() == 1);
  auto body = iop::make_iiop_codec()->decode(ior.profiles.front(), {});
  REQUIRE(body.has_value());
  return std::move(*body);
}

}  // namespace

TEST_CASE("clients of TLS call a target of TCP or of a UNIX-domain socket through the bridge") {
  const TemporaryFolder folder;
  for (const Endpoint& place : {plain_endpoint, Endpoint{"uiop", folder.file("target")}}) {
    CAPTURE(place.scheme);
    RawTarget target(place);
    const TlsBridge ends(certificates().options("server"), tls_endpoint, target.endpoint());
    TlsClient first(certificates().options(""), ends.endpoint());
    REQUIRE(first.opened.ok());
    CHECK(first.subject == "CN=server");
    first.client->send(make_request({.key = key_k, .id = 1, .argument = 1}));
    RawClient accepted = target.accept();
    accepted.send(make_reply(RawReply(accepted.receive()).ulong(12), 5));
    CHECK(first.client->reply().result() == 5);
    for (std::uint32_t number = 2; number < 5; ++number)
      check_call(*first.client, accepted, number);
    TlsClient second(certificates().options(""), ends.endpoint());
    check_call(*second.client, accepted, 9);
  }
}

TEST_CASE("clients of TCP call a target of TLS, which sees the certificate of the bridge") {
  certificates().issue("bridge", {.common_name = "bridge"});
  const auto of_target = protocols_with(demanding("server"));
  RawTarget target(tls_endpoint, *of_target);
  const TlsBridge ends(certificates().options("bridge"), plain_endpoint, target.endpoint());
  RawClient client(ends.endpoint());
  client.send(make_request({.key = key_k, .id = 1, .argument = 1}));
  auto transport = target.accept_transport();
  REQUIRE(transport->open(Wait::yes).ok());
  REQUIRE(transport->peer_certificate() != nullptr);
  CHECK(transport->peer_certificate()->subject == "CN=bridge");
  CHECK(transport->peer_certificate()->is_verified);
  RawClient accepted(std::move(transport));
  accepted.send(make_reply(RawReply(accepted.receive()).ulong(12), 5));
  CHECK(client.reply().result() == 5);
  check_call(client, accepted, 2);
}

TEST_CASE("the bridge passes requests from TLS to TLS") {
  const auto of_target = protocols_with(certificates().options("server"));
  RawTarget target(tls_endpoint, *of_target);
  const TlsBridge ends(certificates().options("server"), tls_endpoint, target.endpoint());
  TlsClient client(certificates().options(""), ends.endpoint());
  client.client->send(make_request({.key = key_k}));
  auto transport = target.accept_transport();
  REQUIRE(transport->open(Wait::yes).ok());
  RawClient accepted(std::move(transport));
  accepted.send(make_reply(RawReply(accepted.receive()).ulong(12), 5));
  CHECK(client.client->reply().result() == 5);
  check_call(*client.client, accepted, 2);
}

TEST_CASE("a target with a wrong certificate gets no request, and the client gets NO_PERMISSION") {
  TestCertificates others;
  certificates().issue("elsewhere", {.common_name = "x", .dns_names = {"elsewhere.example"}});
  struct Row {
    TlsOptions target;
    const char* reason;
  };
  for (const Row& row :
       {Row{others.options("server"), "the authority of the peer's certificate is not trusted"},
        Row{certificates().options("elsewhere"),
            "the peer's certificate is not for '127.0.0.1'"}}) {
    LogLines lines(log::Level::warning);
    const auto of_target = protocols_with(row.target);
    RawTarget target(tls_endpoint, *of_target);
    const TlsBridge ends(certificates().options(""), plain_endpoint, target.endpoint());
    RawClient client(ends.endpoint());
    client.send(make_request({.key = key_k}));
    CHECK_FALSE(target.accept_transport()->open(Wait::yes).ok());
    const RawReply reply = client.reply();
    CHECK(reply.repository_id() == "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
    CHECK(reply.completed() == 1);  // COMPLETED_NO
    CHECK(text_of(reply) ==
          "the bridge and its target do not accept each other's certificates: see the log of the "
          "bridge");
    CHECK(lines.have("bridge: connect to " + to_string(target.endpoint())));
    CHECK(lines.have(row.reason));
  }
}

TEST_CASE("a target of TLS 1.3 that requires a certificate of the bridge gets no request") {
  LogLines lines(log::Level::warning);
  const auto of_target = protocols_with(demanding("server"));
  RawTarget target(tls_endpoint, *of_target);
  const TlsBridge ends(certificates().options(""), plain_endpoint, target.endpoint());
  RawClient client(ends.endpoint());
  client.send(make_request({.key = key_k}));
  CHECK_FALSE(target.accept_transport()->open(Wait::yes).ok());
  const RawReply reply = client.reply();
  // The refusal comes after the bridge's part of the handshake, and so after the request.
  CHECK(reply.repository_id() == "IDL:omg.org/CORBA/COMM_FAILURE:1.0");
  CHECK(lines.have(to_string(target.endpoint()) + ": the server requires a client certificate"));
}

TEST_CASE("a bridge that requires certificates serves no client without one") {
  RawTarget target;
  const TlsBridge ends(demanding("server"), tls_endpoint, target.endpoint());
  TlsClient unknown(certificates().options(""), ends.endpoint());
  // In TLS 1.3 the refusal comes after the client's part of the handshake.
  const bool sent = unknown.opened.ok() && unknown.client->try_send(make_request({.key = key_k}));
  if (sent) CHECK(unknown.client->at_end());
  TestCertificates others;
  TlsOptions stranger = certificates().options("");
  stranger.certificate_file = others.path("client.pem");
  stranger.key_file = others.path("client.key");
  TlsClient untrusted(stranger, ends.endpoint());
  if (untrusted.opened.ok() && untrusted.client->try_send(make_request({.key = key_k})))
    CHECK(untrusted.client->at_end());
  TlsClient known(certificates().options("client"), ends.endpoint());
  known.client->send(make_request({.key = key_k, .id = 3, .argument = 77}));
  RawClient accepted = target.accept();
  const RawReply first(accepted.receive());
  CHECK(first.ulong(first.message.size() - 4) == 77);  // no request came before
  accepted.send(make_reply(first.ulong(12), 5));
  CHECK(known.client->reply().result() == 5);
}

TEST_CASE("plain octets at a port of TLS are refused") {
  RawTarget target;
  const TlsBridge ends(certificates().options("server"), tls_endpoint, target.endpoint());
  RawClient client(Endpoint{"iiop", ends.endpoint().address});
  if (client.try_send(make_request({.key = key_k}))) {
    // OpenSSL may send an alert first.
    while (!client.receive_part(64).empty()) continue;
  }
  TlsClient known(certificates().options(""), ends.endpoint());
  CHECK(known.opened.ok());
}

TEST_CASE("a reference to a TLS port of the bridge has the port only in the TLS component") {
  for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    CAPTURE(+minor);
    RawTarget target;
    const TlsBridge ends(
        demanding("server"), tls_endpoint, target.endpoint(),
        [&](bridge::Options& options) { options.references = {target.reference(key_k, minor)}; });
    REQUIRE(ends.bridge->references().size() == 1);
    const iop::ProfileBody body = body_of(ends.bridge->references().front());
    CHECK(body.address == "127.0.0.1:0");
    CHECK(body.object_key == key_k);
    CHECK(body.minor == std::max<std::uint8_t>(minor, 1));  // 1.0 has no components
    const auto* const component = iop::find_component(body.components, iop::tag_ssl_sec_trans);
    REQUIRE(component != nullptr);
    const auto address = iop::decode_ssl_address(component->data);
    REQUIRE(address.has_value());
    CHECK(ends.endpoint() == Endpoint{"ssliop", "127.0.0.1:" + std::to_string(address->port)});
    CHECK((address->needs & iop::establish_trust_in_client) != 0);
    const auto claimed = ends.protocols->claim(ends.bridge->references().front().profiles.front());
    REQUIRE(claimed.has_value());
    REQUIRE(claimed->endpoints.size() == 1);
    CHECK(claimed->endpoints.front().endpoint == ends.endpoint());
  }
}

TEST_CASE("the address of TLS is the target if the reference also has a plain address") {
  const auto of_target = protocols_with(certificates().options("server"));
  RawTarget plain;
  RawTarget secure(tls_endpoint, *of_target);
  iop::Ior both = plain.reference(key_k);
  both.profiles.push_back(secure.reference(key_k).profiles.front());
  const TlsBridge ends(certificates().options(""), plain_endpoint, plain.endpoint(),
                       [&](bridge::Options& options) {
                         options.target = std::nullopt;
                         options.references = {both};
                       });
  CHECK(ends.bridge->target() == secure.endpoint());
}

TEST_CASE("a forward from a target of TLS leads through the bridge to an address of TLS") {
  const auto of_target = protocols_with(certificates().options("server"));
  RawTarget plain;
  RawTarget secure(tls_endpoint, *of_target);
  iop::Ior both = plain.reference(octets('n', 'e', 'x', 't'));
  both.profiles.push_back(secure.reference(octets('n', 'e', 'x', 't')).profiles.front());
  RawTarget first;
  const TlsBridge ends(certificates().options(""), plain_endpoint, first.endpoint());
  RawClient client(ends.endpoint());
  client.send(make_request({.key = key_k}));
  RawClient accepted = first.accept();
  accepted.send(make_reply_with(RawReply(accepted.receive()).ulong(12), 3, encoded(both)));
  const RawReply reply = client.reply();
  REQUIRE(reply.status() == 3);
  cdr::Decoder decoder(reply.message, std::endian::native, reply.body());
  iop::Ior forwarded;
  iop::decode(decoder, forwarded);
  const iop::ProfileBody body = body_of(forwarded);
  CHECK(body.address == ends.endpoint().address);
  client.send(make_request({.key = body.object_key}));
  auto transport = secure.accept_transport();
  REQUIRE(transport->open(Wait::yes).ok());
  CHECK(contains(RawClient(std::move(transport)).receive(), "next"));
}

TEST_CASE("SIGHUP makes the bridge read its certificates again") {
  LogLines lines(log::Level::warning);
  TestCertificates own;
  RawTarget target;
  TlsOptions options = own.options("server");
  options.authorities.clear();
  const TlsBridge ends(options, tls_endpoint, target.endpoint());
  std::atomic<bool> ready{false};
  std::jthread serving(
      [&] { CHECK(ends.bridge->serve_until_signal([&] { ready = true; }).has_value()); });
  await_condition([&] { return ready.load(); });
  TlsClient before(own.options(""), ends.endpoint());
  REQUIRE(before.opened.ok());
  before.client->send(make_request({.key = key_k}));
  RawClient accepted = target.accept();
  accepted.send(make_reply(RawReply(accepted.receive()).ulong(12), 1));
  CHECK(before.client->reply().result() == 1);

  own.issue("server", {.common_name = "renewed", .ip_addresses = {"127.0.0.1"}});
  ::kill(::getpid(), SIGHUP);
  await_condition([&] { return lines.have("the files of the protocols were read again"); });
  CHECK(TlsClient(own.options(""), ends.endpoint()).subject == "CN=renewed");
  check_call(*before.client, accepted, 2);

  REQUIRE(::unlink(own.path("server.pem").c_str()) == 0);
  ::kill(::getpid(), SIGHUP);
  await_condition([&] { return lines.have("the former contents stay in use"); });
  CHECK(lines.have(own.path("server.pem")));
  CHECK(TlsClient(own.options(""), ends.endpoint()).subject == "CN=renewed");
  ::kill(::getpid(), SIGTERM);
}
