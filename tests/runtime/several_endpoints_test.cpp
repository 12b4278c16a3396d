// Servers with several endpoints of several protocols: the profiles of references, and the clients'
// choice.
#include "runtime/process.h"
#include "support/log_lines.h"
#include "support/temporary_folder.h"
#include <perigee/iop/components.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/ior.h>
#include <perigee/poa/peer_current.h>
#include <perigee/transport/local.h>

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

/// An Echo server at a TCP port and at a socket file, which records the caller of `stop`.
class TwoEndpoints {
 public:
  explicit TwoEndpoints(const std::string& options = "")
      : server({}, "iiop://127.0.0.1:0;uiop://" + folder.file("s") + options) {
    const auto current =
        IDL::traits<PeerCurrent>::narrow(server.orb->resolve_initial_references("PeerCurrent"));
    server.servant->on_stop = [this, current] {
      peer = current->peer();
      identity = current->identity();
    };
  }
  ~TwoEndpoints() { server.servant->on_stop = nullptr; }
  TwoEndpoints(const TwoEndpoints&) = delete;
  TwoEndpoints& operator=(const TwoEndpoints&) = delete;

  [[nodiscard]] iop::Ior ior() const { return iop::parse_ior_string(server.reference).value(); }
  [[nodiscard]] std::string uiop() const { return "uiop://" + folder.file("s"); }
  [[nodiscard]] std::string published_uiop() const {
    return uiop() + "?user=" + std::to_string(::geteuid());
  }

  TemporaryFolder folder;
  EchoServer server;
  std::string peer = "nobody";
  std::optional<PeerIdentity> identity;
};

/// Gives the profile of the socket file another host name and removes the place component.
std::string moved_to_another_host(iop::Ior ior) {
  const auto codec = transport::make_local_codec();
  for (auto& profile : ior.profiles)
    if (profile.tag == transport::tag_perigee_local) {
      auto body = codec->decode(profile, {}).value();
      body.host = "not-" + body.host;
      std::erase_if(body.components, [](const iop::TaggedComponent& component) {
        return component.tag == transport::tag_perigee_place;
      });
      profile = codec->encode(body);
    }
  return iop::to_ior_string(ior);
}

}  // namespace

TEST_CASE("a reference has a profile for each endpoint, in the order of the option") {
  TwoEndpoints both;
  const auto ior = both.ior();
  REQUIRE(ior.profiles.size() == 2);
  CHECK(ior.profiles[0].tag == iop::tag_internet_iop);
  CHECK(ior.profiles[1].tag == transport::tag_perigee_local);
}

TEST_CASE(
    "a client on the same host uses the socket file; the servant gets the client's identity") {
  TwoEndpoints both;
  const EchoClient client;
  client.echo(both.server.reference)->stop();
  CHECK(both.peer == both.uiop() + "?pid=" + std::to_string(::getpid()));
  CHECK(both.identity == PeerIdentity{::getpid(), ::geteuid(), ::getegid()});
}

TEST_CASE("a client on another host uses TCP, even if the same path exists there") {
  TwoEndpoints both;
  const EchoClient client;
  client.echo(moved_to_another_host(both.ior()))->stop();
  CHECK(both.peer.starts_with("iiop://127.0.0.1:"));
}

TEST_CASE("a client that cannot reach the socket file uses the next address, and stays with it") {
  TwoEndpoints both;
  std::filesystem::rename(both.folder.file("s"), both.folder.file("elsewhere"));
  const EchoClient client;
  const auto echo = client.echo(both.server.reference);
  for (int call = 0; call < 2; ++call) {
    both.peer = "nobody";
    echo->stop();
    CHECK(both.peer.starts_with("iiop://127.0.0.1:"));
    if (call == 0) std::filesystem::rename(both.folder.file("elsewhere"), both.folder.file("s"));
  }
}

TEST_CASE("a client that does not trust the socket's server uses the next address") {
  TwoEndpoints both;
  const EchoClient client({"-ORBUiopTrust", "12345"});
  client.echo(both.server.reference)->stop();
  CHECK(both.peer.starts_with("iiop://127.0.0.1:"));
}

TEST_CASE("the log says in one line which address is used, and why") {
  TwoEndpoints both;
  LogLines lines(log::Level::info);
  const EchoClient client;
  client.echo(both.server.reference)->ping();
  CHECK(lines.have("orb: IDL:Echo:1.0: " + both.published_uiop() +
                   " (same host), then iiop://127.0.0.1:"));
  client.echo(moved_to_another_host(both.ior()))->ping();
  CHECK(lines.have("(network); left out, another host's: " + both.uiop()));
}

TEST_CASE("text in a received reference cannot add lines to the log") {
  TwoEndpoints both;
  auto ior = both.ior();
  ior.type_id = "IDL:Echo:1.0\nerror: all is lost";
  ior.profiles.push_back(transport::make_local_codec()->encode(
      {1, 2, transport::local_host_name(), "/tmp/s\nerror: indeed", {}, {}}));
  LogLines lines(log::Level::info);
  const EchoClient client;
  client.echo(iop::to_ior_string(ior))->ping();
  CHECK(lines.have("IDL:Echo:1.0\\x0aerror: all is lost: "));
  CHECK(lines.have("uiop:///tmp/s\\x0aerror: indeed"));
  CHECK_FALSE(lines.have("\nerror"));
}

