// The addresses that a client would use, in their order, and the reason for each.
#include "choice.h"
#include "support/octets.h"
#include <perigee/transport/local.h>
#include <perigee/transport/tcp.h>

#include <doctest/doctest.h>

using namespace perigee;
using perigee::tool::Choice;
using perigee::tool::choices;

namespace {

iop::TaggedProfile network_profile() {
  return iop::encode_profile(
      iop::IiopProfile{.host = "10.0.0.7", .port = 2809, .object_key = test::octets('k')});
}

iop::TaggedProfile socket_profile(const std::string& host) {
  iop::ProfileBody body;
  body.host = host;
  body.address = "/run/bank";
  body.object_key = test::octets('k');
  return transport::make_local_codec()->encode(body);
}

std::vector<Choice> choices_of(std::vector<iop::TaggedProfile> profiles) {
  transport::ProtocolRegistry protocols;
  REQUIRE(protocols.add(transport::make_tcp_protocol()));
  REQUIRE(protocols.add(transport::make_local_protocol()));
  return choices({"IDL:A:1.0", std::move(profiles)}, protocols);
}

}  // namespace

TEST_CASE("addresses on this host come first, whatever the server's order") {
  const auto order = choices_of({network_profile(), socket_profile(transport::local_host_name())});
  REQUIRE(order.size() == 2);
  CHECK(order[0].profile == 2);
  CHECK(order[0].endpoint == "uiop:///run/bank");
  CHECK(order[0].reason.starts_with("on this host"));
  CHECK(order[1].endpoint == "iiop://10.0.0.7:2809");
  CHECK((order[0].tried && order[1].tried));
}

TEST_CASE("a socket of another host is left out, and listed last") {
  const auto order = choices_of({socket_profile("elsewhere"), network_profile()});
  REQUIRE(order.size() == 2);
  CHECK(order[0].endpoint == "iiop://10.0.0.7:2809");
  CHECK_FALSE(order[1].tried);
  CHECK(order[1].reason == "out of reach: it is on the host 'elsewhere', and this host is '" +
                               transport::local_host_name() + "'");
}

TEST_CASE("a socket is left out for its own reason: its folder, or the client's trust") {
  transport::ProtocolRegistry protocols;
  REQUIRE(protocols.add(
      transport::make_local_protocol(transport::parse_local_trust("own,/run/bank").value())));
  const auto reason = [&](const std::string& address) {
    const Octets key = test::octets('k');
    const auto profile = protocols.find("uiop")->make_profile(
        {"uiop", address}, {.object_key = key, .components = {}});
    const auto order = choices({"IDL:A:1.0", {profile}}, protocols);
    REQUIRE(order.size() == 1);
    CHECK_FALSE(order[0].tried);
    return order[0].reason;
  };
  CHECK(reason("/tmp/perigee-no-such-folder/x") ==
        "out of reach: the folder /tmp/perigee-no-such-folder/: No such file or directory");
  CHECK(reason("/tmp/x").starts_with("out of reach: -ORBUiopTrust does not name its folder"));
}

TEST_CASE("the reason for an unusable profile: it is damaged, unknown, or without an address") {
  iop::TaggedProfile damaged = network_profile();
  damaged.data.resize(5);
  const iop::TaggedProfile no_port = iop::encode_profile(
      iop::IiopProfile{.host = "h", .port = 0, .object_key = test::octets('k')});
  const auto order = choices_of({damaged, {.tag = 4711, .data = {}}, no_port});
  REQUIRE(order.size() == 3);
  CHECK(order[0].reason.starts_with("it is damaged: "));
  CHECK(order[1].reason == "no loaded protocol reads it (tag 4711)");
  CHECK(order[2].reason == "no loaded protocol can use its address: 'h:0'");
}

TEST_CASE("the nearest address is tried first, and an address of an unknown protocol never") {
  transport::ProtocolRegistry protocols;
  REQUIRE(protocols.add(transport::make_tcp_protocol()));
  REQUIRE(protocols.add(transport::make_local_protocol()));
  const auto corbaloc = iop::parse_corbaloc("corbaloc::h:1,tin:can,uiop:1.2@/tmp/a|key").value();
  CHECK(tool::describe(choices(corbaloc, protocols)) ==
        "a client here tries:\n"
        "  1. uiop:///tmp/a: on this host, without a network: tried before others\n"
        "  2. iiop://h:1: through the network\n"
        "  not tin://can: no loaded protocol has this scheme\n");
}

TEST_CASE("a profile that no protocol reads is named by its number") {
  const auto text = tool::describe(choices_of({{.tag = 4711, .data = {}}, network_profile()}));
  CHECK(text ==
        "a client here tries:\n"
        "  1. iiop://10.0.0.7:2809 (profile 2): through the network\n"
        "  not profile 1: no loaded protocol reads it (tag 4711)\n");
}

TEST_CASE("a reference without a usable address has a reason, and the nil reference has no text") {
  CHECK(tool::describe(choices_of({socket_profile("elsewhere")}))
            .starts_with("a client here can use no address:\n  not uiop:///run/bank"));
  CHECK(tool::describe(choices_of({})).empty());
}
