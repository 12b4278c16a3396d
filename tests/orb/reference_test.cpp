// The profiles of a reference in the orders that calls prefer. A forward reaches all orders.
#include "orb/references/reference.h"

#include "orb/fixture.h"
#include "orb/policies.h"
#include <perigee/orb/protocol_policies.h>
#include <perigee/orb/tagged_components.h>

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace perigee::test {

using orb::MProfile;
using orb::ProtocolPreference;

namespace {

/// A preference for the scripted protocol. Different buffer sizes make different preferences.
RTCORBA::ProtocolList scripted(std::int32_t buffer_size) {
  return {{ScriptedProtocol::profile_tag, nullptr,
           CORBA::object_reference<RTCORBA::ProtocolProperties>(
               make_counted<RTCORBA::UnixDomainProtocolProperties>(buffer_size, 0))}};
}

std::shared_ptr<const ProtocolPreference> preference(std::int32_t buffer_size) {
  return std::make_shared<const ProtocolPreference>(scripted(buffer_size));
}

/// While this object lives, calls of its thread have a preference.
class Preferring {
 public:
  Preferring(orb::OrbCore& core, std::int32_t buffer_size) : current_(policy_current(core)) {
    const PolicyRef policy(make_counted<RTCORBA::ClientProtocolPolicy>(scripted(buffer_size)));
    current_->set_policy_overrides({policy}, SET_OVERRIDE);
  }
  ~Preferring() { current_->set_policy_overrides({}, SET_OVERRIDE); }
  Preferring(const Preferring&) = delete;
  Preferring& operator=(const Preferring&) = delete;

 private:
  CORBA::object_reference<CORBA::PolicyCurrent> current_;
};

std::int32_t echo_preferring(Fixture& fixture, const ObjectRef& object, std::int32_t buffer_size) {
  const Preferring preferring(fixture.core(), buffer_size);
  return echo(object);
}

/// The peer "old" replies 1 to `answers` requests, then forwards permanently to the peer "new".
void script_move(Fixture& fixture, int answers) {
  const auto forward = fixture.forward_to(fixture.ior({"new"}), ReplyStatus::location_forward_perm);
  const auto left = std::make_shared<int>(answers);  // shared by all connections
  fixture.peer("old", [=](ScriptedTransport& transport, const IncomingMessage& message) {
    if (--*left < 0) return forward(transport, message);
    reply_with_long(1)(transport, message);
  });
  fixture.peer("new", reply_with_long(2));
}

}  // namespace

TEST_CASE("a permanent forward of a call without a preference holds for calls with a preference") {
  Fixture fixture;
  script_move(fixture, 2);
  const auto object = fixture.object({"old"});
  CHECK(echo_preferring(fixture, object, 0) == 1);
  CHECK(echo(object) == 1);
  CHECK(echo(object) == 2);
  CHECK(echo_preferring(fixture, object, 0) == 2);
  CHECK(fixture.counts("old").sends == 3);
}

TEST_CASE("a permanent forward of a call with a preference holds for all other calls") {
  Fixture fixture;
  script_move(fixture, 3);
  const auto object = fixture.object({"old"});
  CHECK(echo(object) == 1);
  CHECK(echo_preferring(fixture, object, 1) == 1);
  CHECK(echo_preferring(fixture, object, 2) == 1);
  CHECK(echo_preferring(fixture, object, 1) == 2);
  CHECK(echo(object) == 2);
  CHECK(echo_preferring(fixture, object, 2) == 2);
  CHECK(fixture.counts("old").sends == 4);
  CHECK(object->_reference()->ior() == fixture.ior({"new"}));
}

TEST_CASE("the profiles for a preference are found without a lock; equal preferences share them") {
  Fixture fixture;
  const auto object = fixture.object({"peer"});
  orb::Reference& reference = *object->_reference();
  const auto first = preference(1);
  const auto equal = preference(1);
  const auto made = reference.profiles(first);
  CHECK(reference.profiles(first) == made);
  CHECK(reference.profiles(first).use_count() == 0);  // not counted: the reference owns it
  CHECK(reference.profiles(equal) == made);
  CHECK(reference.profiles(equal).use_count() == 0);
  CHECK(reference.profiles(preference(2)) != made);
}

TEST_CASE("the least recently used of many preferences are forgotten") {
  Fixture fixture;
  const auto object = fixture.object({"peer"});
  orb::Reference& reference = *object->_reference();
  const auto favourite = preference(1000);
  std::vector<std::weak_ptr<MProfile>> all;
  std::weak_ptr<MProfile> first_of_favourite;
  for (int size = 0; size < 100; ++size) {
    all.push_back(reference.profiles(preference(size)));
    if (size < 20) continue;  // from now on no further preference is kept permanently
    const auto used = reference.profiles(favourite);
    CHECK(used.use_count() > 0);
    if (size == 20) first_of_favourite = used;
    CHECK(used == first_of_favourite.lock());
  }
  CHECK(all[50].expired());
  CHECK_FALSE(all[99].expired());
}

namespace {

/// A protocol that no reference uses.
class Pigeons final : public transport::ProtocolFactory {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "pigeons"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    static constexpr std::string_view scheme[] = {"pigeon"};
    return scheme;
  }
  [[nodiscard]] std::unique_ptr<transport::Connector> make_connector() override { return nullptr; }
  std::expected<std::unique_ptr<transport::Acceptor>, IoError> listen(
      const transport::Endpoint&) override {
    return nullptr;
  }
  [[nodiscard]] std::vector<transport::ProfileEndpoint> claim(
      std::uint32_t, const iop::ProfileBody&) const override {
    return {};
  }
  [[nodiscard]] iop::TaggedProfile make_profile(const transport::Endpoint&,
                                                const transport::ProfileSource&) const override {
    return {};
  }
};

/// A core without protocols, and a reference to a peer of the scripted protocol.
struct WithoutProtocols {
  std::shared_ptr<orb::OrbCore> core = std::make_shared<orb::OrbCore>(orb::CoreParts{
      {}, std::make_unique<transport::ProtocolRegistry>(), giop::make_giop(), nullptr});
  std::unique_ptr<ScriptedProtocol> protocol = std::make_unique<ScriptedProtocol>(giop_protocol());
  iop::TaggedProfile profile =
      protocol->make_profile({"test", "peer"}, {1, 2, octets_of(std::string_view("key")), {}});

  ~WithoutProtocols() { core->destroy(); }
};

}  // namespace

