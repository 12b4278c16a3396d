// Making and changing references with `perigee ior`, and remarks on addresses.
#include "describe.h"
#include "ior_edit.h"
#include "reach.h"
#include "support/octets.h"
#include <perigee/iop/components.h>
#include <perigee/transport/local.h>
#include <perigee/transport/tcp.h>

#include <cerrno>
#include <string>

using namespace perigee;
using perigee::tool::edit_ior;
using perigee::tool::explain;
using perigee::tool::make_ior;
using perigee::tool::remark_on_host;

namespace {

iop::Ior made(std::vector<std::string> addresses, const std::string& version = "1.2") {
  return make_ior({.type_id = "IDL:A:1.0",
                   .object_key = "k%00y",
                   .addresses = std::move(addresses),
                   .version = version})
      .value();
}

iop::IiopProfile profile(const iop::Ior& ior, std::size_t index = 0) {
  return iop::decode_iiop_profile(ior.profiles.at(index)).value();
}

/// Two IIOP profiles, with a foreign profile between them.
iop::Ior example() {
  iop::Ior ior = made({"10.0.0.7:2809", "h:1"});
  iop::IiopProfile first = profile(ior);
  first.components = {iop::encode_orb_type(1), iop::encode_alternate_address({"10.0.0.7", 9})};
  ior.profiles[0] = iop::encode_profile(first);
  ior.profiles.insert(ior.profiles.begin() + 1, {0x4711, test::octets('x', 'y')});
  return ior;
}

}  // namespace

TEST_CASE("a reference is made of type, key and addresses") {
  const iop::Ior ior = made({"h:1", "[::1]:2"}, "1.1");
  CHECK(ior.type_id == "IDL:A:1.0");
  REQUIRE(ior.profiles.size() == 2);
  CHECK(profile(ior).host == "h");
  CHECK(profile(ior).minor == 1);
  CHECK(profile(ior).object_key == test::octets('k', 0, 'y'));
  CHECK(profile(ior, 1).host == "::1");
  CHECK(profile(ior, 1).port == 2);
}

TEST_CASE("a reference is made of endpoints of any protocol") {
  transport::ProtocolRegistry protocols;
  REQUIRE(protocols.add(transport::make_tcp_protocol()));
  REQUIRE(protocols.add(transport::make_local_protocol()));
  const auto make = [&](std::vector<std::string> endpoints) {
    return make_ior({.type_id = "IDL:A:1.0",
                     .object_key = "k",
                     .addresses = {"h:1"},
                     .version = "1.1",
                     .endpoints = std::move(endpoints)},
                    &protocols);
  };
  const iop::Ior ior = make({"uiop:///run/bank", "iiop://[::1]:2"}).value();
  REQUIRE(ior.profiles.size() == 3);
  const auto socket = protocols.claim(ior.profiles[1]);
  REQUIRE(socket.has_value());
  CHECK(to_string(socket->endpoints.front().endpoint) == "uiop:///run/bank");
  CHECK(socket->object_key == test::octets('k'));
  CHECK(socket->minor == 1);
  CHECK(profile(ior, 2).host == "::1");
  CHECK(make({"tin://can"}).error() == "no loaded protocol has the scheme 'tin'");
  CHECK(make({"uiop://relative"}).error() ==
        "'uiop://relative' is not an address of this protocol");
  CHECK_FALSE(make({"no endpoint"}));
  CHECK_FALSE(make_ior({.object_key = "k", .endpoints = {"iiop://h:1"}}));
}

TEST_CASE("impossible references are refused with the reason") {
  CHECK(make_ior({.object_key = "k", .addresses = {"h"}}).error() == "'h': the port is missing");
  CHECK(make_ior({.object_key = "k", .addresses = {":1"}}).error() == "':1' has no host");
  CHECK(make_ior({.object_key = "k", .addresses = {"h:1"}, .version = "2.0"}).error() ==
        "unknown version '2.0' of IIOP; write 1.0, 1.1 or 1.2");
  CHECK_FALSE(make_ior({.object_key = "%x", .addresses = {"h:1"}}));
}

