// Broadcast and multicast between two hosts with two links between them. Run by in_two_hosts.
#include "support/octets.h"
#include <perigee/ipc/families.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using perigee::test::octets;
using sock::DgramBcast;
using sock::DgramMcast;

/// During its life, new sockets of this thread are on the far host.
class OnFarHost {
 public:
  OnFarHost() {
    const Handle far(::open("/run/netns/far", O_RDONLY | O_CLOEXEC));
    if (::setns(far.get(), CLONE_NEWNET) == -1) throw std::runtime_error("no far host");
  }
  OnFarHost(const OnFarHost&) = delete;
  OnFarHost& operator=(const OnFarHost&) = delete;
  ~OnFarHost() { static_cast<void>(::setns(near_.get(), CLONE_NEWNET)); }

 private:
  Handle near_{::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)};
};

template <typename Socket, typename... Arguments>
Socket on_far_host(Arguments... arguments) {
  const OnFarHost there;
  return Socket::open(arguments...).value();
}

Interface far_interface(const char* name) {
  const OnFarHost there;
  return Interface::named(name).value();
}

Interface near_interface(const char* name) { return Interface::named(name).value(); }

/// The first octet of a datagram, and its sender.
struct Heard {
  int octet;
  std::string from;
  friend auto operator<=>(const Heard&, const Heard&) = default;
};
template <DatagramReceiver Socket>
Heard heard(Socket& socket) {
  std::array<std::byte, 10> space;
  const auto got = socket.recv_from(space, 10s).value();
  return {std::to_integer<int>(space[0]), got.sender.host()};
}
template <DatagramReceiver Socket>
bool hears_nothing(Socket& socket) {
  std::array<std::byte, 10> space;
  return socket.recv_from(space, no_wait).error() == std::errc::operation_would_block;
}

TEST_CASE("a broadcast reaches all hosts on the links of all interfaces, once on each link") {
  auto receiver = on_far_host<DgramBcast>(InetAddr::any());
  const auto port = receiver.local_address().value().port();
  auto sender = DgramBcast::open(InetAddr::any()).value();
  CHECK(sender.interfaces().size() == 2);
  CHECK(sender.send(octets(7), port).value() == 2);
  const std::set got{heard(receiver), heard(receiver)};
  CHECK((got == std::set<Heard>{{7, "10.1.0.1"}, {7, "10.2.0.1"}}));
  CHECK(hears_nothing(receiver));
}

TEST_CASE("a broadcast through one interface stays on its link") {
  auto receiver = on_far_host<sock::Dgram>(InetAddr::any());
  const auto port = receiver.local_address().value().port();
  auto first = DgramBcast::open(InetAddr::any(), near_interface("a0")).value();
  auto second = DgramBcast::open(InetAddr::any(), near_interface("a1")).value();
  CHECK(second.send(octets(1), port).value() == 1);
  CHECK(heard(receiver) == Heard{1, "10.2.0.1"});
  CHECK(first.send(octets(2), port).value() == 1);
  CHECK(heard(receiver) == Heard{2, "10.1.0.1"});
  CHECK(hears_nothing(receiver));
}

/// During its life, this thread is on a host with many links and no other host on them.
class OnLonelyHost {
 public:
  static constexpr std::size_t links = 20;

  OnLonelyHost() {
    if (::unshare(CLONE_NEWNET) == -1) throw std::runtime_error("no other host");
    // The system resolves an unknown address for a long time, and datagrams to it wait.
    const auto command =
        "set -e; for link in $(seq " + std::to_string(links) +
        "); do ip link add c$link type veth peer name d$link; ip addr add 10.9.$link.1/24 dev "
        "c$link; ip link set c$link up; ip link set d$link up; done;"
        "echo 100000 > /proc/sys/net/ipv4/neigh/c1/retrans_time_ms";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("no links");
  }
  OnLonelyHost(const OnLonelyHost&) = delete;
  OnLonelyHost& operator=(const OnLonelyHost&) = delete;
  ~OnLonelyHost() { static_cast<void>(::setns(near_.get(), CLONE_NEWNET)); }

 private:
  Handle near_{::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)};
};

