// corbaloc URLs. CORBA 3.0, 13.6.10.
#include "support/octets.h"
#include <perigee/iop/corbaloc.h>

#include <doctest/doctest.h>

#include <string>

using namespace perigee;
using Reason = iop::ReferenceError::Reason;
using perigee::test::octets;

namespace {

iop::Corbaloc parsed(std::string_view url) {
  const auto corbaloc = iop::parse_corbaloc(url);
  if (!corbaloc) FAIL(corbaloc.error().text);
  return *corbaloc;
}

iop::ObjectKey key(std::string_view text) {
  const OctetSpan view = octets_of(text);
  return {view.begin(), view.end()};
}

Reason reason_of(std::string_view url) {
  CAPTURE(url);
  const auto corbaloc = iop::parse_corbaloc(url);
  REQUIRE_FALSE(corbaloc.has_value());
  CHECK_FALSE(corbaloc.error().text.empty());
  return corbaloc.error().reason;
}

}  // namespace

TEST_CASE("a corbaloc is a protocol, a version, an address and a key") {
  const iop::Corbaloc expected{
      false, {{"iiop", 1, 2, "example.com:9999"}}, key("Prod/TradingService")};
  CHECK(parsed("corbaloc:iiop:1.2@example.com:9999/Prod/TradingService") == expected);
  CHECK(parsed("CorbaLoc:IIOP:1.2@example.com:9999/Prod/TradingService\n") == expected);
}

TEST_CASE("without protocol and version a corbaloc means iiop 1.0") {
  CHECK(parsed("corbaloc::example.com/x") ==
        iop::Corbaloc{false, {{"iiop", 1, 0, "example.com"}}, key("x")});
}

TEST_CASE(
    "addresses of diop are those of iiop: an absent port is 2809, an absent host is localhost") {
  CHECK(parsed("corbaloc:diop:1.2@h:99/k") ==
        iop::Corbaloc{false, {{"diop", 1, 2, "h:99"}}, key("k")});
  CHECK(parsed("corbaloc:diop:h,diop:[::1]:5/k") ==
        iop::Corbaloc{false, {{"diop", 1, 0, "h"}, {"diop", 1, 0, "[::1]:5"}}, key("k")});
  CHECK(parsed("corbaloc:diop:/k") ==
        iop::Corbaloc{false, {{"diop", 1, 0, "localhost"}}, key("k")});
  for (const char* address : {"::1", "h:x", "h:65536", "[::1"})
    CHECK(reason_of(std::string("corbaloc:diop:") + address + "/k") == Reason::bad_address);
}

TEST_CASE("a corbaloc may have several addresses, each with a protocol and version of its own") {
  CHECK(parsed("corbaloc::a,iiop:1.1@b:77,:1.2@[fe80::1]:2810,ssliop:c/k") ==
        iop::Corbaloc{false,
                      {{"iiop", 1, 0, "a"},
                       {"iiop", 1, 1, "b:77"},
                       {"iiop", 1, 2, "[fe80::1]:2810"},
                       {"ssliop", 1, 0, "c"}},
                      key("k")});
}

TEST_CASE("rir names an initial reference and has no address") {
  CHECK(parsed("corbaloc:rir:/TradingService") == iop::Corbaloc{true, {}, key("TradingService")});
  CHECK(parsed("corbaloc:rir:/") == iop::Corbaloc{true, {}, {}});
  CHECK(parsed("corbaloc:rir:") == iop::Corbaloc{true, {}, {}});
  CHECK(reason_of("corbaloc:rir:host/x") == Reason::bad_address);
  CHECK(reason_of("corbaloc:rir:,:host/x") == Reason::bad_address);
  CHECK(reason_of("corbaloc::host,rir:/x") == Reason::bad_address);
}

// CORBA 3.0, 13.6.10.3.
TEST_CASE("an absent host is the local host") {
  CHECK(parsed("corbaloc:iiop:/k").addresses.at(0).address == "localhost");
  CHECK(parsed("corbaloc::1.2@:2810/k").addresses.at(0).address == "localhost:2810");
}

TEST_CASE("the key is the text after the first slash, with escapes resolved; it may be absent") {
  CHECK(parsed("corbaloc::h/a/b:c@d,e").object_key == key("a/b:c@d,e"));
  CHECK(parsed("corbaloc::h/%00%fF%2f").object_key == octets(0x00, 0xff, '/'));
  CHECK(parsed("corbaloc::h/").object_key.empty());
  CHECK(parsed("corbaloc::h").object_key.empty());
}