TEST_CASE("an edit changes addresses and alternate addresses, but no foreign profile") {
  const iop::Ior before = example();
  const iop::Ior after = edit_ior(before, {.addresses = {"10.0.0.7=gateway"}}).value();
  CHECK(profile(after).host == "gateway");
  CHECK(profile(after).port == 2809);
  const iop::IiopProfile first = profile(after);
  const auto* alternate = iop::find_component(first.components, iop::tag_alternate_iiop_address);
  const auto moved = iop::decode_alternate_address(alternate->data).value();
  CHECK(moved.host == "gateway");
  CHECK(moved.port == 9);
  CHECK(after.profiles[1] == before.profiles[1]);
  CHECK(after.profiles[2] == before.profiles[2]);
  const iop::Ior port = edit_ior(before, {.addresses = {"10.0.0.7:2809=10.0.0.8:1"}}).value();
  CHECK(profile(port).host == "10.0.0.8");
  CHECK(profile(port).port == 1);
  CHECK(edit_ior(before, {.addresses = {"other=x"}}).error() ==
        "no IIOP profile has the old address in 'other=x'");
  CHECK_FALSE(edit_ior(before, {.addresses = {"other"}}));
}

TEST_CASE("profiles are removed and reordered by their numbers") {
  const iop::Ior before = example();
  const iop::Ior after = edit_ior(before, {.removed_profiles = {1, 1}, .first_profile = 3}).value();
  REQUIRE(after.profiles.size() == 2);
  CHECK(after.profiles[0] == before.profiles[2]);
  CHECK(after.profiles[1] == before.profiles[1]);
  const iop::Ior last = edit_ior(before, {.removed_profiles = {3}, .first_profile = 2}).value();
  REQUIRE(last.profiles.size() == 2);
  CHECK(last.profiles[0] == before.profiles[1]);
  CHECK(last.profiles[1] == before.profiles[0]);
  CHECK(edit_ior(before, {.removed_profiles = {1}, .first_profile = 1}).error() ==
        "profile 1 cannot be removed and be the first");
  CHECK(edit_ior(before, {.removed_profiles = {1, 2, 3}}).error() ==
        "no profile would remain: the reference would be nil");
  CHECK(edit_ior(before, {.removed_profiles = {0}}).error() ==
        "there is no profile 0; write a number from 1 to 3");
  CHECK(edit_ior(before, {.first_profile = 0}).error() ==
        "there is no profile 0; write a number from 1 to 3");
  CHECK(edit_ior(before, {.removed_profiles = {4}}).error() ==
        "there is no profile 4; write a number from 1 to 3");
  CHECK_FALSE(edit_ior(before, {.first_profile = 9}));
}

TEST_CASE("type, key and components can be changed") {
  const iop::Ior before = example();
  const iop::Ior after = edit_ior(before, {.removed = {iop::tag_orb_type},
                                           .removed_profiles = {2},
                                           .type_id = "IDL:B:1.0",
                                           .object_key = "new"})
                             .value();
  CHECK(after.type_id == "IDL:B:1.0");
  CHECK(profile(after, 0).object_key == test::octets('n', 'e', 'w'));
  CHECK(profile(after, 1).object_key == test::octets('n', 'e', 'w'));
  CHECK(profile(after).components.size() == 1);
  CHECK(edit_ior(before, {.removed = {99}}).error() ==
        "no IIOP profile has a component with tag 99");
}

namespace {

const transport::ProtocolRegistry& registry() {
  static const auto* const made = [] {
    auto* const fresh = new transport::ProtocolRegistry;
    REQUIRE(fresh->add(transport::make_tcp_protocol()));
    REQUIRE(fresh->add(transport::make_local_protocol()));
    return fresh;
  }();
  return *made;
}

/// A reference with a TCP profile and a socket file profile.
iop::Ior of_two_protocols() {
  return make_ior({.object_key = "old", .addresses = {"h:1"}, .endpoints = {"uiop:///tmp/a"}},
                  &registry())
      .value();
}

std::string address_of(const iop::TaggedProfile& profile) {
  return to_string(registry().claim(profile).value().endpoints.front().endpoint);
}

}  // namespace

TEST_CASE("a new key replaces the key of all profiles, or the edit fails") {
  const iop::Ior after = edit_ior(of_two_protocols(), {.object_key = "new"}, &registry()).value();
  for (const iop::TaggedProfile& changed : after.profiles)
    CHECK(registry().claim(changed).value().object_key == test::octets('n', 'e', 'w'));
  CHECK(address_of(after.profiles[1]) == "uiop:///tmp/a");
  const std::string refused = edit_ior(example(), {.object_key = "new"}, &registry()).error();
  CHECK(refused.starts_with(
      "the key of profile 2 (tag 18193) cannot be changed: no loaded protocol reads it; "));
  iop::Ior damaged = of_two_protocols();
  damaged.profiles[0].data.resize(5);
  CHECK(edit_ior(damaged, {.object_key = "new"}, &registry())
            .error()
            .starts_with("the key of profile 1 (tag 0) cannot be changed"));
}

