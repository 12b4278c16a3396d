// The rules that admit clients of services.
#include "services/access/access.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace perigee::services {

namespace {

std::vector<AccessRule> rules_of(const std::string& text) {
  std::vector<AccessRule> rules;
  REQUIRE(add_rule(text, rules));
  return rules;
}

Client at(const std::string& address) { return {address, std::nullopt, std::nullopt}; }

Client with_certificate(bool is_verified) {
  PeerCertificate certificate;
  certificate.subject = "CN=teller,O=Bank";
  certificate.dns_names = {"teller.example.org"};
  certificate.fingerprint = std::string(64, 'A');
  certificate.is_verified = is_verified;
  return {"ssliop://10.0.0.7:4000", std::nullopt, certificate};
}

}  // namespace

TEST_CASE("local clients are those of loopback addresses, sockets and shared memory") {
  for (const char* address :
       {"", "iiop://127.0.0.1:4000", "iiop://[::1]:4000", "ssliop://127.1.2.3:1", "uiop:///run/x",
        "shmiop:///run/x", "iiop://[::ffff:127.0.0.1]:1"}) {
    CAPTURE(address);
    CHECK(is_local(address));
  }
  for (const char* address : {"iiop://10.0.0.7:4000", "iiop://[fe80::1]:1", "iiop://127.evil.org:1",
                              "diop://10.0.0.1:1", "nonsense"}) {
    CAPTURE(address);
    CHECK_FALSE(is_local(address));
  }
}

TEST_CASE("the rule any admits all clients, and the rule none only calls within the process") {
  CHECK(is_admitted(rules_of("any"), at("iiop://10.0.0.7:4000")));
  CHECK_FALSE(is_admitted(rules_of("none"), at("iiop://127.0.0.1:4000")));
  CHECK(is_admitted(rules_of("none"), at("")));  // a call within the process
}

TEST_CASE("a rule about certificates admits only clients with a verified certificate") {
  for (const std::string& rule :
       {std::string("subject=CN=teller,O=Bank"), std::string("dns=Teller.example.org"),
        "fingerprint=" + std::string(64, 'a')}) {
    CAPTURE(rule);
    CHECK(is_admitted(rules_of(rule), with_certificate(true)));
    CHECK_FALSE(is_admitted(rules_of(rule), with_certificate(false)));
    CHECK_FALSE(is_admitted(rules_of(rule), at("iiop://127.0.0.1:1")));
  }
  CHECK_FALSE(is_admitted(rules_of("subject=CN=teller"), with_certificate(true)));
}

TEST_CASE("a rule about users admits only clients whose user the system has confirmed") {
  Client client = at("uiop:///run/x");
  CHECK_FALSE(is_admitted(rules_of("user=1000"), client));
  client.identity = PeerIdentity{1, 1000, 1000};
  CHECK(is_admitted(rules_of("user=1000"), client));
  CHECK_FALSE(is_admitted(rules_of("user=100"), client));
}

TEST_CASE("the error for a wrong rule lists the correct forms") {
  std::vector<AccessRule> rules;
  for (const char* text : {"", "all", "user=", "user=root", "subject=", "fingerprint=ab", "dns"}) {
    CAPTURE(text);
    const auto added = add_rule(text, rules);
    REQUIRE_FALSE(added);
    CHECK(added.error().contains("write any, none, local, user=<number>"));
  }
  CHECK(rules.empty());
}

TEST_CASE("the connections of one host are one client, and so are those of one user") {
  CHECK(name_of(at("iiop://10.0.0.7:1")) == name_of(at("iiop://10.0.0.7:2")));
  CHECK(name_of(at("iiop://10.0.0.7:1")) != name_of(at("iiop://10.0.0.8:1")));
  Client client = at("uiop:///run/x");
  client.identity = PeerIdentity{1, 1000, 1000};
  CHECK(name_of(client) == "user 1000");
}

TEST_CASE("all addresses of this host are one client") {
  for (const char* address : {"iiop://127.0.0.1:1", "iiop://127.0.0.2:1", "iiop://[::1]:1",
                              "iiop://[::ffff:127.0.0.1]:1", "uiop:///run/x", "shmiop:///run/x"}) {
    CAPTURE(address);
    CHECK(name_of(at(address)) == "this host");
  }
  CHECK(name_of(at("iiop://[::ffff:10.0.0.7]:1")) == name_of(at("iiop://10.0.0.7:1")));
}

TEST_CASE("the addresses of an IPv6 network are one client") {
  CHECK(name_of(at("iiop://[2001:db8:0:1::7]:1")) == "2001:db8:0:1::/64");
  CHECK(name_of(at("iiop://[2001:db8:0:1:2:3:4:5]:1")) == "2001:db8:0:1::/64");
  CHECK(name_of(at("iiop://[2001:db8::1]:1")) == "2001:db8:0:0::/64");
  CHECK(name_of(at("iiop://[fe80::1%eth0]:1")) == "fe80:0:0:0::/64");
  CHECK(name_of(at("iiop://[2001:db8:0:2::7]:1")) != name_of(at("iiop://[2001:db8:0:1::7]:1")));
}

TEST_CASE("the subject of a verified certificate names the client") {
  Client client = at("ssliop://10.0.0.7:1");
  client.certificate = PeerCertificate{};
  client.certificate->subject = "CN=teller";
  CHECK(name_of(client) == "10.0.0.7");
  client.certificate->is_verified = true;
  CHECK(name_of(client) == "subject CN=teller");
}

}  // namespace perigee::services
