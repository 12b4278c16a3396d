// The listen points that a server accepts, and the connections that it finds by them.
#include "orb/bidirectional/listen_point_table.h"

#include "orb/bidirectional/listen_point_trust.h"
#include "support/ended_transport.h"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace perigee;
using transport::Endpoint;

namespace {

struct Peer {
  void add_reference() noexcept { ++references; }
  void drop_reference() noexcept { --references; }
  [[nodiscard]] bool ending() const noexcept { return is_ending; }
  std::atomic<int> references{1};
  std::atomic<bool> is_ending{false};
};

using Table = orb::ListenPointTable<Peer>;
using Added = Table::Added;

const Endpoint first_point{"iiop", "127.0.0.1:1"};
const Endpoint second_point{"iiop", "127.0.0.1:2"};

/// The endpoint of a listen point, or nothing if the ORB does not believe the listen point. `peer`
/// is the name that the connection's transport gives its peer.
std::optional<Endpoint> believed_endpoint(const std::string& peer, const iop::ListenPoint& point) {
  return orb::believed_endpoint(test::EndedTransport(peer), point);
}

}  // namespace

TEST_CASE("a listen point leads to the peer that announced it, with a reference") {
  Table table(2);
  Peer peer;
  CHECK(table.find(first_point) == nullptr);
  CHECK(table.add(peer, first_point) == Added::yes);
  CHECK(table.add(peer, first_point) == Added::known);
  CHECK(table.find(first_point) == &peer);
  CHECK(peer.references == 2);
  table.forget(peer);
  CHECK(table.find(first_point) == nullptr);
  CHECK(table.size() == 0);
}

TEST_CASE("a peer cannot have more listen points than allowed") {
  Table table(1);
  Peer peer;
  CHECK(table.add(peer, first_point) == Added::yes);
  CHECK(table.add(peer, second_point) == Added::full);
  CHECK(table.size() == 1);
}

TEST_CASE("a listen point stays with its first peer until that peer has ended") {
  Table table(2);
  Peer first;
  Peer second;
  CHECK(table.add(first, first_point) == Added::yes);
  CHECK(table.add(second, first_point) == Added::yes);
  CHECK(table.find(first_point) == &first);
  table.forget(first);
  CHECK(table.find(first_point) == &second);
  table.forget(second);
  CHECK(table.size() == 0);
}

TEST_CASE("a peer that announces its point again comes after the other peers of the point") {
  Table table(2);
  Peer first;
  Peer second;
  for (Peer* each : {&first, &second}) CHECK(table.add(*each, first_point) == Added::yes);
  CHECK(table.add(first, second_point) == Added::yes);
  table.forget(first);
  CHECK(table.find(second_point) == nullptr);
  CHECK(table.add(first, first_point) == Added::yes);
  CHECK(table.find(first_point) == &second);
}

TEST_CASE("a search for a listen point skips a peer whose connection is ending") {
  Table table(2);
  Peer first;
  Peer second;
  CHECK(table.add(first, first_point) == Added::yes);
  first.is_ending = true;
  CHECK(table.find(first_point) == &first);
  CHECK(table.add(second, first_point) == Added::yes);
  CHECK(table.find(first_point) == &second);
}

TEST_CASE("threads announce, find and forget at the same time") {
  Table table(4);
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&table, number] {
      const Endpoint own{"iiop", "127.0.0.1:" + std::to_string(number)};
      for (int round = 0; round < 1000; ++round) {
        Peer peer;
        CHECK(table.add(peer, own) == Added::yes);
        CHECK(table.find(own) == &peer);
        table.forget(peer);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(table.size() == 0);
}

TEST_CASE("a listen point is believed if it is the numeric address of the other end") {
  CHECK(believed_endpoint("iiop://127.0.0.1:40000", {"127.0.0.1", 5}) ==
        Endpoint{"iiop", "127.0.0.1:5"});
  CHECK(believed_endpoint("iiop://[::1]:40000", {"::1", 5}) == Endpoint{"iiop", "[::1]:5"});
}

TEST_CASE("other hosts, names, wildcards and other forms of an address are not believed") {
  const std::string peer = "iiop://127.0.0.1:40000";
  for (const char* host : {"127.0.0.2", "localhost", "0.0.0.0", "::", "", "127.0.0.1:40000",
                           "127.1", "::ffff:127.0.0.1", "127.0.0.1 "}) {
    CAPTURE(host);
    CHECK_FALSE(believed_endpoint(peer, {host, 5}).has_value());
  }
  CHECK_FALSE(believed_endpoint(peer, {"127.0.0.1", 0}).has_value());
  CHECK_FALSE(believed_endpoint("iiop://[::1]:4", {"[::1]", 5}).has_value());
}

TEST_CASE("listen points on connections without an address or a trust rule are not believed") {
  for (const char* peer : {"uiop:///run/x", "uiop://", "iiop://", "iiop:", "", "://127.0.0.1:4",
                           "127.0.0.1:4", "brief://127.0.0.1:4", "diop://127.0.0.1:4"}) {
    CAPTURE(peer);
    CHECK_FALSE(believed_endpoint(peer, {"127.0.0.1", 5}).has_value());
    CHECK_FALSE(believed_endpoint(peer, {"", 5}).has_value());
  }
}
