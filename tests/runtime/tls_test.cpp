// Whole ORBs over TLS: certificates, policies, reload, and clients that misbehave.
#include "runtime/process.h"
#include "support/await_condition.h"
#include "support/log_lines.h"
#include "support/temporary_folder.h"
#include "support/test_certificates.h"
#include <perigee/iop/ior.h>
#include <perigee/orb/protocol_policies.h>
#include <perigee/orb/protocols.h>
#include <perigee/orb/security_policies.h>
#include <perigee/orb/with_policies.h>
#include <perigee/poa/peer_current.h>
#include <perigee/runtime/serve_until_signal.h>
#include <perigee/transport/tcp.h>

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

using namespace std::chrono_literals;
using Options = std::vector<std::string>;

constexpr const char* strategies[] = {"auto", "thread-per-connection", "reactive", "thread-pool",
                                      "reactor-per-core"};

TestCertificates& certificates() {
  static TestCertificates made;
  return made;
}

/// The options of an ORB that trusts the authority of the tests. `name`: its certificate.
Options trusting(const std::string& name = "") {
  Options options{"-ORBTlsAuthorities", certificates().path("authority.pem")};
  if (!name.empty())
    options.insert(options.end(), {"-ORBTlsCertificate", certificates().path(name + ".pem"),
                                   "-ORBTlsKey", certificates().path(name + ".key")});
  return options;
}