TEST_CASE(
    "an edit changes addresses of any protocol, and names profiles with unchanged addresses") {
  const iop::Ior before = of_two_protocols();
  const tool::IorChanges socket{.addresses = {"uiop:///tmp/a=uiop:///tmp/b"}};
  const iop::Ior moved = edit_ior(before, socket, &registry()).value();
  CHECK(moved.profiles[0] == before.profiles[0]);
  CHECK(address_of(moved.profiles[1]) == "uiop:///tmp/b");
  CHECK(registry().claim(moved.profiles[1]).value().endpoints.size() == 1);
  CHECK(registry().claim(moved.profiles[1]).value().object_key == test::octets('o', 'l', 'd'));
  CHECK(tool::unmoved_profiles(before, moved, socket, registry()).empty());
  CHECK(edit_ior(before, {.addresses = {"uiop:///tmp/c=uiop:///tmp/b"}}, &registry()).error() ==
        "no profile begins with the address 'uiop:///tmp/c'");
  const tool::IorChanges host{.addresses = {"h=gateway"}};
  const iop::Ior half = edit_ior(before, host, &registry()).value();
  const auto unmoved = tool::unmoved_profiles(before, half, host, registry());
  CHECK(describe(unmoved) == "profile 2 (tag 1346848001) is unchanged: uiop:///tmp/a\n");
}

TEST_CASE("a socket in a missing folder is refused, since no client could use the reference") {
  const std::string refused =
      make_ior({.object_key = "k", .endpoints = {"uiop:///tmp/perigee-no-such-folder/x"}},
               &registry())
          .error();
  CHECK(refused.find("the folder /tmp/perigee-no-such-folder/: No such file or directory") !=
        std::string::npos);
}

TEST_CASE("special addresses get a remark") {
  for (const auto& [host, part] :
       {std::pair{"0.0.0.0", "not the address of a host"},
        std::pair{"::", "not the address of a host"}, std::pair{"127.0.1.1", "loopback"},
        std::pair{"::1", "loopback"}, std::pair{"localhost", "loopback"},
        std::pair{"10.0.0.7", "private"}, std::pair{"172.31.0.1", "private"},
        std::pair{"192.168.1.1", "private"}, std::pair{"fd00::1", "private"},
        std::pair{"100.64.0.1", "private address of a provider"},
        std::pair{"169.254.1.1", "link-local"}, std::pair{"fe80::1%eth0", "link-local"},
        std::pair{"239.1.1.1", "multicast"}, std::pair{"ff02::1", "multicast"},
        std::pair{"build7", "without a domain"}, std::pair{"", "no host"}}) {
    CAPTURE(host);
    CHECK(remark_on_host(host).find(part) != std::string::npos);
  }
  for (const char* host : {"8.8.8.8", "172.32.0.1", "2001:db8::1", "example.org"})
    CHECK(remark_on_host(host).empty());
}

TEST_CASE("a failed connection is explained with its probable cause") {
  const auto text = [](IoErrorKind kind, IoOperation operation, int code) {
    return explain({kind, operation, code, "h:1"});
  };
  CHECK(text(IoErrorKind::system, IoOperation::connect, ECONNREFUSED).find("no program listens") !=
        std::string::npos);
  CHECK(text(IoErrorKind::timed_out, IoOperation::connect, 0).find("firewall") !=
        std::string::npos);
  CHECK(text(IoErrorKind::system, IoOperation::connect, EHOSTUNREACH).find("no route") !=
        std::string::npos);
  CHECK(text(IoErrorKind::bad_address, IoOperation::resolve, -2).find("does not know the name") !=
        std::string::npos);
  CHECK(text(IoErrorKind::system, IoOperation::connect, EACCES).find("permissions") !=
        std::string::npos);
  CHECK(explain({IoErrorKind::system, IoOperation::connect, EACCES,
                 "uiop:///s (user 7 listens there, but -ORBUiopTrust does not name this user)"})
            .find("-ORBUiopTrust own,root,<user>") != std::string::npos);
}
