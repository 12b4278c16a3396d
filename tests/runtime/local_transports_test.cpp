// Servers that listen for their own host by themselves (-ORBLocalTransports), and the protocols
// that clients then use.
#include "runtime/process.h"
#include "support/log_lines.h"
#include "support/temporary_folder.h"
#include <perigee/iop/ior.h>
#include <perigee/ipc/lsock.h>
#include <perigee/orb/protocol_policies.h>
#include <perigee/orb/protocols.h>
#include <perigee/poa/peer_current.h>
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

using Tags = std::vector<std::uint32_t>;

constexpr std::uint32_t iiop = iop::tag_internet_iop;
constexpr std::uint32_t uiop = transport::tag_perigee_local;
constexpr std::uint32_t shmiop = transport::tag_perigee_shared_memory;

/// The folder of this user's sockets: /run/perigee for root, else a folder of the test.
class SocketFolder {
 public:
  SocketFolder() {
    if (const char* const before = std::getenv(variable)) before_ = before;
    ::setenv(variable, parent_.path().c_str(), 1);
  }
  ~SocketFolder() {
    if (before_)
      ::setenv(variable, before_->c_str(), 1);
    else
      ::unsetenv(variable);
  }
  SocketFolder(const SocketFolder&) = delete;
  SocketFolder& operator=(const SocketFolder&) = delete;

  [[nodiscard]] std::string path() const {
    return ::geteuid() == 0 ? "/run/perigee" : parent_.file("perigee");
  }
  /// The sockets of this process.
  [[nodiscard]] std::vector<std::string> sockets() const {
    std::vector<std::string> names;
    if (!std::filesystem::exists(path())) return names;
    for (const auto& entry : std::filesystem::directory_iterator(path()))
      if (entry.path().filename().string().starts_with(std::to_string(::getpid()) + '-'))
        names.push_back(entry.path());
    return names;
  }
  [[nodiscard]] const TemporaryFolder& parent() const noexcept { return parent_; }

 private:
  static constexpr const char* variable = "XDG_RUNTIME_DIR";
  TemporaryFolder parent_;
  std::optional<std::string> before_;
};

Tags tags_of(const std::string& reference) {
  const iop::Ior ior = iop::parse_ior_string(reference).value();
  Tags tags;
  for (const auto& profile : ior.profiles) tags.push_back(profile.tag);
  return tags;
}

/// A server with a TCP port, whose servant records the protocol of the last call of `stop`.
struct Server {
  explicit Server(std::vector<std::string> options = {"-ORBLocalTransports", "auto"},
                  const std::string& endpoints = "iiop://127.0.0.1:0")
      : echo(std::move(options), endpoints) {
    const auto current =
        IDL::traits<PeerCurrent>::narrow(echo.orb->resolve_initial_references("PeerCurrent"));
    echo.servant->on_stop = [this, current] { peer = current->peer(); };
  }
  ~Server() { echo.servant->on_stop = nullptr; }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] Tags tags() const { return tags_of(echo.reference); }
  /// The protocol over which this client calls.
  [[nodiscard]] std::string way(const Echo::Ref& reference) {
    reference->stop();
    return peer.substr(0, peer.find(':'));
  }
  [[nodiscard]] std::string way(const EchoClient& client) {
    return way(client.echo(echo.reference));
  }

  EchoServer echo;
  std::string peer;
};

/// A limit of this process, restored by the destructor.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t value) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit now{value, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &now) == 0);
  }
  ~FileSizeLimit() { (void)::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a server at a TCP port also listens for its own host, and clients use shared memory") {
  const SocketFolder folder;
  Server server;
  CHECK(server.tags() == Tags{iiop, shmiop, uiop});
  CHECK(folder.sockets().size() == 2);
  const EchoClient client;
  CHECK(server.way(client) == "shmiop");
  CHECK(server.peer.starts_with("shmiop://" + folder.path() + '/'));
}

TEST_CASE("the option chooses the protocols for the own host, and their order") {
  const SocketFolder folder;
  const auto tags = [](const char* value) { return Server({"-ORBLocalTransports", value}).tags(); };
  CHECK(tags("none") == Tags{iiop});
  CHECK(tags("uiop") == Tags{iiop, uiop});
  CHECK(tags("shmiop") == Tags{iiop, shmiop});
  CHECK(tags("uiop,shmiop,uiop") == Tags{iiop, uiop, shmiop});
}