Options operator+(Options options, const Options& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

const char* const tls_endpoint = "ssliop://127.0.0.1:0";

struct TlsServer : EchoServer {
  explicit TlsServer(const Options& more = {}, const std::string& endpoints = tls_endpoint)
      : EchoServer(trusting("server") + more, endpoints) {}
};

/// The text of the exception of a call; empty if the call succeeds.
template <typename Exception>
std::string text_of(const Echo::Ref& echo) {
  try {
    static_cast<void>(echo->twice(2));
  } catch (const Exception& exception) {
    return exception.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Echo::Ref with(const Echo::Ref& echo, CORBA::object_reference<CORBA::Policy> policy) {
  return with_policies(echo, {std::move(policy)});
}

CORBA::object_reference<CORBA::Policy> protection() {
  return CORBA::make_reference<SecurityLevel2::QOPPolicy>(
      Security::QOP::SecQOPIntegrityAndConfidentiality);
}

}  // namespace

TEST_CASE("a servant sees the certificate of its client, and can refuse the call") {
  for (const char* strategy : strategies) {
    CAPTURE(std::string(strategy));
    TlsServer server({"-ORBTlsClientCertificates", "optional", "-ORBThreadStrategy", strategy});
    std::optional<PeerCertificate> seen;
    const auto current =
        IDL::traits<PeerCurrent>::narrow(server.orb->resolve_initial_references("PeerCurrent"));
    server.servant->on_stop = [&] {
      seen = current->certificate();
      if (!seen || !seen->is_verified) throw CORBA::NO_PERMISSION();
    };
    const EchoClient known(trusting("client"));
    known.echo(server.reference)->stop();
    REQUIRE(seen.has_value());
    CHECK(seen->subject == "CN=client");
    CHECK(seen->is_verified);
    const EchoClient unknown(trusting());
    CHECK_THROWS_AS(unknown.echo(server.reference)->stop(), CORBA::NO_PERMISSION);
    CHECK_FALSE(seen.has_value());
    server.servant->on_stop = nullptr;
  }
}

TEST_CASE("a client that cannot trust the server raises NO_PERMISSION with the reason") {
  const TlsServer server;
  const TestCertificates others;
  const EchoClient client({"-ORBTlsAuthorities", others.path("authority.pem")});
  const auto echo = client.echo(server.reference);
  const std::string text = text_of<CORBA::NO_PERMISSION>(echo);
  CHECK(contains(text, "the authority of the peer's certificate is not trusted"));
  CHECK(contains(text, "COMPLETED_NO"));
}

TEST_CASE("if TLS is required, neither clients nor servers have a plain protocol") {
  const Options required{"-ORBTls", "required"};
  for (const std::string endpoint : {"iiop://127.0.0.1:0", "uiop://@perigee-tls-test",
                                     "shmiop://@perigee-tls-test", "diop://:0"}) {
    CAPTURE(endpoint);
    CHECK_THROWS_AS(EchoServer(trusting("server") + required, endpoint), CORBA::SystemException);
  }
  const TlsServer secured(required);
  const auto ior = iop::parse_ior_string(secured.reference).value();
  REQUIRE(ior.profiles.size() == 1);
  const auto target = protocols(*secured.orb).claim(ior.profiles.front()).value();
  for (const auto& place : target.endpoints) CHECK(place.endpoint.scheme == "ssliop");

  const EchoServer plain({}, "iiop://127.0.0.1:0;uiop://@perigee-tls-test-plain");
  const EchoClient client(trusting() + required);
  CHECK_THROWS_AS((void)client.echo(plain.reference)->twice(2), CORBA::TRANSIENT);
  CHECK(client.echo(secured.reference)->twice(2) == 4);

  const EchoClient also_local(trusting() + required + Options{"-ORBTlsPlainSchemes", "uiop"});
  CHECK(also_local.echo(plain.reference)->twice(2) == 4);
  const EchoServer memory({}, "shmiop://@perigee-tls-test-memory");
  const EchoClient also_memory(trusting() + required + Options{"-ORBTlsPlainSchemes", "shmiop"});
  CHECK(also_memory.echo(memory.reference)->twice(2) == 4);
  CHECK_THROWS_AS((void)also_local.echo(memory.reference)->twice(2), CORBA::TRANSIENT);
}

TEST_CASE("required TLS excludes the protocols for the own host that no option allows") {
  const TemporaryFolder folder;  // of users other than root
  ::setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
  const auto schemes = [](const Options& options, const std::string& endpoints) {
    const TlsServer server(options, endpoints);
    const iop::Ior ior = iop::parse_ior_string(server.reference).value();
    std::string names;
    for (const auto& profile : ior.profiles) {
      const auto target = protocols(*server.orb).claim(profile).value();
      for (const auto& place : target.endpoints) names += place.endpoint.scheme + ' ';
    }
    return names;
  };
  const Options automatic{"-ORBLocalTransports", "auto"};
  const Options required = automatic + Options{"-ORBTls", "required"};
  const Options allowed{"-ORBTlsPlainSchemes", "uiop"};
  CHECK(schemes(required, tls_endpoint) == "ssliop ");
  CHECK(schemes(required + allowed, tls_endpoint) == "ssliop uiop ");
  CHECK(schemes(automatic, tls_endpoint) == "ssliop ");
  CHECK(schemes(automatic, std::string(tls_endpoint) + ";iiop://127.0.0.1:0") ==
        "ssliop iiop shmiop uiop ");
  std::ofstream(folder.path() + "/empty.toml") << "";
  const Options by_default{"-ORBConfigFile", folder.path() + "/empty.toml", "-ORBTls", "required"};
  CHECK(schemes(by_default + allowed, tls_endpoint) == "ssliop ");
  ::unsetenv("XDG_RUNTIME_DIR");
}

TEST_CASE("a server without -ORBListenEndpoints listens by TLS if TLS is required") {
  auto orb = make_orb(trusting("server") + Options{"-ORBTls", "required"});
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto servant = CORBA::make_reference<EchoServant>();
  const auto ior = iop::parse_ior_string(
                       orb->object_to_string(poa->id_to_reference(poa->activate_object(servant))))
                       .value();
  REQUIRE(ior.profiles.size() == 1);
  const auto target = protocols(*orb).claim(ior.profiles.front()).value();
  CHECK(target.endpoints.front().endpoint.scheme == "ssliop");
  orb->destroy();
}

TEST_CASE("a client without TLS cannot use an address of TLS, and TLS is not used silently") {
  const TlsServer server;
  const EchoClient plain;
  CHECK_THROWS_AS((void)plain.echo(server.reference)->twice(2), CORBA::TRANSIENT);
  CHECK_THROWS_AS((void)plain.orb->string_to_object("corbaloc:ssliop:1.2@127.0.0.1:1/Key"),
                  CORBA::BAD_PARAM);
}

TEST_CASE("a server with plain and TLS endpoints is called by TLS only, if the client has TLS") {
  for (const std::string endpoints : {"iiop://127.0.0.1:0;ssliop://127.0.0.1:0;diop://127.0.0.1:0",
                                      "ssliop://127.0.0.1:0;iiop://127.0.0.1:0"}) {
    CAPTURE(endpoints);
    const TlsServer server({}, endpoints);
    std::string peer;
    const auto current =
        IDL::traits<PeerCurrent>::narrow(server.orb->resolve_initial_references("PeerCurrent"));
    server.servant->on_stop = [&] { peer = current->peer(); };
    const EchoClient plain;
    plain.echo(server.reference)->stop();
    CHECK(peer.starts_with("iiop://"));
    const EchoClient secured(trusting());
    secured.echo(server.reference)->stop();
    CHECK(peer.starts_with("ssliop://"));
    peer.clear();
    const TestCertificates others;
    const EchoClient distrusting({"-ORBTlsAuthorities", others.path("authority.pem")});
    CHECK_THROWS_AS(distrusting.echo(server.reference)->stop(), CORBA::NO_PERMISSION);
    CHECK(peer.empty());
    server.servant->on_stop = nullptr;
  }
}

TEST_CASE("policies of protection exclude plain addresses, whatever other policies list") {
  const EchoServer plain;
  const EchoClient client(trusting());
  const auto echo = client.echo(plain.reference);
  CHECK(echo->twice(2) == 4);
  const auto secured = with(echo, protection());
  CHECK_THROWS_AS((void)secured->twice(2), CORBA::INV_POLICY);
  const RTCORBA::ProtocolList tcp{{iop::tag_internet_iop, nullptr, nullptr}};
  const auto listed = with(secured, CORBA::make_reference<RTCORBA::ClientProtocolPolicy>(tcp));
  CHECK_THROWS_AS((void)listed->twice(2), CORBA::INV_POLICY);
  const auto trusted = with(echo, CORBA::make_reference<SecurityLevel2::EstablishTrustPolicy>(
                                      Security::EstablishTrust{false, true}));
  CHECK_THROWS_AS((void)trusted->twice(2), CORBA::INV_POLICY);
  const auto open = with(
      echo, CORBA::make_reference<SecurityLevel2::QOPPolicy>(Security::QOP::SecQOPNoProtection));
  CHECK(open->twice(2) == 4);
}

TEST_CASE("a policy can leave the certificate of a server unverified, for its calls only") {
  const TlsServer server;
  const TestCertificates others;
  const EchoClient client({"-ORBTlsAuthorities", others.path("authority.pem")});
  const auto echo = client.echo(server.reference);
  const auto trusting_any = with(echo, CORBA::make_reference<SecurityLevel2::EstablishTrustPolicy>(
                                           Security::EstablishTrust{false, false}));
  CHECK(trusting_any->twice(2) == 4);
  CHECK_THROWS_AS((void)echo->twice(2), CORBA::NO_PERMISSION);
}

TEST_CASE("a policy of trust applies even if the ORB does not verify servers") {
  LogLines lines(log::Level::error);
  const TlsServer server;
  const TestCertificates others;
  const EchoClient client(
      {"-ORBTlsAuthorities", others.path("authority.pem"), "-ORBTlsVerifyServers", "no"});
  const auto echo = client.echo(server.reference);
  CHECK(echo->twice(2) == 4);
  const auto trusted = with(echo, CORBA::make_reference<SecurityLevel2::EstablishTrustPolicy>(
                                      Security::EstablishTrust{false, true}));
  CHECK_THROWS_AS((void)trusted->twice(2), CORBA::NO_PERMISSION);
}

TEST_CASE("the name in the address of a forward has to be in the certificate") {
  const TlsServer forwarder;
  certificates().issue("elsewhere", {.common_name = "elsewhere", .dns_names = {"elsewhere"}});
  const EchoServer impostor(trusting("elsewhere"), tls_endpoint);
  const EchoClient client(trusting());
  const auto echo = client.echo(forwarder.reference);
  CHECK(echo->twice(2) == 4);
  forwarder.servant->forward_target =
      stub::interface_traits<Echo>::narrow(forwarder.orb->string_to_object(impostor.reference));
  CHECK_THROWS_AS(echo->forward_me(), CORBA::NO_PERMISSION);
}

TEST_CASE("corbaloc:ssliop names an object behind TLS") {
  TlsServer server;
  const auto ior = iop::parse_ior_string(server.reference).value();
  const auto target = protocols(*server.orb).claim(ior.profiles.front()).value();
  const EchoClient client(trusting());
  const auto object = client.orb->string_to_object(
      "corbaloc:ssliop:1.2@" + target.endpoints.front().endpoint.address + "/missing");
  CHECK_THROWS_AS((void)stub::interface_traits<Echo>::unchecked_narrow(object)->twice(2),
                  CORBA::OBJECT_NOT_EXIST);
}

namespace {

/// A client with an object that the server calls back. The client publishes `host`, port 1, where
/// nothing listens.
struct CalledBack : EchoServer {
  explicit CalledBack(const std::string& host)
      : EchoServer(trusting("caller") + Options{"-ORBOfferBidirectional", "yes"},
                   "ssliop://127.0.0.1:0?publish=" + host + ":1") {
    const auto root =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto poa = root->create_POA("callbacks", root->the_POAManager(), {make_bidirectional()});
    callback =
        stub::interface_traits<Echo>::narrow(poa->id_to_reference(poa->activate_object(servant)));
  }
  Echo::Ref callback;
};

}  // namespace

TEST_CASE("callbacks over TLS: a client may speak for the names in its verified certificate") {
  LogLines lines(log::Level::warning);
  certificates().issue("caller", {.common_name = "caller", .dns_names = {"caller.example.org"}});
  for (const char* strategy : strategies) {
    CAPTURE(std::string(strategy));
    const TlsServer server({"-ORBAcceptBidirectional", "yes", "-ORBTlsClientCertificates",
                            "required", "-ORBThreadStrategy", strategy});
    const auto call_back_at = [&](const std::string& host) {
      CalledBack client(host);
      const auto echo =
          stub::interface_traits<Echo>::narrow(client.orb->string_to_object(server.reference));
      const auto result = echo->call_back(client.callback, 21);
      client.callback.reset();
      return result;
    };
    CHECK(call_back_at("caller.example.org") == 42);
    CHECK(call_back_at("127.0.0.1") == 42);
    CHECK_THROWS_AS((void)call_back_at("bank.example.org"), CORBA::SystemException);
  }
}

TEST_CASE("certificates are replaced under load without a lost call") {
  TestCertificates own;
  const Options server_options{"-ORBTlsCertificate", own.path("server.pem"), "-ORBTlsKey",
                               own.path("server.key")};
  const EchoServer server(server_options, tls_endpoint);
  std::atomic<bool> stop{false};
  std::atomic<int> calls{0};
  std::atomic<int> failures{0};
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 2; ++caller)
    callers.emplace_back([&] {
      while (!stop) try {
          // A new ORB has no connection: its call makes a handshake.
          const EchoClient client({"-ORBTlsAuthorities", own.path("authority.pem")});
          const auto echo = client.echo(server.reference);
          for (int call = 0; call < 10; ++call) calls += echo->twice(call) == 2 * call ? 1 : 0;
        } catch (const CORBA::Exception&) {
          ++failures;
        }
    });
  for (int round = 0; round < 10; ++round) {
    const int before = calls;
    await_condition([&] { return calls > before + 20 || failures > 0; });
    own.issue("server",
              {.common_name = "round " + std::to_string(round), .ip_addresses = {"127.0.0.1"}});
    CHECK(protocols(*server.orb).reload().empty());
  }
  stop = true;
  callers.clear();
  CHECK(failures == 0);
}

TEST_CASE("SIGHUP makes a server read its certificates again") {
  LogLines lines(log::Level::warning);
  TestCertificates own;
  auto orb = make_orb({"-ORBListenEndpoints", tls_endpoint, "-ORBTlsCertificate",
                       own.path("server.pem"), "-ORBTlsKey", own.path("server.key")});
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto servant = CORBA::make_reference<EchoServant>();
  const std::string reference =
      orb->object_to_string(poa->id_to_reference(poa->activate_object(servant)));
  poa->the_POAManager()->activate();
  std::atomic<bool> ready{false};
  std::jthread serving([&] { serve_until_signal(orb, [&] { ready = true; }); });
  await_condition([&] { return ready.load(); });
  const TestCertificates others;
  const EchoClient client({"-ORBTlsAuthorities", others.path("authority.pem")});
  CHECK_THROWS_AS((void)client.echo(reference)->twice(2), CORBA::NO_PERMISSION);
  own.write("server", tool::make_identity({.common_name = "server", .ip_addresses = {"127.0.0.1"}},
                                          &others.authority()));
  ::kill(::getpid(), SIGHUP);
  await_condition([&] { return lines.have("the files of the protocols were read again"); });
  CHECK(client.echo(reference)->twice(2) == 4);
  orb->shutdown(true);
  serving.join();
  orb->destroy();
}

TEST_CASE("half-open handshakes end in time, and other clients are served meanwhile") {
  constexpr int count = 1000;
  const TlsServer server({"-ORBOpenTimeout", "500"});
  const auto ior = iop::parse_ior_string(server.reference).value();
  const auto target = protocols(*server.orb).claim(ior.profiles.front()).value();
  const EchoClient client(trusting());
  const auto echo = client.echo(server.reference);
  CHECK(echo->twice(2) == 4);
  std::vector<std::unique_ptr<transport::Transport>> silent;
  const auto connector = transport::make_tcp_protocol()->make_connector();
  for (int index = 0; index < count; ++index) {
    silent.push_back(
        connector->connect({"iiop", target.endpoints.front().endpoint.address}, 10s).value());
    if (index % 100 == 0) CHECK(echo->twice(index) == 2 * index);
  }
  for (const auto& each : silent) {
    std::byte octet{};
    static_cast<void>(each->set_receive_timeout(20s));
    const auto received = each->receive({&octet, 1}, transport::Wait::yes);
    const bool has_ended =
        received.status == IoStatus::end_of_stream || received.status == IoStatus::failed;
    CHECK(has_ended);
  }
  const EchoClient late(trusting());
  CHECK(late.echo(server.reference)->twice(4) == 8);
}

TEST_CASE("handshakes beyond their share of memory are refused until others have ended") {
  LogLines lines(log::Level::info);
  constexpr int allowed = 4;
  const TlsServer server(
      {"-ORBOpeningSizeMax", std::to_string(allowed * 160 * 1024), "-ORBOpenTimeout", "60000"});
  const auto ior = iop::parse_ior_string(server.reference).value();
  const auto target = protocols(*server.orb).claim(ior.profiles.front()).value();
  const transport::Endpoint address{"iiop", target.endpoints.front().endpoint.address};
  const auto connector = transport::make_tcp_protocol()->make_connector();
  std::vector<std::unique_ptr<transport::Transport>> silent;
  for (int index = 0; index < allowed; ++index)
    silent.push_back(connector->connect(address, 10s).value());
  const auto refused = connector->connect(address, 10s).value();
  std::byte octet{};
  static_cast<void>(refused->set_receive_timeout(20s));
  CHECK_FALSE(refused->receive({&octet, 1}, transport::Wait::yes).ok());
  await_condition([&] { return lines.have("-ORBOpeningSizeMax"); });
  silent.clear();
  const auto answers = [&server] {
    try {
      return EchoClient(trusting()).echo(server.reference)->twice(4) == 8;
    } catch (const CORBA::SystemException&) {  // the server has not noticed the ends yet
      return false;
    }
  };
  await_condition(answers);
}

TEST_CASE("octets that are not TLS end their connection, and the log says why") {
  LogLines lines(log::Level::info);
  const TlsServer server;
  const auto ior = iop::parse_ior_string(server.reference).value();
  const auto target = protocols(*server.orb).claim(ior.profiles.front()).value();
  const auto client = transport::make_tcp_protocol()
                          ->make_connector()
                          ->connect({"iiop", target.endpoints.front().endpoint.address}, 10s)
                          .value();
  const std::string message("GIOP\1\2\1\0\4\0\0\0aaaa", 16);
  const OctetSpan octets = std::as_bytes(std::span(message));
  CHECK(client->send({&octets, 1}, transport::Wait::yes).ok());
  std::byte octet{};
  static_cast<void>(client->set_receive_timeout(20s));
  CHECK_FALSE(client->receive({&octet, 1}, transport::Wait::yes).ok());
  await_condition([&] { return lines.have("the peer does not speak TLS"); });
  const EchoClient proper(trusting());
  CHECK(proper.echo(server.reference)->twice(4) == 8);
}

}  // namespace perigee::test