TEST_CASE("a reference without a usable profile uses a protocol that replaced another protocol") {
  WithoutProtocols test;
  REQUIRE(test.core->protocols().add(std::make_unique<Pigeons>()).has_value());
  const auto object = test.core->make_object({"IDL:Test:1.0", {test.profile}});
  CHECK_THROWS_AS(ping(object), CORBA::TRANSIENT);
  REQUIRE(test.core->protocols().remove("pigeons"));
  test.protocol->add("peer", Script{.on_message = reply_with_long(5)});
  REQUIRE(test.core->protocols().add(std::move(test.protocol)).has_value());
  CHECK(echo(object) == 5);
}

TEST_CASE("protocols are asked only once whether they know an unusable reference") {
  WithoutProtocols test;
  const auto object = test.core->make_object({"IDL:Test:1.0", {iop::encode_profile({})}});
  CHECK_THROWS_AS(ping(object), CORBA::TRANSIENT);
  const ScriptedProtocol& protocol = *test.protocol;
  REQUIRE(test.core->protocols().add(std::move(test.protocol)).has_value());
  for (int call = 0; call < 3; ++call) CHECK_THROWS_AS(ping(object), CORBA::TRANSIENT);
  CHECK(protocol.claims() == 1);
}

TEST_CASE("reading the components of a reference does not prepare it for calls") {
  WithoutProtocols test;
  const ScriptedProtocol& protocol = *test.protocol;
  REQUIRE(test.core->protocols().add(std::move(test.protocol)).has_value());
  const auto object = test.core->make_object({"IDL:Test:1.0", {test.profile}});
  CHECK(tagged_components(object, 1).empty());
  CHECK(protocol.claims() == 0);
  (void)object->_reference()->base();
  CHECK(protocol.claims() == 1);
}

TEST_CASE("a reference whose protocol failed uses a protocol that was added later") {
  Fixture fixture;
  const auto object = fixture.object({"dead"});
  CHECK_THROWS_AS(ping(object), CORBA::TRANSIENT);
  REQUIRE(fixture.core().protocols().remove("scripted"));
  auto protocol = std::make_unique<ScriptedProtocol>(giop_protocol());
  protocol->add("dead", Script{.on_message = reply_with_long(6)});
  REQUIRE(fixture.core().protocols().add(std::move(protocol)).has_value());
  CHECK(echo(object) == 6);
}

}  // namespace perigee::test
