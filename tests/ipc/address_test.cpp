// Addresses as values: parsing at compile time, text, classification; and the resolver.
#include <perigee/base/octets.h>
#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/system_calls.h>
#include <perigee/ipc/unix_addr.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

namespace perigee::ipc {
namespace {

// These expressions are constant.
static_assert(InetAddr{} == InetAddr::any(0));
static_assert(InetAddr::parse("127.0.0.1:2809") == InetAddr::loopback(2809));
static_assert(InetAddr::parse("[::1]:2809") == InetAddr::loopback_v6(2809));
static_assert(!InetAddr::parse("localhost:1"));
static_assert(UnixAddr::path("/tmp/socket")->name() == "/tmp/socket");
static_assert(UnixAddr::parse("@name")->kind() == UnixAddr::Kind::abstract);

TEST_CASE("a parsed numeric address has a canonical text") {
  const auto round_trip = [](std::string_view text) {
    const auto address = InetAddr::parse(text);
    return address ? to_string(*address) : "none";
  };
  CHECK(round_trip("0.0.0.0:0") == "0.0.0.0:0");
  CHECK(round_trip("255.255.255.255:65535") == "255.255.255.255:65535");
  CHECK(round_trip("[::]:1") == "[::]:1");
  CHECK(round_trip("[2001:DB8:0:0:0:0:0:1]:80") == "[2001:db8::1]:80");
  CHECK(round_trip("[1:2:3:4:5:6:7:8]:80") == "[1:2:3:4:5:6:7:8]:80");
  CHECK(round_trip("[1::]:80") == "[1::]:80");
  CHECK(round_trip("[1:2:3:4:5:6:7::]:80") == "[1:2:3:4:5:6:7:0]:80");
  CHECK(round_trip("[::ffff:10.0.0.1]:80") == "[::ffff:10.0.0.1]:80");
  CHECK(round_trip("[64:ff9b::10.0.0.1]:80") == "[64:ff9b::a00:1]:80");
}

TEST_CASE("text without a numeric address is refused") {
  for (const std::string_view text : {"",
                                      ":",
                                      ":80",
                                      "1.2.3.4",
                                      "1.2.3:80",
                                      "1.2.3.4.5:80",
                                      "1.2.3.256:80",
                                      "01.2.3.4:80",
                                      "1..3.4:80",
                                      "1.2.3.4:",
                                      "1.2.3.4:65536",
                                      "1.2.3.4:-1",
                                      "1.2.3.4: 1",
                                      "1.2.3.4:000080",
                                      "[::1]",
                                      "[::1]:",
                                      "[::1",
                                      "[]:80",
                                      "::1:80",
                                      "[::1]x:80",
                                      "[1:2:3:4:5:6:7]:80",
                                      "[1:2:3:4:5:6:7:8:9]:80",
                                      "[1::2::3]:80",
                                      "[:::]:80",
                                      "[12345::]:80",
                                      "[g::]:80",
                                      "[1:2:3:4:5:6:7:8::]:80",
                                      "[::1.2.3]:80",
                                      "[1.2.3.4::]:80",
                                      "[1:]:80",
                                      "[:1]:80",
                                      "[1:2:3:4:5:6:7:1.2.3.4]:80",
                                      "[::1:]:80"}) {
    CAPTURE(text);
    CHECK_FALSE(InetAddr::parse(text).has_value());
  }
}

TEST_CASE("host and port are parsed, with or without each part") {
  CHECK(split_host_port("host:80")->host == "host");
  CHECK(split_host_port("host:80")->port == 80);
  CHECK(split_host_port("host")->host == "host");
  CHECK_FALSE(split_host_port("host")->port.has_value());
  CHECK(split_host_port(":80")->host.empty());
  CHECK(split_host_port("")->host.empty());
  CHECK(split_host_port("[fe80::1%eth0]:80")->host == "fe80::1%eth0");
  CHECK_FALSE(split_host_port("::1").has_value());
  CHECK_FALSE(split_host_port("host:").has_value());
  CHECK_FALSE(split_host_port("host:80:90").has_value());
}

TEST_CASE("an address is recognised as any, loopback or link-local") {
  CHECK(InetAddr::any().is_any());
  CHECK(InetAddr::any_v6().is_any());
  CHECK_FALSE(InetAddr::loopback().is_any());
  CHECK(InetAddr::loopback().is_loopback());
  CHECK(InetAddr::v4({127, 1, 2, 3}, 0).is_loopback());
  CHECK(InetAddr::loopback_v6().is_loopback());
  CHECK(InetAddr::parse("169.254.1.1:0")->is_link_local());
  CHECK(InetAddr::parse("[fe80::1]:0")->is_link_local());
  CHECK_FALSE(InetAddr::parse("[fec0::1]:0")->is_link_local());
  CHECK(InetAddr::parse("[::ffff:127.0.0.1]:9")->unmapped() == InetAddr::loopback(9));
  CHECK(InetAddr::loopback_v6(9).unmapped() == InetAddr::loopback_v6(9));
  CHECK(InetAddr::loopback(1).with_port(2) == InetAddr::loopback(2));
}

TEST_CASE("local addresses are limited to the size that the system allows") {
  const std::string longest(UnixAddr::name_size_max, 'x');
  CHECK(UnixAddr::path(longest)->name() == longest);
  CHECK_FALSE(UnixAddr::path(longest + "x").has_value());
  CHECK_FALSE(UnixAddr::path("").has_value());
  CHECK_FALSE(UnixAddr::path(std::string_view("a\0b", 3)).has_value());
  CHECK(UnixAddr::abstract(std::string_view("a\0b", 3))->name().size() == 3);
  CHECK(to_string(*UnixAddr::parse("@name")) == "@name");
  CHECK(to_string(*UnixAddr::parse("/path")) == "/path");
  CHECK(to_string(UnixAddr{}).empty());
}

TEST_CASE("numeric addresses resolve to themselves") {
  CHECK(resolve("127.0.0.1:80").value() == std::vector{InetAddr::loopback(80)});
  CHECK(resolve("[::1]:80").value() == std::vector{InetAddr::loopback_v6(80)});
}

TEST_CASE("localhost resolves to loopback addresses with the port, each address once") {
  auto addresses = resolve("localhost", 1234).value();
  CHECK(std::ranges::all_of(addresses, [](const auto& address) {
    return address.is_loopback() && address.port() == 1234;
  }));
  std::ranges::sort(addresses);
  CHECK(std::ranges::adjacent_find(addresses) == addresses.end());
}

TEST_CASE("an impossible name is an error of the resolver, a malformed address invalid_argument") {
  const auto unknown = resolve("no such host", 1);
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().category() == resolver_category());
  CHECK_FALSE(unknown.error().message().empty());
  CHECK(resolve("host").error() == std::errc::invalid_argument);
  CHECK(resolve(":80").error() == std::errc::invalid_argument);
}

TEST_CASE("the primary address belongs to this host and accepts connections") {
  const auto primary = primary_address();
  CHECK_FALSE(primary.is_any());
  CHECK_FALSE(primary.is_link_local());
  const auto all = interface_addresses().value();
  CHECK(std::ranges::find(all, primary) != all.end());
}

TEST_CASE("spans have the layout of the system's vectors") {
  std::array<std::byte, 3> octets{};
  const std::array<MutableOctetSpan, 2> spans{MutableOctetSpan(octets),
                                              MutableOctetSpan(octets).last(1)};
  const auto vectors = std::bit_cast<std::array<system_calls::Vector, 2>>(spans);
  CHECK(vectors[0].data == octets.data());
  CHECK(vectors[0].size == 3);
  CHECK(vectors[1].data == octets.data() + 2);
  CHECK(vectors[1].size == 1);
}

}  // namespace
}  // namespace perigee::ipc