TEST_CASE("the time limit of a broadcast applies to all interfaces together") {
  const OnLonelyHost here;
  auto sender = DgramBcast::open(InetAddr::any(), SendBuffer{1}).value();
  REQUIRE(sender.interfaces().size() == OnLonelyHost::links);
  // Datagrams to an address without a host fill the socket's queue.
  const auto absent_host = InetAddr::v4({10, 9, 1, 2}, 1);
  const Octets datagram(1000);
  while (io::send_to(sender.handle(), datagram, absent_host, no_wait).error == 0) {
  }
  const auto start = std::chrono::steady_clock::now();
  CHECK(sender.send(octets(1), 1, 500ms).error() == std::errc::timed_out);
  CHECK(std::chrono::steady_clock::now() - start < OnLonelyHost::links * 500ms / 2);
}

TEST_CASE("a broadcast uses the interfaces that remain when others are removed") {
  const OnLonelyHost here;
  auto sender = DgramBcast::open(InetAddr::any()).value();
  REQUIRE(std::system("ip link del c1 && ip link del c7") == 0);
  CHECK(sender.send(octets(1), 9).value() == OnLonelyHost::links - 2);
}

TEST_CASE("a broadcast to an impossible destination is an error") {
  CHECK(DgramBcast::open(InetAddr::any_v6()).error() == std::errc::address_family_not_supported);
  auto nowhere = DgramBcast::open(InetAddr::any(), Interface::of_index(4711)).value();
  CHECK(nowhere.send(octets(1), 9).error() == std::errc::no_such_device);
  CHECK(Interface::named("nowhere").error() == std::errc::no_such_device);
  CHECK(DgramBcast().send(octets(1), 9).error() == std::errc::bad_file_descriptor);
}

/// A version of IP, its addresses and a multicast group.
struct OverV4 {
  static constexpr const char* near_host = "10.1.0.1";
  static constexpr const char* near_host_b = "10.2.0.1";
  static InetAddr any(std::uint16_t port = 0) { return InetAddr::any(port); }
  static McastAddr group(std::uint16_t port) {
    return McastAddr::of(InetAddr::v4({239, 1, 2, 3}, port)).value();
  }
  static McastAddr other_group(std::uint16_t port) {
    return McastAddr::of(InetAddr::v4({239, 1, 2, 4}, port)).value();
  }
};
struct OverV6 {
  static constexpr const char* near_host = "2001:db8:1::1";
  static constexpr const char* near_host_b = "2001:db8:2::1";
  static InetAddr any(std::uint16_t port = 0) { return InetAddr::any_v6(port); }
  static McastAddr group(std::uint16_t port) {
    return McastAddr::of(InetAddr::parse_host("ff0e::1:3", port).value()).value();
  }
  static McastAddr other_group(std::uint16_t port) {
    return McastAddr::of(InetAddr::parse_host("ff0e::1:4", port).value()).value();
  }
};
#define BOTH_VERSIONS OverV4, OverV6

/// Sends through one interface of this host.
template <typename Over>
DgramMcast sending_by(const char* interface) {
  return DgramMcast::open(Over::any(), McastInterface{near_interface(interface)}).value();
}

TEST_CASE_TEMPLATE("a member of a group receives datagrams on the link where it joined", Over,
                   BOTH_VERSIONS) {
  auto member = on_far_host<DgramMcast>(Over::any());
  const auto group = Over::group(member.local_address().value().port());
  REQUIRE(member.join(group, far_interface("b0")));
  auto first = sending_by<Over>("a0");
  auto second = sending_by<Over>("a1");
  REQUIRE(second.send_to(octets(1), group));  // not joined on this link
  REQUIRE(first.send_to(octets(2), group));
  CHECK(heard(member) == Heard{2, Over::near_host});
  REQUIRE(member.join(group, far_interface("b1")));
  REQUIRE(second.send_to(octets(3), group));
  CHECK(heard(member) == Heard{3, Over::near_host_b});
  REQUIRE(member.leave(group, far_interface("b0")));
  REQUIRE(first.send_to(octets(4), group));
  REQUIRE(second.send_to(octets(5), group));
  CHECK(heard(member) == Heard{5, Over::near_host_b});
  CHECK(hears_nothing(member));
}