TEST_CASE("a protocol with a listed endpoint gets no second endpoint") {
  const SocketFolder folder;
  const TemporaryFolder files;
  const Server server({"-ORBLocalTransports", "auto"},
                      "uiop://" + files.file("s") + ";iiop://127.0.0.1:0");
  CHECK(server.tags() == Tags{uiop, iiop, shmiop});
  CHECK(folder.sockets().size() == 1);
}

TEST_CASE("a server without a TCP port, and a client, make no sockets for their own host") {
  const SocketFolder folder;
  const TemporaryFolder files;
  const Server server({"-ORBLocalTransports", "auto"}, "uiop://" + files.file("s"));
  CHECK(server.tags() == Tags{uiop});
  const EchoClient client({"-ORBLocalTransports", "auto"});
  client.echo(server.echo.reference)->ping();
  CHECK(folder.sockets().empty());
  if (::geteuid() != 0) CHECK_FALSE(std::filesystem::exists(folder.path()));
}

TEST_CASE("the sockets for the own host are open to all users if root listens, else to one user") {
  const SocketFolder folder;
  const Server server;
  for (const std::string& path : folder.sockets()) {
    struct stat status{};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == (::geteuid() == 0 ? 0666 : 0600));
  }
}

TEST_CASE("the sockets for the own host are removed when the ORB is shut down") {
  const SocketFolder folder;
  {
    const Server one;
    const Server other;
    CHECK(folder.sockets().size() == 4);
  }
  CHECK(folder.sockets().empty());
}

TEST_CASE("a server removes the sockets of killed servers") {
  const SocketFolder folder;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  std::string stale;
  {
    const Server first;  // makes the folder
    stale = folder.path() + '/' + std::to_string(child) + "-0123456789abcdef";
    REQUIRE(ipc::lsock::Acceptor::open(*ipc::UnixAddr::path(stale)).has_value());
  }
  const Server second;
  CHECK_FALSE(std::filesystem::exists(stale));
}

TEST_CASE("references are equivalent if one address is the same: sockets have new names") {
  const SocketFolder folder;
  const Server server;
  const EchoClient client;
  const auto whole = client.orb->string_to_object(server.echo.reference);
  iop::Ior ior = iop::parse_ior_string(server.echo.reference).value();
  ior.profiles.resize(1);
  const auto tcp_only = client.orb->string_to_object(iop::to_ior_string(ior));
  CHECK(whole->_is_equivalent(tcp_only));
  CHECK(tcp_only->_is_equivalent(whole));
  CHECK(whole->_hash(1000) == tcp_only->_hash(1000));
  const Server other;
  CHECK_FALSE(whole->_is_equivalent(client.orb->string_to_object(other.echo.reference)));
}

TEST_CASE("a server whose runtime folder is not safe works over TCP, and says so in the log") {
  if (::geteuid() == 0) return;  // root's folder is that of the system
  const SocketFolder folder;
  REQUIRE(::chmod(folder.parent().path().c_str(), 0770) == 0);
  LogLines lines(log::Level::info);
  Server server;
  CHECK(server.tags() == Tags{iiop});
  for (const char* scheme : {"shmiop", "uiop"})
    CHECK(lines.have(std::string("server: does not listen at ") + scheme +
                     " for clients of this host: listen " + scheme + ":// (the folder " +
                     folder.path() + "): Operation not permitted"));
}

TEST_CASE("a TCP endpoint that is opened later also opens the endpoints for the own host") {
  const SocketFolder folder;
  const TemporaryFolder files;
  const Server server({"-ORBLocalTransports", "auto"}, "diop://127.0.0.1:0");
  CHECK(folder.sockets().empty());
  REQUIRE(listen(*server.echo.orb, {"iiop", "127.0.0.1:0"}).has_value());
  CHECK(folder.sockets().size() == 2);
  REQUIRE(listen(*server.echo.orb, {"iiop", "127.0.0.1:0"}).has_value());
  CHECK(folder.sockets().size() == 2);
}