TEST_CASE("an address that is a path ends at a bar") {
  CHECK(parsed("corbaloc:uiop:1.2@/tmp/a@b,uiop:/tmp/c|k/l") ==
        iop::Corbaloc{false, {{"uiop", 1, 2, "/tmp/a@b"}, {"uiop", 1, 0, "/tmp/c"}}, key("k/l")});
}

TEST_CASE("an address that is an abstract name ends at a bar, too, with or without a version") {
  CHECK(parsed("corbaloc:uiop:@a/b|k/l") ==
        iop::Corbaloc{false, {{"uiop", 1, 0, "@a/b"}}, key("k/l")});
  CHECK(parsed("corbaloc:uiop:1.2@@a@b/c?user=5,uiop:@d|k") ==
        iop::Corbaloc{false, {{"uiop", 1, 2, "@a@b/c?user=5"}, {"uiop", 1, 0, "@d"}}, key("k")});
}

TEST_CASE("a corbaloc with a bad address is refused with the reason") {
  for (const auto* url : {"corbaloc:",
                          "corbaloc:/k",
                          "corbaloc:host/k",
                          "corbaloc::a,/k",
                          "corbaloc::a,,:b/k",
                          "corbaloc:i%op:a/k",
                          "corbaloc:iiop:1@a/k",
                          "corbaloc:iiop:1.@a/k",
                          "corbaloc:iiop:1.256@a/k",
                          "corbaloc:iiop:x.y@a/k",
                          "corbaloc::@a/k",
                          "corbaloc::a:b/k",
                          "corbaloc::a:65536/k",
                          "corbaloc::a:/k",
                          "corbaloc::::1/k",
                          "corbaloc::[::1/k",
                          "corbaloc::[]/k",
                          "corbaloc::[::1]x/k",
                          "corbaloc::1.2@1.2@a/k",
                          "corbaloc:uiop:",
                          "corbaloc:uiop:1.2@",
                          "corbaloc:uiop:,:h/k"})
    CHECK(reason_of(url) == Reason::bad_address);
}

TEST_CASE("an unknown scheme, a bad key and a URL that is too long have their own reasons") {
  CHECK(reason_of("corbaname::h/k") == Reason::bad_scheme);
  CHECK(reason_of("") == Reason::bad_scheme);
  for (const auto* url : {"corbaloc::h/%", "corbaloc::h/%1", "corbaloc::h/%1g", "corbaloc::h/a b",
                          "corbaloc::h/\x80", "corbaloc::h/a\tb"})
    CHECK(reason_of(url) == Reason::bad_specific);
  CHECK(reason_of("corbaloc::h/" + std::string(65536, 'k')) == Reason::other);
  std::string many = "corbaloc::h";
  for (int index = 0; index < 64; ++index) many += ",:h";
  CHECK(reason_of(many + "/k") == Reason::other);
}

TEST_CASE("an escaped key reads back as it was") {
  iop::ObjectKey all;
  for (int octet = 0; octet < 256; ++octet) all.push_back(static_cast<std::byte>(octet));
  CHECK(parsed("corbaloc::h/" + iop::escape_key(all)).object_key == all);
  CHECK(iop::escape_key(key("Name Service/a%")) == "Name%20Service/a%25");
  CHECK(iop::escape_key({}).empty());
}

TEST_CASE("a host and a port are parsed") {
  using iop::HostPort;
  CHECK(iop::parse_host_port("example.com:80", 1) == HostPort{"example.com", 80});
  CHECK(iop::parse_host_port("example.com", 2809) == HostPort{"example.com", 2809});
  CHECK(iop::parse_host_port("[::1]:0", 1) == HostPort{"::1", 0});
  CHECK(iop::parse_host_port("[fe80::1%eth0]", 7) == HostPort{"fe80::1%eth0", 7});
  CHECK(iop::parse_host_port(":65535", 1) == HostPort{"", 65535});
  CHECK(iop::parse_host_port("", 1) == HostPort{"", 1});
}

TEST_CASE("text without a valid host and port is a bad address") {
  for (const auto* text : {"a:", "a:x", "a:-1", "a:+1", "a: 1", "a:65536", "::1", "[::1", "[]:1",
                           "[::1]1", "[::1]:", "a b", "a]:1", "a/b"}) {
    CAPTURE(text);
    const auto result = iop::parse_host_port(text, 1);
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().reason == Reason::bad_address);
  }
}