TEST_CASE_TEMPLATE("a socket receives only from the groups that it has joined", Over,
                   BOTH_VERSIONS) {
  auto one = on_far_host<DgramMcast>(Over::any(), ReuseAddress{});
  const auto port = one.local_address().value().port();
  auto other = on_far_host<DgramMcast>(Over::any(port), ReuseAddress{});
  REQUIRE(one.join(Over::group(port), far_interface("b0")));
  REQUIRE(other.join(Over::other_group(port), far_interface("b0")));
  auto sender = sending_by<Over>("a0");
  REQUIRE(sender.send_to(octets(1), Over::group(port)));
  REQUIRE(sender.send_to(octets(2), Over::other_group(port)));
  CHECK(heard(one).octet == 1);
  CHECK(heard(other).octet == 2);
  CHECK(hears_nothing(one));
  CHECK(hears_nothing(other));
}

TEST_CASE_TEMPLATE("the sender's host receives its own multicasts, unless an option forbids it",
                   Over, BOTH_VERSIONS) {
  auto here = DgramMcast::open(Over::any()).value();
  const auto group = Over::group(here.local_address().value().port());
  REQUIRE(here.join(group, near_interface("a0")));
  auto sender = sending_by<Over>("a0");
  CHECK(sender.template get<McastLoop>().value().on);
  REQUIRE(sender.send_to(octets(1), group));
  CHECK(heard(here).octet == 1);
  REQUIRE(sender.set(McastLoop{false}));
  REQUIRE(sender.send_to(octets(2), group));
  REQUIRE(sender.set(McastLoop{true}));
  REQUIRE(sender.send_to(octets(3), group));
  CHECK(heard(here).octet == 3);
}

TEST_CASE_TEMPLATE("multicasts travel as far as their hop limit", Over, BOTH_VERSIONS) {
  auto sender = DgramMcast::open(Over::any()).value();
  CHECK(sender.template get<McastHops>().value().hops == 1);
  REQUIRE(sender.set(McastHops{7}));
  CHECK(sender.template get<McastHops>().value().hops == 7);
  CHECK(sender.set(McastHops{300}).error() == std::errc::invalid_argument);
}

TEST_CASE_TEMPLATE("joining and leaving report errors", Over, BOTH_VERSIONS) {
  auto member = DgramMcast::open(Over::any()).value();
  const auto group = Over::group(9);
  const auto a0 = near_interface("a0");
  CHECK(member.leave(group, a0).error() == std::errc::address_not_available);
  REQUIRE(member.join(group, a0));
  CHECK(member.join(group, a0).error() == std::errc::address_in_use);
  CHECK(member.join(group, Interface::of_index(4711)).error() == std::errc::no_such_device);
  CHECK(member.set(McastInterface{Interface::of_index(4711)}).error().category() ==
        std::system_category());
}

TEST_CASE("a socket for IPv4 cannot join a group of IPv6") {
  auto member = DgramMcast::open(InetAddr::any()).value();
  CHECK_FALSE(member.join(OverV6::group(9), near_interface("a0")));
}

TEST_CASE("a send to an IPv4 group fails without a route and without an interface") {
  auto sender = DgramMcast::open(InetAddr::any()).value();
  CHECK(sender.send_to(octets(1), OverV4::group(9)).error() == std::errc::network_unreachable);
}

TEST_CASE("the interfaces of a host are listed with their capabilities") {
  std::size_t found = 0;
  const auto all = interfaces().value();
  for (const auto& info : all) {
    CHECK(Interface::named(info.name).value() == info.interface);
    CHECK(to_string(info.interface) == info.name);
    if (info.name != "a0" && info.name != "a1") continue;
    ++found;
    CHECK(info.is_up);
    CHECK(info.has_broadcast);
    CHECK(info.has_multicast);
  }
  CHECK(found == 2);
  CHECK(to_string(Interface::any()) == "any");
  CHECK(to_string(Interface::of_index(4711)) == "#4711");
}

TEST_CASE("only a multicast address is a group") {
  CHECK_FALSE(McastAddr::of(InetAddr::loopback(9)));
  CHECK_FALSE(McastAddr::parse("[::1]:9"));
  CHECK_FALSE(McastAddr::parse("239.1.2.3"));
  CHECK(to_string(McastAddr::parse("239.1.2.3:9").value()) == "239.1.2.3:9");
  CHECK(McastAddr::parse("[ff02::1]:9").value().port() == 9);
}

}  // namespace
}  // namespace perigee::ipc
