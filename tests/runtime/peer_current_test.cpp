// PeerCurrent: a servant sees its caller.
#include "runtime/process.h"
#include <perigee/poa/peer_current.h>

#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace perigee::test {
namespace {

using PeerCurrentRef = CORBA::object_reference<PeerCurrent>;

PeerCurrentRef peer_current(const OrbRef& orb) {
  return IDL::traits<PeerCurrent>::narrow(orb->resolve_initial_references("PeerCurrent"));
}

/// What a servant has seen of its caller.
struct Seen {
  std::string peer = "nothing";
  std::optional<PeerIdentity> identity;
};

/// Makes the servant read PeerCurrent in the call `stop`.
void look_in_upcalls(EchoServer& server, Seen& seen) {
  server.servant->on_stop = [&seen, current = peer_current(server.orb)] {
    seen = {current->peer(), current->identity()};
  };
}

TEST_CASE("a servant sees the address of a caller over TCP, but no identity") {
  for (const char* strategy :
       {"auto", "thread-per-connection", "reactive", "thread-pool", "reactor-per-core"}) {
    CAPTURE(strategy);
    EchoServer server({"-ORBThreadStrategy", strategy});
    Seen seen;
    look_in_upcalls(server, seen);
    const EchoClient client;
    client.echo(server.reference)->stop();
    CHECK(seen.peer.starts_with("iiop://127.0.0.1:"));
    CHECK_FALSE(seen.identity.has_value());
    server.servant->on_stop = nullptr;
  }
}

TEST_CASE("a call within the process has no peer address") {
  EchoServer server;
  Seen seen;
  look_in_upcalls(server, seen);
  stub::interface_traits<Echo>::narrow(server.object)->stop();
  CHECK(seen.peer.empty());
  CHECK_FALSE(seen.identity.has_value());
  server.servant->on_stop = nullptr;
}

TEST_CASE("outside upcalls PeerCurrent has no context") {
  EchoServer server;
  const auto current = peer_current(server.orb);
  CHECK_THROWS_AS((void)current->peer(), PortableServer::Current::NoContext);
  CHECK_THROWS_AS((void)current->identity(), PortableServer::Current::NoContext);
}

}  // namespace
}  // namespace perigee::test
