// Whole ORBs over shared memory: the choice of the address, the fallback, and large messages.
#include "runtime/process.h"
#include "support/hostile_rings.h"
#include "support/temporary_folder.h"
#include <perigee/iop/ior.h>
#include <perigee/ipc/uring.h>
#include <perigee/poa/peer_current.h>
#include <perigee/transport/shared_memory.h>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::test {
namespace {

/// An Echo server at shared memory, a socket file and a TCP port. Its servant records the caller of
/// `stop`.
struct ThreeEndpoints {
  explicit ThreeEndpoints(std::vector<std::string> options = {})
      : server(std::move(options), "shmiop://" + folder.file("memory") + ";uiop://" +
                                       folder.file("socket") + ";iiop://127.0.0.1:0") {
    const auto current =
        IDL::traits<PeerCurrent>::narrow(server.orb->resolve_initial_references("PeerCurrent"));
    server.servant->on_stop = [this, current] {
      peer = current->peer();
      identity = current->identity();
    };
  }
  ~ThreeEndpoints() { server.servant->on_stop = nullptr; }
  ThreeEndpoints(const ThreeEndpoints&) = delete;
  ThreeEndpoints& operator=(const ThreeEndpoints&) = delete;

  TemporaryFolder folder;
  EchoServer server;
  std::string peer;
  std::optional<PeerIdentity> identity;
};

OctetVector octets_of_size(std::size_t size) {
  OctetVector data(size);
  for (std::size_t index = 0; index < size; ++index)
    data[index] = static_cast<std::uint8_t>(index * 31 + size);
  return data;
}

/// A limit of this process, restored by the destructor.
class Limit {
 public:
  Limit(decltype(RLIMIT_FSIZE) kind, rlim_t value) : kind_(kind) {
    REQUIRE(::getrlimit(kind_, &before_) == 0);
    const rlimit now{value, before_.rlim_max};
    REQUIRE(::setrlimit(kind_, &now) == 0);
  }
  ~Limit() { (void)::setrlimit(kind_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  const decltype(RLIMIT_FSIZE) kind_;
  rlimit before_{};
};

}  // namespace

TEST_CASE(
    "a client uses shared memory if its profile is first; the servant gets the client's identity") {
  ThreeEndpoints three;
  const auto ior = iop::parse_ior_string(three.server.reference).value();
  REQUIRE(ior.profiles.size() == 3);
  CHECK(ior.profiles[0].tag == transport::tag_perigee_shared_memory);
  const EchoClient client;
  client.echo(three.server.reference)->stop();
  CHECK(three.peer ==
        "shmiop://" + three.folder.file("memory") + "?pid=" + std::to_string(::getpid()));
  CHECK(three.identity == PeerIdentity{::getpid(), ::geteuid(), ::getegid()});
}

TEST_CASE("a client that cannot make shared memory uses the next address") {
  ThreeEndpoints three;
  const Limit files(RLIMIT_FSIZE, 4096);
  const EchoClient client;
  client.echo(three.server.reference)->stop();
  CHECK(three.peer.starts_with("uiop://"));
}

TEST_CASE("a corbaloc URL can name shared memory") {
  ThreeEndpoints three;
  const auto key = [&three] {
    const auto ior = iop::parse_ior_string(three.server.reference).value();
    const auto body = transport::make_shared_memory_codec()->decode(ior.profiles[0], {}).value();
    return std::string(reinterpret_cast<const char*>(body.object_key.data()),
                       body.object_key.size());
  }();
  std::string escaped;
  for (const char each : key) {
    constexpr const char* digits = "0123456789abcdef";
    const auto octet = static_cast<unsigned char>(each);
    escaped += {'%', digits[octet / 16], digits[octet % 16]};
  }
  const EchoClient client;
  client.echo("corbaloc:shmiop:1.2@" + three.folder.file("memory") + "|" + escaped)->stop();
  CHECK(three.peer.starts_with("shmiop://"));
}

TEST_CASE("a hostile client does not stop a server from serving others or from shutting down") {
  for (const char* strategy :
       {"auto", "thread-per-connection", "thread-pool", "reactive", "reactor-per-core"}) {
    CAPTURE(strategy);
    ThreeEndpoints three({"-ORBThreadStrategy", strategy});
    auto made = transport::shared_memory::Rings::make(RawRings::size).value();
    const int handle = made.memory.get();
    const auto hostile = raw_client(three.folder.file("memory"));
    say_hello(hostile, {.ring_size = RawRings::size}, {&handle, 1});
    std::byte answer{};
    CHECK(ipc::io::recv(hostile.handle(), {&answer, 1}, ipc::forever).count == 1);
    const Scribbler scribbler(made.rings, 20);
    const EchoClient client;
    const auto echo = client.echo(three.server.reference);
    for (std::int32_t call = 0; call < 100; ++call) CHECK(echo->twice(call) == 2 * call);
    echo->stop();
    CHECK(three.peer.starts_with("shmiop://"));
    three.server.servant->on_stop = nullptr;
    three.server.stop();
    CHECK(three.server.orb == nullptr);
  }
}

// io_uring reports that a handle is readable and that it is writable in separate events.
TEST_CASE("large replies are sent on a reactor that uses io_uring") {
  if (!ipc::uring::available()) return;
  for (const char* strategy : {"reactive", "thread-pool", "reactor-per-core"}) {
    CAPTURE(strategy);
    const ThreeEndpoints three({"-ORBThreadStrategy", strategy, "-ORBPoller", "uring"});
    const EchoClient client;
    const auto echo = client.echo(three.server.reference);
    const OctetVector data = octets_of_size(3'000'000);
    for (int call = 0; call < 5; ++call) CHECK((echo->same(data) == data));
  }
}

TEST_CASE("messages of all sizes cross in both directions at once, under every strategy") {
  for (const char* strategy :
       {"auto", "thread-per-connection", "thread-pool", "reactive", "reactor-per-core"}) {
    CAPTURE(strategy);
    const ThreeEndpoints three({"-ORBThreadStrategy", strategy});
    const EchoClient client;
    const auto echo = client.echo(three.server.reference);
    for (const std::size_t size : {0u, 1u, 1000u, 1024u, 5000u, 262'100u, 262'144u, 3'000'000u}) {
      CAPTURE(size);
      const OctetVector data = octets_of_size(size);
      CHECK((echo->same(data) == data));
    }
    std::vector<std::jthread> callers;
    std::atomic<int> wrong{0};
    for (std::size_t caller = 0; caller < 4; ++caller)
      callers.emplace_back([&, caller] {
        for (std::size_t call = 0; call < 20; ++call) {
          const OctetVector data = octets_of_size(caller * 200'000 + call * 7000);
          if (echo->same(data) != data) ++wrong;
        }
      });
    callers.clear();
    CHECK(wrong == 0);
  }
}

}  // namespace perigee::test