TEST_CASE("an endpoint of uiop without an address gets a socket in the runtime folder") {
  const SocketFolder folder;
  const Server server({}, "uiop://");
  CHECK(server.tags() == Tags{uiop});
  CHECK(folder.sockets().size() == 1);
}

TEST_CASE("an unloaded protocol loses its socket for the own host") {
  const SocketFolder folder;
  Server server;
  REQUIRE(unload(*server.echo.orb, "shmiop"));
  CHECK(folder.sockets().size() == 1);
  const EchoClient client;
  CHECK(server.way(client.echo(server.echo.orb->object_to_string(server.echo.object))) == "uiop");
}

TEST_CASE("a protocol policy of the client overrides the distance") {
  const SocketFolder folder;
  Server server;
  LogLines lines(log::Level::info);
  const EchoClient client;
  const auto rt =
      IDL::traits<RTCORBA::RTORB>::narrow(client.orb->resolve_initial_references("RTORB"));
  const auto with = [&](const std::vector<std::uint32_t>& tags) {
    RTCORBA::ProtocolList protocols;
    for (const std::uint32_t tag : tags) protocols.push_back({tag, nullptr, nullptr});
    return stub::interface_traits<Echo>::unchecked_narrow(
        client.echo(server.echo.reference)
            ->_set_policy_overrides({rt->create_client_protocol_policy(protocols)},
                                    CORBA::SetOverrideType::SET_OVERRIDE));
  };
  CHECK(server.way(with({iiop})) == "iiop");
  CHECK(server.way(with({uiop, shmiop})) == "uiop");
  CHECK(server.way(with({shmiop, iiop})) == "shmiop");
}

TEST_CASE("the log says once for each connection which near address a client uses") {
  const SocketFolder folder;
  Server server;
  LogLines lines(log::Level::info);
  const EchoClient client;
  const auto echo = client.echo(server.echo.reference);
  for (int call = 0; call < 3; ++call) echo->ping();
  CHECK(count_of("orb: connected to shmiop://" + folder.path() + '/', lines.text()) == 1);
  CHECK(lines.have(": it is on this host, so it is tried before addresses in the network"));
}

TEST_CASE("a client that cannot make shared memory uses the socket, with one line in the log") {
  const SocketFolder folder;
  Server server;
  LogLines lines(log::Level::info);
  const FileSizeLimit limit(4096);
  const EchoClient client;
  for (int call = 0; call < 3; ++call) CHECK(server.way(client) == "uiop");
  CHECK(count_of("File too large; the call tries the next address", lines.text()) == 1);
}

TEST_CASE("a client that can reach no socket of the server uses TCP within the same call") {
  const SocketFolder folder;
  Server server;
  for (const std::string& socket : folder.sockets()) std::filesystem::remove(socket);
  const EchoClient client;
  CHECK(server.way(client) == "iiop");
}

TEST_CASE("a server refuses more connections of shared memory than its limit at once") {
  const SocketFolder folder;
  Server server({"-ORBLocalTransports", "auto", "-ORBSharedMemoryConnectionsMax", "2"});
  LogLines lines(log::Level::info);
  auto first = std::make_unique<EchoClient>();
  const EchoClient second;
  const EchoClient third;
  CHECK(server.way(*first) == "shmiop");
  CHECK(server.way(second) == "shmiop");
  CHECK(server.way(third) == "uiop");
  CHECK(lines.have("the server has -ORBSharedMemoryConnectionsMax connections already"));
}

TEST_CASE("with a limit of 0, a server accepts no connections of shared memory") {
  const SocketFolder folder;
  Server server({"-ORBLocalTransports", "auto", "-ORBSharedMemoryConnectionsMax", "0"});
  const EchoClient client;
  CHECK(server.way(client) == "uiop");
}

TEST_CASE("an unknown protocol for the own host is an error") {
  CHECK_THROWS_WITH_AS(make_orb({"-ORBLocalTransports", "uiop,tcp"}),
                       doctest::Contains("auto, none, or a list of shmiop and uiop is needed"),
                       CORBA::BAD_PARAM);
}

}  // namespace perigee::test