TEST_CASE("a reference with addresses of another host only raises TRANSIENT, with the reason") {
  TwoEndpoints both;
  auto ior = both.ior();
  ior.profiles.erase(ior.profiles.begin());
  const EchoClient client;
  const auto object = client.orb->string_to_object(moved_to_another_host(ior));
  std::string text;
  try {
    stub::interface_traits<Echo>::unchecked_narrow(object)->ping();
  } catch (const CORBA::TRANSIENT& exception) {
    CHECK(exception.completed() == CORBA::COMPLETED_NO);
    text = exception.what();
  }
  CHECK(text.find(both.uiop()) != std::string::npos);
  CHECK(text.find("belong to another host") != std::string::npos);
}

TEST_CASE("foreign profiles in a reference in use keep all their octets") {
  TwoEndpoints both;
  auto ior = both.ior();
  ior.profiles.insert(ior.profiles.begin(), {0x54414f00, Octets(5, std::byte{0x77})});
  ior.profiles.push_back({1, Octets(3, std::byte{0xff})});
  const EchoClient client;
  const std::string text = iop::to_ior_string(ior);
  const auto echo = client.echo(text);
  CHECK(echo->twice(4) == 8);
  CHECK(client.orb->object_to_string(echo) == text);
}

TEST_CASE("an object is local through each endpoint of its server") {
  TwoEndpoints both;
  auto ior = both.ior();
  ior.profiles.erase(ior.profiles.begin());
  stub::interface_traits<Echo>::unchecked_narrow(
      both.server.orb->string_to_object(iop::to_ior_string(ior)))
      ->stop();
  CHECK(both.peer.empty());
}

TEST_CASE("a corbaloc URL can name a socket file") {
  TwoEndpoints both;
  const auto profile = both.ior().profiles[1];
  const auto body = transport::make_local_codec()->decode(profile, {}).value();
  const EchoClient client;
  client
      .echo("corbaloc:uiop:1.2@" + both.folder.file("s") + "|" + iop::escape_key(body.object_key))
      ->stop();
  CHECK(both.peer.starts_with(both.uiop()));
}

TEST_CASE("Perigee's clients also use an address that is published for omniORB") {
  TwoEndpoints both("?publish=omniorb");
  const EchoClient client;
  client.echo(both.server.reference)->stop();
  CHECK(both.peer.starts_with(both.uiop()));
}

// omniORB reads the first IIOP profile only (interop fact 57 of docs/interop.md).
TEST_CASE("the socket for omniORB is in the only IIOP profile, whatever the order of endpoints") {
  const TemporaryFolder folder;
  const std::string socket = "uiop://" + folder.file("s") + "?publish=omniorb";
  const std::string second = "uiop://" + folder.file("t") + "?publish=omniorb";
  const std::string tcp = "iiop://127.0.0.1:0";
  for (const auto& [endpoints, has_port] :
       {std::pair{socket + ";" + tcp, true}, std::pair{tcp + ";" + socket, true},
        std::pair{socket + ";" + second + ";" + tcp, true}, std::pair{socket, false},
        std::pair{socket + ";" + second, false}}) {
    CAPTURE(endpoints);
    const EchoServer server({}, endpoints);
    const auto ior = iop::parse_ior_string(server.reference).value();
    REQUIRE(ior.profiles.size() == 1);
    const auto profile = iop::decode_iiop_profile(ior.profiles[0]).value();
    CHECK((profile.port != 0) == has_port);
    CHECK(std::ranges::count(profile.components, iop::tag_omniorb_unix_address,
                             &iop::TaggedComponent::tag) == std::ranges::count(endpoints, '?'));
  }
}

TEST_CASE("IIOP 1.0 cannot carry the socket for omniORB: the socket has its own profile") {
  const TemporaryFolder folder;
  const EchoServer server({"-ORBGiopVersion", "1.0"},
                          "iiop://127.0.0.1:0;uiop://" + folder.file("s") + "?publish=omniorb");
  const auto ior = iop::parse_ior_string(server.reference).value();
  REQUIRE(ior.profiles.size() == 2);
  CHECK(ior.profiles[1].tag == transport::tag_perigee_local);
}

TEST_CASE("servers under every strategy serve socket files, and remove them at the end") {
  for (const char* strategy :
       {"auto", "thread-per-connection", "reactive", "thread-pool", "reactor-per-core"}) {
    CAPTURE(strategy);
    const TemporaryFolder folder;
    {
      EchoServer server({"-ORBThreadStrategy", strategy}, "uiop://" + folder.file("s"));
      const EchoClient client;
      CHECK(client.echo(server.reference)->twice(21) == 42);
      CHECK(std::filesystem::exists(folder.file("s")));
    }
    CHECK_FALSE(std::filesystem::exists(folder.file("s")));
  }
}

}  // namespace perigee::test
