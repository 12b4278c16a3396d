// Which addresses a client would use, and the reasons that are given.
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

TEST_CASE("what is on this host comes first, whatever the server's order") {
  const auto order = choices_of({network_profile(), socket_profile(transport::local_host_name())});
  REQUIRE(order.size() == 2);
  CHECK(order[0].profile == 2);
  CHECK(order[0].endpoint == "uiop:///run/bank");
  CHECK(order[0].reason.starts_with("on this host"));
  CHECK(order[1].endpoint == "iiop://10.0.0.7:2809");
  CHECK((order[0].tried && order[1].tried));
}

TEST_CASE("a socket of another host is left out, and named last") {
  const auto order = choices_of({socket_profile("elsewhere"), network_profile()});
  REQUIRE(order.size() == 2);
  CHECK(order[0].endpoint == "iiop://10.0.0.7:2809");
  CHECK_FALSE(order[1].tried);
  CHECK(order[1].reason.starts_with("out of reach"));
}

TEST_CASE("a profile that nobody understands is named by its number") {
  const auto text = tool::describe(choices_of({{.tag = 4711, .data = {}}, network_profile()}));
  CHECK(text ==
        "a client here tries:\n"
        "  1. iiop://10.0.0.7:2809 (profile 2): through the network\n"
        "  not profile 1: no protocol here understands it\n");
}

TEST_CASE("a reference without a usable address says so, and the nil reference nothing") {
  CHECK(tool::describe(choices_of({socket_profile("elsewhere")}))
            .starts_with("a client here can use no address:\n  not uiop:///run/bank"));
  CHECK(tool::describe(choices_of({})).empty());
}
